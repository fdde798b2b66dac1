//! What reading found, as plain Python values: the classes that carry them are Python's own.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use urlset_core::decode::Decoder;
use urlset_core::diagnostic::{Edit, Finding};
use urlset_core::read::{Fault, FaultKind, Reader};
use urlset_core::table::Child;
use urlset_core::value::lastmod;

/// The safety of a fix, and its edits: from, to, text.
type FixTuple = (&'static str, Vec<(u64, u64, String)>);

/// code, severity, message, line, column, end column, source, column in the source, help, fix, how many more.
pub type FindingTuple =
    (&'static str, &'static str, String, u32, u32, u32, String, u32, Option<String>, Option<FixTuple>, u64);

pub fn finding(finding: &Finding) -> FindingTuple {
    let edits =
        |edits: &[Edit]| edits.iter().map(|edit| (edit.range.start, edit.range.end, edit.text.clone())).collect();
    (
        finding.rule.code,
        finding.severity.name(),
        finding.message.clone(),
        finding.position.line,
        finding.position.column,
        finding.position.column + finding.width,
        finding.snippet.text.clone(),
        finding.snippet.column,
        finding.help.clone(),
        finding.fix.as_ref().map(|fix| (fix.safety.name(), edits(&fix.edits))),
        finding.more,
    )
}

/// The kind of a fault, as `_scan.py` knows it, and its finding.
pub fn fault(fault: &Fault) -> (&'static str, FindingTuple) {
    let kind = match fault.kind {
        FaultKind::NotASitemap => "not_a_sitemap",
        FaultKind::Malformed => "malformed",
        FaultKind::Truncated => "truncated",
        FaultKind::Limit => "limit",
    };
    (kind, finding(&fault.finding))
}

/// The report of one document, as keywords of `_scan.DocumentReport`.
pub fn document<'py>(
    py: Python<'py>,
    reader: &Reader,
    decoder: &Decoder,
    entries: u64,
    children: Vec<Child>,
) -> PyResult<Bound<'py, PyDict>> {
    let report = PyDict::new(py);
    report.set_item("kind", reader.kind().map(|kind| kind.name()))?;
    report.set_item("rows", entries)?;
    report.set_item("bytes", reader.bytes())?;
    report.set_item("wire_bytes", decoder.wire_bytes())?;
    report.set_item("fault", reader.fault().map(fault))?;
    report.set_item("mended", reader.is_recovered())?;
    report.set_item("findings", reader.findings().iter().map(finding).collect::<Vec<_>>())?;
    report.set_item("counts", reader.counts())?;
    let extensions = PyDict::new(py);
    for (uri, count) in reader.extensions() {
        extensions.set_item(uri, count)?;
    }
    report.set_item("extensions", extensions)?;
    report.set_item("children", children.into_iter().map(|child| (child.loc, child.line)).collect::<Vec<_>>())?;
    Ok(report)
}

/// Microseconds since the epoch of a lastmod of the W3C profile, or None where the text is none.
#[pyfunction]
pub fn lastmod_micros(text: &str) -> Option<i64> {
    lastmod::parse(text).ok()
}
