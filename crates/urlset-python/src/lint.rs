//! Checking: one document at a time, its findings as plain values.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use urlset_core::decode::Decoder;
use urlset_core::limits::Budget;
use urlset_core::lint::catalogue::RULES;
use urlset_core::lint::{Linter, Selection};
use urlset_core::read::Reader;
use urlset_core::table::{Table, projection};

use crate::input::{self, Input};
use crate::report;

/// Checks one document: its report as reading gives it, with its children, and `findings` and `counts` beside.
#[pyfunction]
#[pyo3(signature = (source, location, select, ignore, content_encoding))]
pub fn lint<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    location: Option<&str>,
    select: Option<Vec<String>>,
    ignore: Vec<String>,
    content_encoding: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let hint = input::hint(py, content_encoding)?;
    let mut input = Input::new(source)?;
    let mut linter = Linter::new(Selection { select, ignore }, location, Budget::DEFAULT.findings);
    // The table takes no rows here, only the children of an index.
    let mut children = Table::new(projection(&[]).unwrap_or_else(|_| urlset_core::table::schema()), true);
    let (mut decoder, mut reader) = (Decoder::new(Budget::DEFAULT, hint), Reader::new(Budget::DEFAULT));
    let findings = py.detach(|| {
        let mut sink = (&mut linter, &mut children);
        while reader.fault().is_none() && input.next(|piece| decoder.feed(piece, &mut reader, &mut sink))? {}
        decoder.finish(&mut reader, &mut sink);
        PyResult::Ok(linter.finish(&reader))
    })?;
    let report = report::document(py, &reader, &decoder, linter.entries(), children.end_document().1)?;
    report.set_item("findings", findings.iter().map(report::finding).collect::<Vec<_>>())?;
    report.set_item("counts", linter.counts().clone())?;
    Ok(report)
}

/// Code, name and severity of every rule the core can report.
#[pyfunction]
pub fn catalogue() -> Vec<(&'static str, &'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.code, rule.name, rule.severity.name())).collect()
}
