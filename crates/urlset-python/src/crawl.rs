//! The links of crawled pages.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use urlset_core::{crawl, value::identity};

use crate::page::PageExtract;
use crate::table::Batches;

/// Links of pages under construction, as rows of a table.
#[pyclass]
#[derive(Default)]
pub struct LinkRows(crawl::LinkRows);

#[pymethods]
impl LinkRows {
    #[new]
    fn new() -> Self {
        LinkRows::default()
    }

    /// Add links of a kind that a page has.
    fn add(&mut self, source: &str, kind: &str, targets: Vec<PyBackedStr>) {
        self.0.extend(source, kind, targets.iter().map(|target| (&**target, false)));
    }

    /// Add the links that were found in a page.
    fn add_found(&mut self, source: &str, found: &PageExtract) {
        self.0.extend(source, "a", found.links.iter().map(|(target, is_nofollow)| (&**target, *is_nofollow)));
    }

    /// Bytes of all texts.
    #[getter]
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Return the rows. There are none afterwards.
    fn take(&mut self) -> Batches {
        Batches::of(self.0.take())
    }
}

/// Which URLs links were seen to lead to.
#[pyclass]
#[derive(Default)]
pub struct SeenUrls(crawl::SeenUrls);

#[pymethods]
impl SeenUrls {
    #[new]
    fn new() -> Self {
        SeenUrls::default()
    }

    /// Return the form of a URL by which pages are compared, if no page before this one is known to have it; else None.
    fn unseen<'u>(&mut self, url: &'u str, page: u64) -> Option<Cow<'u, str>> {
        Some(identity::page_form(url)).filter(|form| self.0.is_unseen(form, page))
    }

    /// Return the links of a page that no page before it is known to have: the position and the URL of each, and its form.
    fn all_unseen<'f>(
        &mut self,
        found: &'f PageExtract,
        page: u64,
        with_nofollow: bool,
    ) -> Vec<(usize, &'f str, Cow<'f, str>)> {
        let links = found.links.iter().enumerate().filter(|(_, (_, is_nofollow))| with_nofollow || !is_nofollow);
        links.filter_map(|(position, (url, _))| Some((position, url.as_str(), self.unseen(url, page)?))).collect()
    }
}
