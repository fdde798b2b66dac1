//! Writing: rows into documents, documents into gzip, and the proof that what was stored reads back.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_core::read::Kind;
use urlset_core::value::loc;
use urlset_core::write::{self as core, Encoder, Pushed};

use crate::rows::Rows;

/// Rows between two looks at what else there is to do: progress, Ctrl-C.
pub const PAUSE: u64 = 8_192;

/// Fills one document after the other, each within both limits of the protocol.
#[pyclass]
pub struct Packer {
    encoder: Encoder,
    kind: Kind,
}

/// Index, loc, rule code and reason of an entry that was refused.
pub type RefusalTuple = (u64, Option<String>, &'static str, String);

#[pymethods]
impl Packer {
    /// A packer of `kind`, or of the kind that the first of `rows` asks for; with `host`, locs of others are refused.
    #[new]
    #[pyo3(signature = (rows, kind, host))]
    fn new(py: Python<'_>, rows: &mut Rows, kind: Option<&str>, host: Option<String>) -> PyResult<Self> {
        let kind = match kind {
            Some("urlset") => Kind::Urlset,
            Some("sitemapindex") => Kind::Sitemapindex,
            Some(other) => return Err(PyValueError::new_err(format!("no document is a {other}"))),
            None if rows.next_is_sitemap(py)? => Kind::Sitemapindex,
            None => Kind::Urlset,
        };
        Ok(Packer { encoder: Encoder::new(kind, host), kind })
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Entries in the document under way.
    #[getter]
    fn entries(&self) -> u64 {
        self.encoder.entries()
    }

    /// Takes rows until the document is full ("full"), the rows end ("end"), a while has passed ("more"), or a row is
    /// refused: that one is left out and told.
    fn fill(&mut self, py: Python<'_>, rows: &mut Rows) -> PyResult<(&'static str, Option<RefusalTuple>)> {
        for _ in 0..PAUSE {
            let index = rows.index();
            let encoder = &mut self.encoder;
            let pushed = rows.with_next(py, |row| match encoder.push(row) {
                Ok(Pushed::Added) => (true, Ok(Pushed::Added)),
                Ok(Pushed::Full) => (false, Ok(Pushed::Full)),
                Err(refusal) => {
                    let loc = (!row.loc.is_empty()).then(|| row.loc.to_owned());
                    (true, Err((index, loc, refusal.rule.code, refusal.message)))
                }
            })?;
            match pushed {
                None => return Ok(("end", None)),
                Some(Ok(Pushed::Added)) => {}
                Some(Ok(Pushed::Full)) => return Ok(("full", None)),
                Some(Err(refusal)) => return Ok(("refused", Some(refusal))),
            }
        }
        Ok(("more", None))
    }

    /// Ends the document and begins the next: its XML and its entries, or None where it has none.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyBytes>, u64)>> {
        let finished = self.encoder.finish_into(|pieces| {
            PyBytes::new_with(py, pieces.iter().map(|piece| piece.len()).sum(), |mut space| {
                for piece in pieces {
                    let (begin, rest) = space.split_at_mut(piece.len());
                    begin.copy_from_slice(piece);
                    space = rest;
                }
                Ok(())
            })
        });
        finished.map(|(xml, entries)| Ok((xml?, entries))).transpose()
    }
}

/// Gzip without a name and without a time: the same bytes in give the same bytes out.
#[pyfunction]
pub fn gzip<'py>(py: Python<'py>, data: &Bound<'py, PyBytes>, level: u32) -> Bound<'py, PyBytes> {
    let data: pyo3::pybacked::PyBackedBytes = data.clone().into();
    PyBytes::new(py, &py.detach(|| core::gzip(&data, level)))
}

/// Reads `stored` back and compares every entry with the XML it was made from: the number of entries, or a ValueError
/// that says what differs.
#[pyfunction]
pub fn verify(py: Python<'_>, stored: &Bound<'_, PyBytes>, xml: &Bound<'_, PyBytes>) -> PyResult<u64> {
    let stored: pyo3::pybacked::PyBackedBytes = stored.clone().into();
    let xml: pyo3::pybacked::PyBackedBytes = xml.clone().into();
    py.detach(|| core::verify(&stored, &xml)).map_err(PyValueError::new_err)
}

/// The host of an absolute http or https URL, without its port; None where it is no such URL.
#[pyfunction]
pub fn host_name(loc: &str) -> Option<&str> {
    if loc::problem(loc).is_some() { None } else { loc::host_name(loc) }
}
