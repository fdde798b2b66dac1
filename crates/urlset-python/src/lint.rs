//! Linting and fixing, one document at a time.

use std::collections::{BTreeMap, HashMap};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_core::diagnostic::catalogue::RULES;
use urlset_core::diagnostic::{Selection, Severity};
use urlset_core::document::{self, Judgement, Refusal, Terms};
use urlset_core::limits;
use urlset_core::lint::Settings;
use urlset_core::read::sink::Silent;
use urlset_core::table::Table;
use urlset_core::value::zone::Zone;
use urlset_engine::interrupt::Interrupt;
use urlset_engine::memory::keep_freed_memory;
use urlset_engine::reading::Outcome;

use crate::bounds::{Budget, Limits};
use crate::encoding;
use crate::input;
use crate::interpreter::{Signals, attached, raised};
use crate::report::DocumentReport;
use crate::table::{Batches, project};

/// Bytes of a document, as received, that show how it is compressed.
const HEAD_BYTES: usize = 4;

/// The enabled rules and their severities. One object serves for many documents.
#[pyclass(frozen, from_py_object, name = "Selection")]
#[derive(Clone, Copy)]
pub struct RuleSelection(Selection);

#[pymethods]
impl RuleSelection {
    #[new]
    fn new(rules: HashMap<String, String>) -> PyResult<Self> {
        let mut known = Vec::with_capacity(rules.len());
        for (code, severity) in &rules {
            let severity = Severity::named(severity)
                .ok_or_else(|| PyValueError::new_err(format!("{severity:?} is not a severity")))?;
            known.push((code.as_str(), severity));
        }
        Ok(RuleSelection(Selection::new(known.into_iter())))
    }
}

/// How to check a document: the severities of the enabled rules, and what differs from one consumer to the next. It is made
/// from the attributes of `CoreLintSettings`.
#[derive(FromPyObject)]
pub struct LintSettings {
    selection: RuleSelection,
    location: Option<String>,
    now: i64,
    zone: Option<Vec<(i64, String)>>,
    loc_chars: usize,
    loc_bytes: Option<usize>,
    tag_bytes: Option<usize>,
    feeds: bool,
    indexes: bool,
    extensions: bool,
    foreign_children: bool,
    proven_hosts: Vec<String>,
}

impl LintSettings {
    pub fn terms(self, budget: limits::Budget, limits: Option<limits::Limits>) -> Terms {
        Terms {
            selection: self.selection.0,
            location: self.location,
            settings: Settings {
                now: self.now,
                zone: self.zone.map(Zone::new),
                loc_chars: self.loc_chars,
                loc_bytes: self.loc_bytes,
                tag_bytes: self.tag_bytes,
                indexes: self.indexes,
                extensions: self.extensions,
                foreign_children: self.foreign_children,
                limits: limits.unwrap_or(limits::Limits::PROTOCOL),
                proven_hosts: self.proven_hosts,
            },
            feeds: self.feeds,
            limits,
            budget,
        }
    }
}

/// Who takes the entries of a document while it is checked. It is made from the attributes of the `EntryRows` of Python.
#[derive(FromPyObject)]
pub struct EntryRows {
    /// What the column `document` calls it.
    document: String,
    columns: Vec<String>,
    /// Called with `Batches`.
    take: Py<PyAny>,
}

impl EntryRows {
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let mut table = Table::new(project(py, Some(&self.columns))?, false);
        table.begin_document(Some(&self.document));
        Ok(table)
    }

    /// Hands over the rows that have made a full batch, or at the end all of them.
    fn hand_over(&self, table: &mut Table, is_end: bool) -> PyResult<()> {
        while let Some(batch) = if is_end { table.take_rest() } else { table.take_full() } {
            let batches = Batches::new(batch.record.schema(), vec![batch]);
            attached(|py| self.take.call1(py, (batches,)).map(|_| ()))?;
        }
        Ok(())
    }
}

