//! The URLs of extensions: of images, videos and alternates.

use super::loc;

/// Whether a consumer can use the URL of an extension. Apps have their own schemes, and the protocol's limit for a loc
/// does not apply.
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
