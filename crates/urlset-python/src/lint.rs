//! Linting and fixing, one document at a time.

use std::collections::{BTreeMap, HashMap};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_core::checks::DocumentChecks;
use urlset_core::decode::Decoder;
use urlset_core::diagnostic::catalogue::RULES;
use urlset_core::diagnostic::fix::{Edit, Fix, Safety, apply};
use urlset_core::diagnostic::{Findings, Selection, Severity};
use urlset_core::limits;
use urlset_core::lint::{Linter, Settings};
use urlset_core::read::Reader;
use urlset_core::read::sink::{Silent, Sink, TextCopy};
use urlset_core::table::{Batch, Children, Table};
use urlset_core::value::zone::Zone;
use urlset_engine::interrupt::Interrupt;
use urlset_engine::memory::keep_freed_memory;
use urlset_engine::reading::Outcome;

use crate::bounds::{Budget, Limits};
use crate::encoding;
use crate::input;
use crate::interpreter::{Signals, attached, raised};
use crate::report::{DocumentReport, Fault};
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
    pub feeds: bool,
    indexes: bool,
    extensions: bool,
    foreign_children: bool,
    proven_hosts: Vec<String>,
}

impl LintSettings {
    pub fn selection(&self) -> Selection {
        self.selection.0
    }

    pub fn linter(self, selection: Selection, limits: Option<limits::Limits>) -> Linter {
        let settings = Settings {
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
        };
        Linter::new(self.location.as_deref(), selection, settings)
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

    fn hand_over(&self, batch: Batch) -> PyResult<()> {
        attached(|py| self.take.call1(py, (Batches::new(batch.record.schema(), vec![batch]),)).map(|_| ()))
    }
}

/// What looks at a document while it is read. The linter reports for all of them.
struct Lookers {
    checks: DocumentChecks,
    linter: Linter,
    children: Silent<Children>,
    table: Option<Silent<Table>>,
}

impl Lookers {
    fn sink(&mut self) -> impl Sink {
        (&mut self.checks, (&mut self.linter, (&mut self.children, &mut self.table)))
    }

