//! Writing: rows to documents, documents to gzip, and the verification of what was stored.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};
use urlset_core::limits::{Budget, Limits};
use urlset_core::read::Kind;
use urlset_core::value::zone::Zone;
use urlset_core::write::parallel_split::ParallelSplit;
use urlset_core::write::{self as core, Encoder, OnBadValue, Pushed, Row};
use urlset_engine::memory::keep_freed_memory;

use crate::interpreter::input_error;
use crate::lent::{Lent, view};
use crate::lint::LintSettings;
use crate::report::Finding;
use crate::rows::Rows;

/// Rows that are taken before the caller can do something else, such as reporting progress or handling Ctrl-C.
pub const PAUSE: u64 = 8_192;

/// The same for two threads, which cost as much to start for few rows as for many.
const PAUSE_OF_TWO: u64 = 8 * PAUSE;

/// Fills one document after the other, each exactly within both limits of the protocol.
#[pyclass]
pub struct Packer {
    encoder: Encoder,
    kind: Kind,
    /// If the rows of a large table may be written by two threads.
    split: Option<ParallelSplit>,
}

/// Why rows are no longer being taken.
#[pyclass(frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FillStatus {
    /// The document, or the batch, is full.
    #[pyo3(name = "FULL")]
    Full,
    /// There are no more rows.
    #[pyo3(name = "END")]
    End,
    /// There are more rows, and room for them.
    #[pyo3(name = "MORE")]
    More,
}

/// An entry that was refused: its index, its loc, and the code and the words of the rule that it breaks.
#[pyclass(frozen, get_all)]
pub struct Refusal {
    index: u64,
    loc: Option<String>,
    code: &'static str,
    message: String,
}

impl Refusal {
    pub fn new(index: u64, row: &Row<'_>, refusal: core::Refusal) -> Refusal {
        let loc = (!row.loc.is_empty()).then(|| row.loc.to_owned());
        Refusal { index, loc, code: refusal.rule.code, message: refusal.message }
    }

    /// What is said about the values of a row.
    pub fn all(index: u64, row: &Row<'_>, refusals: Vec<core::Refusal>) -> Vec<Refusal> {
        refusals.into_iter().map(|refusal| Refusal::new(index, row, refusal)).collect()
    }
}

/// How taking rows went. Refused rows are left out; the values in `corrected` are left out of other rows, or repaired.
#[pyclass(frozen, get_all)]
pub struct Filled {
    status: FillStatus,
    refused: Vec<Py<Refusal>>,
    corrected: Vec<Py<Refusal>>,
}

impl Filled {
    pub fn new(py: Python<'_>, status: FillStatus, refused: Vec<Refusal>, corrected: Vec<Refusal>) -> PyResult<Filled> {
        let all = |each: Vec<Refusal>| each.into_iter().map(|one| Py::new(py, one)).collect::<PyResult<_>>();
        Ok(Filled { status, refused: all(refused)?, corrected: all(corrected)? })
    }
}

/// How values are taken. It is made from the attributes of the `ValuePolicy` of Python.
#[derive(FromPyObject)]
pub struct ValuePolicy {
    on_bad_value: String,
    zone: Option<Vec<(i64, String)>>,
    now: i64,
}

impl ValuePolicy {
    pub fn into_core(self, py: Python<'_>) -> PyResult<core::ValuePolicy> {
        let on_bad_value = match self.on_bad_value.as_str() {
            "refuse" => OnBadValue::Refuse,
            "drop" => OnBadValue::Drop,
            "fix" => OnBadValue::Fix,
            other => {
                return Err(input_error(py, &format!("on_bad_value must be refuse, drop or fix, got {other:?}")));
            }
        };
        Ok(core::ValuePolicy {
            on_bad_value,
            zone: self.zone.map(Zone::new),
            now: self.now,
            ..core::ValuePolicy::default()
        })
    }
}

/// The XML of a finished document piece by piece, the bytes of all of them, and how many entries it has.
#[pyclass(frozen, get_all)]
pub struct Finished {
    pieces: Vec<Py<PyMemoryView>>,
    bytes: usize,
    entries: u64,
}

