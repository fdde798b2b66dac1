//! The URLs of extensions: of images, videos and alternates, and what a link of them is.

use super::identity;
use super::loc::{self, LocError};

/// What the URL of an extension is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Href {
    /// No consumer can use it.
    Bad,
    /// Whoever compares it needs its normal form.
    Usable,
    /// It is in its normal form, as [`is_in_normal_form`](super::identity::is_in_normal_form) says.
    Normal,
}

impl Href {
    pub fn of(text: &str) -> Self {
        match is_href(text) {
            false => Href::Bad,
            true if identity::is_in_normal_form(text) => Href::Normal,
            true => Href::Usable,
        }
    }
}

/// Whether a consumer can use the URL of an extension. Apps have their own schemes, and the protocol's limit for a loc
/// does not apply.
pub fn is_href(text: &str) -> bool {
    match loc::check(text) {
        Ok(()) | Err(LocError::TooLong(_)) => true,
        Err(LocError::Scheme) => is_app(text) && !text.bytes().any(|byte| byte <= b' '),
        Err(_) => false,
    }
}

/// Whether a `rel` is that of another version of the page. It can have several words, as in HTML.
#[inline]
pub fn is_alternate(rel: &str) -> bool {
    rel == "alternate" || rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("alternate"))
}

/// Whether it leads to an app.
pub fn is_app(text: &str) -> bool {
    text.starts_with("android-app://") || text.starts_with("ios-app://")
}

/// Whether a crawler can fetch the URL of a video. Source: Google Search Central, video sitemaps: all files have to be
/// accessible over HTTP or FTP.
pub fn is_media(text: &str) -> bool {
    let is_ftp = text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("ftp://"));
    match loc::check(text) {
        Ok(()) | Err(LocError::TooLong(_)) => true,
        Err(LocError::Scheme) => is_ftp && text.len() > 6 && !text.bytes().any(|byte| byte <= b' '),
        Err(_) => false,
    }
}
