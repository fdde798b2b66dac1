//! What stands in an HTML page.

use pyo3::exceptions::PyValueError;
use pyo3::marker::Ungil;
use pyo3::prelude::*;
use urlset_core::page::{self, Options, Selector};

/// What stands in a page, as the core found it.
#[pyclass(frozen, get_all)]
pub struct PageExtract {
    fits_charset: bool,
    is_binary: bool,
    title: Option<String>,
    description: Option<String>,
    markdown: Option<String>,
    language: Option<String>,
    base: String,
    pub(crate) links: Vec<(String, bool)>,
    canonicals: Vec<String>,
    body_canonical: Option<String>,
    robots: Vec<(String, String)>,
    hreflang: Vec<(String, String)>,
    documents: Vec<(String, &'static str)>,
    images: Vec<String>,
    refresh: Option<String>,
    script_target: Option<String>,
    dates: Vec<(String, String)>,
    items: Vec<(String, String)>,
    json_ld: Vec<String>,
    long_json: usize,
    dropped_hreflang: usize,
    dropped_images: usize,
    content_hash: u64,
    parts: Vec<u64>,
    sketch: Vec<u16>,
    has_main: bool,
    skeleton_hash: u64,
    words: usize,
    needs_browser: Option<String>,
}

/// Work of so few bytes is over before another thread has noticed that it may run.
const SMALL: usize = 4 << 10;

/// Do something with so many bytes, while other threads of Python run.
fn apart<T: Ungil + Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Ungil + Send) -> T {
    if bytes < SMALL { work() } else { py.detach(work) }
}

/// Return what stands in a page. Other threads run meanwhile.
#[pyfunction]
#[pyo3(signature = (body, url, content_type, *, masks, boilerplate, most_json, most_items, with_parts))]
#[expect(clippy::too_many_arguments, reason = "each is one of the function in Python")]
pub fn page_extract(
    py: Python<'_>,
    body: &[u8],
    url: &str,
    content_type: Option<&str>,
    masks: Vec<String>,
    boilerplate: Vec<String>,
    most_json: usize,
    most_items: usize,
    with_parts: bool,
) -> PyResult<PageExtract> {
    let boilerplate = selectors(&boilerplate)?;
    let options = Options { url, content_type, masks: &masks, boilerplate, most_json, most_items, with_parts };
    let found = apart(py, body.len(), || page::page(body, options));
    Ok(PageExtract {
        fits_charset: found.fits_charset,
        is_binary: found.is_binary,
        title: found.title,
        description: found.description,
        markdown: found.markdown,
        language: found.language,
        base: found.base,
        links: found.links,
        canonicals: found.canonicals,
        body_canonical: found.body_canonical,
        robots: found.robots,
        hreflang: found.hreflang,
        documents: found.documents,
        images: found.images,
        refresh: found.refresh,
        script_target: found.script_target,
        dates: found.dates,
        items: found.items,
        json_ld: found.json_ld,
        long_json: found.long_json,
        dropped_hreflang: found.dropped_hreflang,
        dropped_images: found.dropped_images,
        content_hash: found.content_hash,
        parts: found.parts,
        sketch: found.sketch,
        has_main: found.has_main,
        skeleton_hash: found.skeleton_hash,
        words: found.words,
        needs_browser: found.needs_browser,
    })
}

/// Raise ValueError if a text is not a list of selectors.
#[pyfunction]
pub fn check_selectors(texts: Vec<String>) -> PyResult<()> {
    selectors(&texts).map(drop)
}

/// Return the target of a refresh as written, which is empty if it only reloads the page; None for what is ignored.
#[pyfunction]
pub fn refresh_target(text: &str) -> Option<&str> {
    page::refresh_target(text)
}

/// Return the http(s) URL that a link of a page leads to, without its fragment; None for anything else.
#[pyfunction]
pub fn joined_url(base: &str, link: &str) -> Option<String> {
    page::target(base, link)
}

/// Return whose challenge page a body is, or its beginning; None if it is none.
#[pyfunction]
pub fn challenger(body: &[u8]) -> Option<&'static str> {
    page::challenger(body)
}

/// Return the hash of the bytes of a body.
#[pyfunction]
pub fn body_hash(py: Python<'_>, body: &[u8]) -> u64 {
    apart(py, body.len(), || page::hash(body))
}

fn selectors(texts: &[String]) -> PyResult<Vec<Selector>> {
    let mut found = Vec::new();
    for text in texts {
        let refused = |reason| PyValueError::new_err(format!("the selector '{text}' is not supported: {reason}"));
        found.extend(Selector::list(text).map_err(refused)?);
    }
    Ok(found)
}
