//! URLs that extensions give: of images, videos and alternates.

use super::loc;

/// Whether an extension's URL is one that a consumer can use. Apps have schemes of their own, and the protocol's
/// bound on a loc does not speak of it.
pub fn is_href(text: &str) -> bool {
    match loc::problem(text) {
        None | Some(loc::Problem::TooLong) => true,
        Some(loc::Problem::Scheme) => {
            (text.starts_with("android-app://") || text.starts_with("ios-app://"))
                && !text.bytes().any(|byte| byte <= b' ')
        }
        Some(_) => false,
    }
}
