//! Reading: one document after the other, as Python names them, into batches.

use std::sync::{Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::checks::DocumentChecks;
use urlset_core::decode::Decoder;
use urlset_core::diagnostic::{Findings, Selection};
use urlset_core::limits;
use urlset_core::read::Reader;
use urlset_core::table::{Batch, Children, Table};

use crate::attached;
use crate::bounds::{Budget, Limits};
use crate::input::{self, Input};
use crate::report::DocumentReport;
use crate::table::{Batches, project, stream_capsule};

/// The documents of a scan on their way into a table. `documents` has `next_document()`, which returns an object with
/// the `location`, the `source` and the `content_encoding` of a document, or None, `finished(report)`, which takes the report on each document, and `failed(error)`, which takes what
/// kept one from being opened or read. Both may raise, which ends the stream.
#[pyclass(frozen)]
pub struct Stream {
    /// Empty once it was handed out as a capsule.
    reading: Mutex<Option<Reading>>,
    schema: SchemaRef,
}

struct Reading {
    documents: Py<PyAny>,
    table: Table,
    follow: bool,
    current: Option<Current>,
    budget: limits::Budget,
    limits: Option<limits::Limits>,
    ended: bool,
}

struct Current {
    input: Input,
    decoder: Decoder,
    reader: Reader,
    checks: DocumentChecks,
    /// Of an index, if its children are followed.
    children: Option<Children>,
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (documents, columns, follow, budget, limits))]
    fn new(
        py: Python<'_>,
        documents: Py<PyAny>,
        columns: Option<Vec<String>>,
        follow: bool,
        budget: Budget,
        limits: Option<Limits>,
    ) -> PyResult<Self> {
        let schema = project(py, columns.as_deref())?;
        let table = Table::new(schema.clone(), !follow);
        let (budget, limits) = (budget.to_core(), limits.map(|limits| limits.to_core()));
        let reading = Reading { documents, table, follow, current: None, budget, limits, ended: false };
        Ok(Stream { reading: Mutex::new(Some(reading)), schema })
    }

    /// The next rows, or None when every document is done.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batches>> {
        let batch = py.detach(|| {
            let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            reading.as_mut().ok_or_else(handed_out)?.next()
        })?;
        Ok(batch.map(|batch| Batches::new(self.schema.clone(), vec![batch])))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore the request: the consumer casts.
        let _ = requested_schema;
        let reading = py.detach(|| self.reading.lock().unwrap_or_else(PoisonError::into_inner).take());
        let reading = Some(reading.ok_or_else(handed_out)?);
        stream_capsule(py, Box::new(Exported { schema: self.schema.clone(), reading }))
    }
}

fn handed_out() -> PyErr {
    PyRuntimeError::new_err("this stream was handed out already")
}

/// Tells Python what kept a document from being opened or read to its end.
fn failed(documents: &Bound<'_, PyAny>, error: PyErr) -> PyResult<()> {
    documents.call_method1("failed", (error.into_value(documents.py()),)).map(|_| ())
}

impl Reading {
    fn next(&mut self) -> PyResult<Option<Batch>> {
        loop {
            if let Some(batch) = self.table.take_full() {
                return Ok(Some(batch));
            }
            if self.ended {
                return Ok(None);
            }
            let Some(current) = &mut self.current else {
                if !self.open()? {
                    self.ended = true;
                    return Ok(self.table.take_rest());
                }
                continue;
            };
            let Current { input, decoder, reader, checks, children } = current;
            let mut sink = ((checks, &mut self.table), children);
            let more = match input.next(|piece| decoder.feed(piece, reader, &mut sink)) {
                Ok(more) => more,
                Err(error) => {
                    // Unless Python raises it, what came before it counts, as of a document that is cut off.
                    attached(|py| failed(self.documents.bind(py), error))?;
                    false
                }
            };
            if !more || reader.fault().is_some() {
                self.close()?;
            }
        }
    }

    /// Asks for the next document; false when there is none. A document that cannot be opened is skipped, unless Python
    /// raises what is wrong with it.
    fn open(&mut self) -> PyResult<bool> {
        let opened = attached(|py| {
            let documents = self.documents.bind(py);
            let next = documents.call_method0("next_document")?;
            if next.is_none() {
                return Ok(None);
            }
            let location: Option<String> = next.getattr("location")?.extract()?;
            let header: Option<String> = next.getattr("content_encoding")?.extract()?;
            let encoding = input::content_encoding(py, header.as_deref())?;
            match Input::new(&next.getattr("source")?) {
                Ok(input) => PyResult::Ok(Some(Some((location, encoding, input)))),
                Err(error) => failed(documents, error).map(|()| Some(None)),
            }
        })?;
        let Some(document) = opened else {
            return Ok(false);
        };
        if let Some((location, encoding, input)) = document {
            self.table.begin_document(location.as_deref());
            let (budget, limits) = (self.budget, self.limits);
            let findings = Findings::new(Selection::default(), budget.findings);
            let reader = Reader::new(budget, findings).at_location(location.as_deref());
            let decoder = Decoder::new(budget, encoding);
            let checks = DocumentChecks::new(limits);
            let children = self.follow.then(|| Children::new(location.as_deref()));
            self.current = Some(Current { input, decoder, reader, checks, children });
        }
        Ok(true)
    }

    fn close(&mut self) -> PyResult<()> {
        if let Some(Current { mut decoder, mut reader, input, mut checks, mut children }) = self.current.take() {
            decoder.finish(&mut reader, &mut ((&mut checks, &mut self.table), &mut children));
            let children = children.map(|children| children.found).unwrap_or_default();
            attached(|py| {
                drop(input);
                let report = DocumentReport::new(py, &reader, &decoder, checks.entries(), children)?;
                self.documents.bind(py).call_method1("finished", (report,)).map(|_| ())
            })?;
        }
        Ok(())
    }
}

/// The stream on the other side of the capsule, where any thread may pull and no interpreter need be attached.
struct Exported {
    schema: SchemaRef,
    /// Empty only while it is being dropped.
    reading: Option<Reading>,
}

impl Drop for Exported {
    fn drop(&mut self) {
        let reading = self.reading.take();
        // SAFETY: may be called at any time.
        if unsafe { pyo3::ffi::Py_IsInitialized() } == 0 {
            // Whoever holds the stream has outlived the interpreter, and with it the objects to let go of.
            std::mem::forget(reading);
        } else {
            attached(|_| drop(reading));
        }
    }
}

impl Iterator for Exported {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reading = self.reading.as_mut()?;
        let batch = reading.next().map_err(|error| {
            reading.ended = true;
            // The consumer shows only a text: the error's own words have to be in it. The exception itself has to go
            // while the interpreter is attached, or its frames outlive what the consumer shuts down after them.
            attached(|_| {
                let text = error.to_string();
                drop(error);
                ArrowError::ExternalError(text.into())
            })
        });
        batch.transpose().map(|batch| batch.map(|batch| batch.record))
    }
}

impl RecordBatchReader for Exported {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