    /// Hands over the rows that have made a full batch, or at the end all of them.
    fn hand_over(&mut self, rows: Option<&EntryRows>, is_end: bool) -> PyResult<()> {
        let (Some(rows), Some(Silent(table))) = (rows, &mut self.table) else { return Ok(()) };
        while let Some(batch) = if is_end { table.take_rest() } else { table.take_full() } {
            rows.hand_over(batch)?;
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
    let (budget, limits) = (Budget::of(budget), limits.map(|limits| limits.to_core()));
    let selection = settings.selection();
    let location = settings.location.clone();
    let mut lookers = Lookers {
        checks: DocumentChecks::new(limits).with_feeds(settings.feeds),
        linter: settings.linter(selection, limits),
        children: Silent(Children::new(location.as_deref())),
        table: rows.as_ref().map(|rows| rows.table(py)).transpose()?.map(Silent),
    };
    let mut decoder = Decoder::new(budget, encoding);
    // Each rule has a bound of its own, so that one with many findings cannot push out another.
    let most = RULES.len().saturating_mul(fold as usize);
    let findings = Findings::new(selection, most).with_most_of_rule(fold);
    let mut reader = Reader::new(budget, findings).at_location(location.as_deref());
    let mut head = Vec::new();
    let broken = py.detach(|| {
        let mut broken = None;
        while reader.fault().is_none() {
            let more = input.next(&Signals, |piece| {
                head.extend(piece.iter().take(HEAD_BYTES - head.len()));
                decoder.feed(piece, &mut reader, &mut lookers.sink());
            });
            lookers.hand_over(rows.as_ref(), false)?;
            // Ctrl-C ends the check of a large document too.
            Signals.check().map_err(raised)?;
            if !more.as_ref().is_ok_and(|more| *more) {
                broken = more.err();
                break;
            }
        }
        decoder.finish(&mut reader, &mut lookers.sink());
        lookers.hand_over(rows.as_ref(), true)?;
        PyResult::Ok(broken)
    })?;
    let Lookers { linter, children, .. } = lookers;
    let outcome = Outcome::of(&reader, &decoder, linter.entries(), children.0.found);
    let report = DocumentReport::new(py, outcome)?;
    Ok(LintReport {
        document: Py::new(py, report)?,
        alternates: linter.entries_with_alternates(),
        head: PyBytes::new(py, &head).unbind(),
        broken: broken.map(|error| raised(error).into_value(py).into_any()),
    })
}

/// What came of fixing one document.
#[pyclass(frozen, get_all)]
pub struct FixReport {
    /// The text as it was read, and with the fixes.
    read: Py<PyBytes>,
    text: Py<PyBytes>,
    /// How many fixes of each code were made.
    applied: BTreeMap<&'static str, u64>,
    /// The codes of the fixes that concern the charset.
    charset: Vec<&'static str>,
    fault: Option<Py<Fault>>,
    /// The layers of compression around the text, from the outermost on.
    layers: Vec<&'static str>,
}

/// Whether a fix neither takes nor puts a character beyond ASCII.
fn is_of_ascii(fix: &Fix, text: &str) -> bool {
    let old = |edit: &Edit| text.get(edit.range.start as usize..edit.range.end as usize).is_some_and(str::is_ascii);
    fix.edits.iter().all(|edit| edit.text.is_ascii() && old(edit))
}

/// Make every fix once that does not overlap with another.
#[pyfunction]
#[pyo3(signature = (data, settings, is_unsafe, budget, limits))]
pub fn fix(
    py: Python<'_>,
    data: &Bound<'_, PyBytes>,
    settings: LintSettings,
    is_unsafe: bool,
    budget: Option<Budget>,
    limits: Option<Limits>,
) -> PyResult<FixReport> {
    let (budget, limits) = (Budget::of(budget), limits.map(|limits| limits.to_core()));
    let selection = settings.selection();
    let location = settings.location.clone();
    let mut checks = DocumentChecks::new(limits).with_feeds(settings.feeds);
    let (mut linter, mut read) = (settings.linter(selection, limits), TextCopy::default());
    let mut decoder = Decoder::new(budget, Default::default());
    let findings = Findings::new(selection, budget.findings).with_fixes();
    let mut reader = Reader::new(budget, findings).at_location(location.as_deref());
    let bytes = data.as_bytes();
    let (fault, read, text, applied, charset) = py.detach(|| {
        let mut sink = (&mut checks, (&mut linter, &mut read));
        decoder.feed(bytes, &mut reader, &mut sink);
        decoder.finish(&mut reader, &mut sink);
        let fault = reader.fault().cloned();
        let (read, mut fixes) = (read.text, reader.into_fixes());
        let of_charset = fixes.iter().filter(|(_, fix)| fix.is_of_charset());
        let is_doubtful = of_charset.clone().any(|(_, fix)| fix.safety != Safety::Safe);
        let is_charset_fixed = is_unsafe || !is_doubtful;
        let charset: Vec<_> = of_charset.filter(|_| is_charset_fixed).map(|(rule, _)| rule.code).collect();
        if !is_charset_fixed {
            // Readers differ about every other character, and so would the fix.
            fixes.retain(|(_, fix)| is_of_ascii(fix, &read));
        }
        let (text, applied) = apply(&read, &fixes, is_unsafe);
        (fault, read, text, applied, charset)
    });
    Ok(FixReport {
        read: PyBytes::new(py, read.as_bytes()).unbind(),
        text: PyBytes::new(py, text.as_bytes()).unbind(),
        applied: applied.into_iter().collect(),
        charset,
        fault: fault.map(|fault| Py::new(py, Fault::of(py, &fault)?)).transpose()?,
        layers: decoder.layers(),
    })
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
