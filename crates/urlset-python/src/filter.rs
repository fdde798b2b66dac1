//! Filters: which children are read, and which entries become rows.

use std::sync::Arc;

use pyo3::prelude::*;
use urlset_core::read::Kind;
use urlset_core::table;
use urlset_core::value::pattern::Pattern;

/// Which entries, or which children of an index, are wanted. `urlset.Filter` says what each argument means.
#[pyclass(frozen)]
pub struct Filter {
    inner: Arc<table::Filter>,
}

impl Filter {
    pub fn to_core(&self) -> Arc<table::Filter> {
        self.inner.clone()
    }
}

#[pymethods]
impl Filter {
    #[new]
    #[pyo3(signature = (kinds, include, exclude, since, before, skips_unknown))]
    fn new(
        kinds: Vec<String>,
        include: Vec<String>,
        exclude: Vec<String>,
        since: Option<i64>,
        before: Option<i64>,
        skips_unknown: bool,
    ) -> Self {
        let patterns = |texts: Vec<String>| texts.iter().map(|text| Pattern::new(text)).collect();
        let kinds = Kind::ALL.into_iter().filter(|kind| kinds.iter().any(|name| name == kind.name())).collect();
        let (include, exclude) = (patterns(include), patterns(exclude));
        Filter { inner: Arc::new(table::Filter { kinds, include, exclude, since, before, skips_unknown }) }
    }

    /// Why a child of an index is not wanted, as the name of a field of `urlset.Filter`; None if it is.
    fn skips(&self, loc: &str, lastmod_raw: Option<&str>, lastmod: Option<i64>) -> Option<&'static str> {
        let reason = self.inner.skips_loc(loc).or_else(|| self.inner.skips_lastmod(lastmod_raw, lastmod));
        reason.map(table::Reason::name)
    }
}
