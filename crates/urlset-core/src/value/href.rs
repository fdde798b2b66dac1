//! The URLs of extensions: of images, videos and alternates.

use super::loc::{self, LocError};

/// Whether a consumer can use the URL of an extension. Apps have their own schemes, and the protocol's limit for a loc
/// does not apply.
pub fn is_href(text: &str) -> bool {
    match loc::check(text) {
        Ok(()) | Err(LocError::TooLong(_)) => true,
        Err(LocError::Scheme) => {
            (text.starts_with("android-app://") || text.starts_with("ios-app://"))
                && !text.bytes().any(|byte| byte <= b' ')
        }
        Err(_) => false,
    }
}
