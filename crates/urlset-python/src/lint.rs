//! Checking: one document at a time, its findings as plain values.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use urlset_core::decode::Decoder;
use urlset_core::lint::catalogue::RULES;
use urlset_core::lint::{Linter, Selection};
use urlset_core::read::Reader;
use urlset_core::table::Table;

use crate::bounds::{self, Given};
use crate::input::{self, Input};
use crate::report;

/// Checks one document: its report as reading gives it, with the findings of the rules among those of reading.
#[pyfunction]
#[pyo3(signature = (source, location, select, ignore, content_encoding, bounds))]
pub fn lint<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    location: Option<&str>,
    select: Option<Vec<String>>,
    ignore: Vec<String>,
    content_encoding: Option<&str>,
    bounds: Given,
) -> PyResult<Bound<'py, PyDict>> {
    let hint = input::hint(py, content_encoding)?;
    let mut input = Input::new(source)?;
    let (mut linter, mut children) = (Linter::new(location), Table::of_children());
    let (budget, limits) = bounds::bounds(&bounds)?;
    let mut decoder = Decoder::new(budget, hint);
    let mut reader = Reader::new(budget, Selection { select, ignore }).with_limits(limits);
    py.detach(|| {
        let mut sink = (&mut linter, &mut children);
        while reader.fault().is_none() && input.next(|piece| decoder.feed(piece, &mut reader, &mut sink))? {}
        decoder.finish(&mut reader, &mut sink);
        PyResult::Ok(())
    })?;
    report::document(py, &reader, &decoder, linter.entries(), children.end_document().1)
}

/// Code, name and severity of every rule the core can report.
#[pyfunction]
pub fn catalogue() -> Vec<(&'static str, &'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.code, rule.name, rule.severity.name())).collect()
}