/// How checking one document went.
#[pyclass(frozen, get_all)]
pub struct LintReport {
    /// The findings of the rules are among those of reading.
    document: Py<DocumentReport>,
    /// Entries with links to other languages.
    alternates: u64,
    /// The first bytes, as received.
    head: Py<PyBytes>,
    /// What kept the document from being received to its end.
    broken: Option<Py<PyAny>>,
}

/// Check one document, and hand over its entries in the same pass. At most `fold` findings of each rule are kept.
#[pyfunction]
#[pyo3(signature = (source, settings, fold, content_encoding, budget, limits, rows=None))]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub fn lint(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    settings: LintSettings,
    fold: u32,
    content_encoding: Option<&str>,
    budget: Option<Budget>,
    limits: Option<Limits>,
    rows: Option<EntryRows>,
) -> PyResult<LintReport> {
    keep_freed_memory();
    let encoding = encoding::content_encoding(py, content_encoding)?;
    let mut input = input::opened(source)?;
    let terms = settings.terms(Budget::of(budget), limits.map(|limits| limits.to_core()));
    let mut judgement = Judgement::new(&terms, terms.findings(fold), encoding);
    let mut table = rows.as_ref().map(|rows| rows.table(py)).transpose()?.map(Silent);
    let hand_over = |table: &mut Option<Silent<Table>>, is_end| match (&rows, table) {
        (Some(rows), Some(Silent(table))) => rows.hand_over(table, is_end),
        _ => Ok(()),
    };
    let mut head = Vec::new();
    let broken = py.detach(|| {
        let mut broken = None;
        while judgement.reader.fault().is_none() {
            let more = input.next(&Signals, |piece| {
                head.extend(piece.iter().take(HEAD_BYTES - head.len()));
                judgement.feed(piece, &mut table);
            });
            hand_over(&mut table, false)?;
            // Ctrl-C ends the check of a large document too.
            Signals.check().map_err(raised)?;
            if !more.as_ref().is_ok_and(|more| *more) {
                broken = more.err();
                break;
            }
        }
        judgement.finish(&mut table);
        hand_over(&mut table, true)?;
        PyResult::Ok(broken)
    })?;
    let children = judgement.take_children();
    let Judgement { reader, decoder, linter, .. } = judgement;
    let outcome = Outcome::of(&reader, &decoder, linter.entries(), children);
    let report = DocumentReport::new(py, outcome)?;
    Ok(LintReport {
        document: Py::new(py, report)?,
        alternates: linter.entries_with_alternates(),
        head: PyBytes::new(py, &head).unbind(),
        broken: broken.map(|error| raised(error).into_value(py).into_any()),
    })
}

/// The document, the counts of fixes, and why none was made.
type Fixed = (Option<Py<PyBytes>>, BTreeMap<&'static str, u64>, Option<String>);

/// Make every fix of a document until none is left. Returns the document, or None where it stays as it is, how many fixes
/// of each code were made, and why none could be made.
#[pyfunction]
pub fn fix(
    py: Python<'_>,
    data: &Bound<'_, PyBytes>,
    settings: LintSettings,
    is_unsafe: bool,
    gzip_level: u32,
    budget: Option<Budget>,
    limits: Option<Limits>,
) -> PyResult<Fixed> {
    let terms = settings.terms(Budget::of(budget), limits.map(|limits| limits.to_core()));
    let bytes = data.as_bytes();
    let fixed = py.detach(|| document::fix(bytes, &terms, is_unsafe, gzip_level)).map_err(|refusal| match refusal {
        Refusal::Compressed(_) => PyValueError::new_err(refusal.to_string()),
        Refusal::Endless(_) => PyRuntimeError::new_err(refusal.to_string()),
    })?;
    Ok((fixed.data.map(|data| PyBytes::new(py, &data).unbind()), fixed.applied, fixed.reason))
}

/// A rule that the core can report.
#[pyclass(frozen, get_all)]
pub struct Rule {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
}

/// Return every rule that sees one document, by code.
#[pyfunction]
pub fn catalogue() -> Vec<Rule> {
    let rules = RULES.iter();
    rules.map(|rule| Rule { code: rule.code, name: rule.name, severity: rule.severity.name() }).collect()
}
