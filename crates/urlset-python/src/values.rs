//! Single values.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use urlset_core::value::{hreflang, identity, lastmod, loc};

/// Return the host of an absolute http(s) URL, without its port; None for any other text.
#[pyfunction]
pub fn host_name(loc: &str) -> Option<&str> {
    loc::check(loc).ok().and_then(|()| loc::host_name(loc))
}

/// Return an absolute http(s) URL as the URL Standard writes it, which is what clients ask for and what published sets list;
/// None for any other text.
#[pyfunction]
pub fn standard_url(url: &str) -> Option<String> {
    urlset_core::value::standard_url::standard(url)
}

/// Return the form that all URLs equal to this one have in common, by RFC 3986; any other text as it is.
#[pyfunction]
pub fn normalized_url(url: &str) -> Cow<'_, str> {
    identity::normalized(url).unwrap_or(Cow::Borrowed(url))
}

/// Return the normal form of each URL.
#[pyfunction]
pub fn normalized_urls(urls: Vec<PyBackedStr>) -> Vec<String> {
    urls.iter().map(|url| normalized_url(url).into_owned()).collect()
}

/// Return the form of a URL by which the pages of a site are compared: the normal form without its fragment.
#[pyfunction]
pub fn page_form(url: &str) -> Cow<'_, str> {
    identity::page_form(url)
}

/// Return the scheme of an http or https URL, its host, with the port if it is not the usual one, and whether it has a user
/// name; None for any other text.
#[pyfunction]
pub fn url_origin(url: &str) -> Option<(String, String, bool)> {
    identity::origin(url).map(|origin| (origin.scheme, origin.host, origin.has_user))
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