#[pymethods]
impl Packer {
    /// A packer of the kind of the first row. With `threads`, a large table is written by two.
    #[new]
    #[pyo3(signature = (rows, values, *, threads))]
    fn new(py: Python<'_>, rows: &mut Rows, values: ValuePolicy, threads: usize) -> PyResult<Self> {
        keep_freed_memory();
        let kind = if rows.next_is_sitemap(py)? { Kind::Sitemapindex } else { Kind::Urlset };
        let encoder = Encoder::new(kind, None).with_values(values.into_core(py)?);
        Ok(Packer { encoder, kind, split: (threads > 1).then(ParallelSplit::default) })
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// The number of entries in the unfinished document.
    #[getter]
    fn entries(&self) -> u64 {
        self.encoder.entries()
    }

    /// Take rows until the document is full, the rows end, a row is refused, or many rows were taken.
    fn fill(&mut self, py: Python<'_>, rows: &mut Rows) -> PyResult<Filled> {
        let mut corrected = Vec::new();
        let mut left = if self.split.is_some() { PAUSE_OF_TWO } else { PAUSE };
        while left > 0 {
            let encoder = &mut self.encoder;
            left -= rows.with_batch(|batch, at| match &mut self.split {
                Some(split) => split.push(encoder, batch, at, left),
                None => encoder.push_rows(batch, at, left),
            });
            if left == 0 {
                break;
            }
            left -= 1;
            let index = rows.index();
            let pushed = rows.with_next(py, |row| match encoder.push(row) {
                Ok(Pushed::Added(values)) => (true, Ok(Some(Refusal::all(index, row, values)))),
                Ok(Pushed::Full) => (false, Ok(None)),
                Err(refusal) => (true, Err(Refusal::new(index, row, refusal))),
            })?;
            match pushed {
                None => return Filled::new(py, FillStatus::End, Vec::new(), corrected),
                Some(Ok(Some(values))) => corrected.extend(values),
                Some(Ok(None)) => return Filled::new(py, FillStatus::Full, Vec::new(), corrected),
                Some(Err(refusal)) => return Filled::new(py, FillStatus::More, vec![refusal], corrected),
            }
        }
        Filled::new(py, FillStatus::More, Vec::new(), corrected)
    }

    /// End the document and begin the next one. Returns None if the document has no entries.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Option<Finished>> {
        let Some((xml, entries)) = self.encoder.finish_in_place() else { return Ok(None) };
        let bytes = xml.iter().map(|piece| piece.len()).sum();
        let pieces = xml.into_iter().map(|piece| view(py, piece)).collect::<PyResult<_>>()?;
        Ok(Some(Finished { pieces, bytes, entries }))
    }
}

/// Compress with neither a name nor a time: the same bytes always give the same result.
#[pyfunction]
pub fn gzip<'py>(py: Python<'py>, data: Lent, level: u32) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &py.detach(|| core::gzip(&data, level)))
}

/// A document that reads back as it was written: its entries, and the first finding of each rule that was checked.
#[pyclass(frozen, get_all)]
pub struct Verified {
    entries: u64,
    findings: Vec<Py<Finding>>,
}

/// Read `stored` back, compare every entry with the XML that it was made from, and check it in the same pass. Raises
/// ValueError if something differs.
#[pyfunction]
pub fn verify(py: Python<'_>, stored: Lent, xml: Lent, settings: LintSettings) -> PyResult<Verified> {
    let terms = settings.terms(Budget::DEFAULT, Some(Limits::PROTOCOL));
    let mut rules = (terms.checks(), terms.linter());
    let verified = py
        .detach(|| core::verify(&stored, &xml, &mut rules, terms.findings(1)))
        .map_err(|difference| PyValueError::new_err(difference.to_string()))?;
    let findings = verified.findings.iter().map(|finding| Py::new(py, Finding::of(finding)));
    Ok(Verified { entries: verified.entries, findings: findings.collect::<PyResult<_>>()? })
}
