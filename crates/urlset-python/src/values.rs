//! Single values.

use pyo3::prelude::*;
use urlset_core::value::{hreflang, lastmod, loc};
use urlset_core::write::render;

/// Return the host of an absolute http(s) URL, without its port; None for any other text.
#[pyfunction]
pub fn host_name(loc: &str) -> Option<&str> {
    loc::check(loc).ok().and_then(|()| loc::host_name(loc))
}

/// Return an absolute http(s) URL spelled as the URL standard does, and as published locs are; None for any other text.
#[pyfunction]
pub fn spelled_url(url: &str) -> Option<String> {
    render::spelled_url(url)
}

/// Return the microseconds since the epoch of a lastmod of the W3C profile; None if the text is invalid.
#[pyfunction]
pub fn lastmod_micros(text: &str) -> Option<i64> {
    lastmod::parse(text).ok()
}

/// Return a hreflang code as it is usually written; None if it is invalid. Source: Google Search Central, localized
/// versions of a page.
#[pyfunction]
pub fn usual_hreflang(code: &str) -> Option<String> {
    hreflang::parse(code).map(|(code, _)| code.usual())
}
