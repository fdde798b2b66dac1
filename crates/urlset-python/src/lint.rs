//! Checking and mending: one document at a time, its findings as plain values.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use urlset_core::checks::DocumentChecks;
use urlset_core::decode::Decoder;
use urlset_core::diagnostic::catalogue::RULES;
use urlset_core::diagnostic::fix::apply;
use urlset_core::diagnostic::{Findings, Selection, Severity};
use urlset_core::limits::Limits;
use urlset_core::lint::{Linter, Settings};
use urlset_core::read::Reader;
use urlset_core::read::sink::TextCopy;
use urlset_core::table::Children;

use crate::bounds::{self, Given};
use crate::input::{self, Input};
use crate::report;

/// What is asked of a document, as `_lint.Asked` has it: rules, and what differs from one consumer to the next.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    rules: HashMap<String, String>,
    location: Option<String>,
    now: i64,
    zone: Option<String>,
    loc_chars: usize,
    loc_bytes: Option<usize>,
    tag_bytes: Option<usize>,
    feeds: bool,
    indexes: bool,
    extensions: bool,
    foreign_children: bool,
    proven_hosts: Vec<String>,
}

impl Asked {
    fn selection(&self) -> PyResult<Selection> {
        let mut rules = Vec::with_capacity(self.rules.len());
        for (code, severity) in &self.rules {
            let severity = Severity::named(severity)
                .ok_or_else(|| PyValueError::new_err(format!("{severity:?} is no severity")))?;
            rules.push((code.as_str(), severity));
        }
        Ok(Selection::new(rules.into_iter()))
    }

    fn linter(self, selection: Selection, limits: Option<Limits>) -> Linter {
        let settings = Settings {
            now: self.now,
            zone: self.zone,
            loc_chars: self.loc_chars,
            loc_bytes: self.loc_bytes,
            tag_bytes: self.tag_bytes,
            indexes: self.indexes,
            extensions: self.extensions,
            foreign_children: self.foreign_children,
            limits: limits.unwrap_or(Limits::PROTOCOL),
            proven_hosts: self.proven_hosts,
        };
        Linter::new(self.location.as_deref(), selection, settings)
    }
}

/// Checks one document: its report as reading gives it, with the findings of the rules among those of reading. Of one rule
/// no more than `fold` are kept.
#[pyfunction]
#[pyo3(signature = (source, asked, fold, content_encoding, bounds))]
pub fn lint<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    asked: Asked,
    fold: u32,
    content_encoding: Option<&str>,
    bounds: Given,
) -> PyResult<Bound<'py, PyDict>> {
    let hint = input::hint(py, content_encoding)?;
    let mut input = Input::new(source)?;
    let (budget, limits) = bounds::bounds(&bounds)?;
    let selection = asked.selection()?;
    let mut checks = DocumentChecks::new(limits).with_feeds(asked.feeds);
    let (mut linter, mut children) = (asked.linter(selection, limits), Children::silent());
    let mut decoder = Decoder::new(budget, hint);
    let findings = Findings::new(selection, budget.findings).with_most_of_rule(fold);
    let mut reader = Reader::new(budget, findings);
    py.detach(|| {
        let mut sink = (&mut checks, (&mut linter, &mut children));
        while reader.fault().is_none() && input.next(|piece| decoder.feed(piece, &mut reader, &mut sink))? {}
        decoder.finish(&mut reader, &mut sink);
        PyResult::Ok(())
    })?;
    let report = report::document(py, &reader, &decoder, linter.entries(), children.found)?;
    report.set_item("alternates", linter.entries_with_alternates())?;
    Ok(report)
}

/// Makes every fix once that does not touch another: the text as it was `read` and what came of it, how many fixes of each
/// code were made, the codes of those that are about the charset, and the layers of compression around the text.
#[pyfunction]
#[pyo3(signature = (data, asked, is_unsafe, bounds))]
pub fn fix<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyBytes>,
    asked: Asked,
    is_unsafe: bool,
    bounds: Given,
) -> PyResult<Bound<'py, PyDict>> {
    let (budget, limits) = bounds::bounds(&bounds)?;
    let selection = asked.selection()?;
    let mut checks = DocumentChecks::new(limits).with_feeds(asked.feeds);
    let (mut linter, mut read) = (asked.linter(selection, limits), TextCopy::default());
    let mut decoder = Decoder::new(budget, Default::default());
    let findings = Findings::new(selection, budget.findings).with_fixes();
    let mut reader = Reader::new(budget, findings);
    let bytes = data.as_bytes();
    let (fault, read, text, applied, charset) = py.detach(|| {
        let mut sink = (&mut checks, (&mut linter, &mut read));
        decoder.feed(bytes, &mut reader, &mut sink);
        decoder.finish(&mut reader, &mut sink);
        let fault = reader.fault().cloned();
        let (read, fixes) = (read.text, reader.into_fixes());
        let charset = fixes.iter().filter(|(_, fix)| fix.edits.is_empty()).map(|(rule, _)| rule.code);
        let charset: Vec<_> = charset.collect();
        let (text, applied) = apply(&read, &fixes, is_unsafe);
        (fault, read, text, applied, charset)
    });
    let made = PyDict::new(py);
    made.set_item("read", PyBytes::new(py, read.as_bytes()))?;
    made.set_item("text", PyBytes::new(py, text.as_bytes()))?;
    made.set_item("applied", applied.into_iter().collect::<HashMap<_, _>>())?;
    made.set_item("charset", charset)?;
    made.set_item("fault", fault.as_ref().map(report::fault))?;
    made.set_item("layers", decoder.layers())?;
    Ok(made)
}

/// Code, name and severity of every rule that sees one document.
#[pyfunction]
pub fn catalogue() -> Vec<(&'static str, &'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.code, rule.name, rule.severity.name())).collect()
}
