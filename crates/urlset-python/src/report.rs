//! What reading a document found, as objects of Python.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use urlset_core::diagnostic;
use urlset_core::read::{self, FaultKind};
use urlset_core::table;
use urlset_engine::reading::Outcome;

/// One replacement of bytes of the text.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Edit {
    start: u64,
    end: u64,
    text: String,
}

/// How a finding can be fixed.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct Fix {
    safety: &'static str,
    edits: Vec<Edit>,
}

/// One thing that was found in a document.
#[pyclass(frozen, get_all)]
pub struct Finding {
    code: &'static str,
    severity: &'static str,
    message: String,
    line: u32,
    column: u32,
    end_column: u32,
    /// The line that it stands on, shortened, and its column there.
    source: String,
    source_column: u32,
    help: Option<String>,
    fix: Option<Fix>,
    /// Further findings of the rule that are counted but not kept.
    more: u64,
}

impl Finding {
    pub fn of(finding: &diagnostic::Finding) -> Finding {
        Finding {
            code: finding.rule.code,
            severity: finding.severity.name(),
            message: finding.message.clone(),
            line: finding.position.line,
            column: finding.position.column,
            end_column: finding.position.column + finding.width,
            source: finding.snippet.text.clone(),
            source_column: finding.snippet.column,
            help: finding.help.clone(),
            fix: finding.fix.as_deref().map(Fix::of),
            more: finding.more,
        }
    }
}

impl Fix {
    fn of(fix: &diagnostic::Fix) -> Fix {
        let edit =
            |edit: &diagnostic::Edit| Edit { start: edit.range.start, end: edit.range.end, text: edit.text.clone() };
        Fix { safety: fix.safety.name(), edits: fix.edits.iter().map(edit).collect() }
    }
}

/// Why the reading of a document ended early: `not_a_sitemap`, `malformed`, `truncated` or `limit`, and where.
#[pyclass(frozen, get_all)]
pub struct Fault {
    kind: &'static str,
    finding: Py<Finding>,
}

impl Fault {
    pub fn of(py: Python<'_>, fault: &read::Fault) -> PyResult<Fault> {
        let kind = match fault.kind {
            FaultKind::NotASitemap => "not_a_sitemap",
            FaultKind::Malformed => "malformed",
            FaultKind::Truncated => "truncated",
            FaultKind::Limit => "limit",
        };
        Ok(Fault { kind, finding: Py::new(py, Finding::of(&fault.finding))? })
    }
}

/// A child of an index that is followed.
#[pyclass(frozen, get_all)]
pub struct Child {
    loc: String,
    lastmod_raw: Option<String>,
    /// In microseconds since the epoch; None if the text is not a date.
    lastmod: Option<i64>,
    line: u32,
}

impl Child {
    fn of(child: table::Child) -> Child {
        let table::Child { loc, lastmod_raw, lastmod, line } = child;
        Child { loc, lastmod_raw, lastmod, line }
    }
}

/// How reading one document went.
#[pyclass(frozen, get_all)]
pub struct DocumentReport {
    kind: Option<&'static str>,
    entries: u64,
    /// Bytes of the text, and of the document as it was stored.
    bytes: u64,
    wire_bytes: u64,
    fault: Option<Py<Fault>>,
    is_recovered: bool,
    findings: Vec<Py<Finding>>,
    /// How often each code was found.
    counts: BTreeMap<&'static str, u64>,
    /// Elements inside entries that were skipped, by namespace.
    extensions: Py<PyDict>,
    children: Vec<Py<Child>>,
    /// Entries that a filter left out, by reason.
    skipped: BTreeMap<&'static str, u64>,
}

impl DocumentReport {
    pub fn new(py: Python<'_>, outcome: Outcome) -> PyResult<DocumentReport> {
        let extensions = PyDict::new(py);
        for (uri, count) in &outcome.extensions {
            extensions.set_item(uri, count)?;
        }
        let fault = outcome.fault.map(|fault| Py::new(py, Fault::of(py, &fault)?)).transpose()?;
        let findings = outcome.findings.iter().map(|finding| Py::new(py, Finding::of(finding)));
        let children = outcome.children.into_iter().map(|child| Py::new(py, Child::of(child)));
        Ok(DocumentReport {
            kind: outcome.kind,
            entries: outcome.entries,
            bytes: outcome.bytes,
            wire_bytes: outcome.wire_bytes,
            fault,
            is_recovered: outcome.is_recovered,
            findings: findings.collect::<PyResult<_>>()?,
            counts: outcome.counts,
            extensions: extensions.unbind(),
            children: children.collect::<PyResult<_>>()?,
            skipped: outcome.skipped.into_iter().map(|(reason, count)| (reason.name(), count)).collect(),
        })
    }
}
