//! What stands in an HTML page.

use pyo3::prelude::*;
use urlset_core::page;

/// What stands in a page, as the core found it.
#[pyclass(frozen, get_all)]
pub struct PageExtract {
    title: Option<String>,
    language: Option<String>,
    base: String,
    links: Vec<(String, bool)>,
    canonicals: Vec<String>,
    robots: Vec<(String, String)>,
    hreflang: Vec<(String, String)>,
    images: Vec<String>,
    refreshes: Vec<String>,
    dates: Vec<(String, String)>,
    items: Vec<(String, String)>,
    json_ld: Vec<String>,
    content_hash: u64,
    skeleton_hash: u64,
    words: usize,
    needs_browser: Option<String>,
}

/// Return what stands in a page. Other threads run meanwhile.
#[pyfunction]
#[pyo3(signature = (body, url, content_type, masks))]
pub fn page_extract(
    py: Python<'_>,
    body: &[u8],
    url: &str,
    content_type: Option<&str>,
    masks: Vec<String>,
) -> PageExtract {
    let found = py.detach(|| page::page(body, url, content_type, &masks));
    PageExtract {
        title: found.title,
        language: found.language,
        base: found.base,
        links: found.links,
        canonicals: found.canonicals,
        robots: found.robots,
        hreflang: found.hreflang,
        images: found.images,
        refreshes: found.refreshes,
        dates: found.dates,
        items: found.items,
        json_ld: found.json_ld,
        content_hash: found.content_hash,
        skeleton_hash: found.skeleton_hash,
        words: found.words,
        needs_browser: found.needs_browser,
    }
}

/// Return the hash of the bytes of a body.
#[pyfunction]
pub fn body_hash(py: Python<'_>, body: &[u8]) -> u64 {
    py.detach(|| page::hash(body))
}
