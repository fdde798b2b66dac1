//! Reading: the documents that Python names, in their order, into batches.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::table::Batch;
use urlset_engine::reading::{Document, Options, Outcome};
use urlset_engine::sampling::Drawing;
use urlset_engine::scan::{Documents, Scan, Waiting};

use crate::bounds::{Budget, Limits};
use crate::encoding::content_encoding;
use crate::filter::Filter;
use crate::input::origin;
use crate::interpreter::{Signals, attached, carried, raised};
use crate::report::DocumentReport;
use crate::sample::EntrySample;
use crate::table::{Batches, project, stream_capsule};

/// The documents of a scan on their way into a table.
///
/// `documents` is an object of Python. Its methods are called on the thread that takes the batches, and each may raise,
/// which ends the stream. They are `next_document()`, which returns an object with the `location`, the `source`, the
/// `content_encoding` of a document and whether it `skips_rows`, or None if another one has to be finished first;
/// `finished(document, report)`; and `failed(document, error, is_open)`, which takes what kept a document from being
/// opened, or from being read to its end. The last two are called in the order of the documents.
///
/// Up to `threads` documents are read at once, and `ahead` are asked for. With a `sample`, the rows are those that it
/// draws, once everything was read. A full batch has `batch_rows`.
#[pyclass(frozen)]
pub struct Stream {
    /// Empty once it was handed out as a capsule.
    scan: Mutex<Option<Scan<PythonDocuments>>>,
    schema: SchemaRef,
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (documents, columns, follow, budget, limits, *, batch_rows, threads=1, ahead=1, filter=None, sample=None))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn new(
        py: Python<'_>,
        documents: Py<PyAny>,
        columns: Option<Vec<String>>,
        follow: bool,
        budget: Option<Budget>,
        limits: Option<Limits>,
        batch_rows: usize,
        threads: usize,
        ahead: usize,
        filter: Option<&Filter>,
        sample: Option<&EntrySample>,
    ) -> PyResult<Self> {
        let schema = project(py, columns.as_deref())?;
        let drawing = sample.map(|sample| sample.draw(schema.clone()));
        let read = drawing.as_ref().map_or_else(|| schema.clone(), Drawing::columns_to_read);
        let (budget, limits) = (Budget::of(budget), limits.map(|limits| limits.to_core()));
        let filter = filter.map(Filter::to_core);
        let options = Options { schema: read, batch_rows, follow, budget, limits, filter };
        let scan = Scan::new(PythonDocuments(documents), options, drawing, (threads, ahead), Arc::new(Signals));
        Ok(Stream { scan: Mutex::new(Some(scan)), schema })
    }

    /// The next rows, or None when every document is done. Until a sample is complete, it is empty.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batches>> {
        let batches = py.detach(|| {
            let mut scan = self.scan.lock().unwrap_or_else(PoisonError::into_inner);
            scan.as_mut().ok_or_else(handed_out)?.next_batches().map_err(raised)
        })?;
        Ok(batches.map(|batches| Batches::new(self.schema.clone(), batches)))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore the request: the consumer casts.
        let _ = requested_schema;
        let scan = py.detach(|| self.scan.lock().unwrap_or_else(PoisonError::into_inner).take());
        let scan = Some(scan.ok_or_else(handed_out)?);
        stream_capsule(py, Box::new(Exported { schema: self.schema.clone(), ready: VecDeque::new(), scan }))
    }
}

fn handed_out() -> PyErr {
    PyRuntimeError::new_err("this stream was handed out already")
}

/// The object of Python that names the documents.
struct PythonDocuments(Py<PyAny>);

impl PythonDocuments {
    fn failed(&self, document: &Py<PyAny>, error: io::Error, is_open: bool) -> io::Result<()> {
        let error = raised(error);
        attached(|py| {
            let error = error.into_value(py);
            self.0.bind(py).call_method1("failed", (document, error, is_open)).map(|_| ())
        })
        .map_err(carried)
    }
}

impl Documents for PythonDocuments {
    type Name = Py<PyAny>;

    fn fill(&mut self, group: &mut Waiting<Py<PyAny>>) -> io::Result<bool> {
        attached(|py| {
            while !group.is_full() {
                let next = self.0.bind(py).call_method0("next_document")?;
                if next.is_none() {
                    return Ok(false);
                }
                let header: Option<String> = next.getattr("content_encoding")?.extract()?;
                let document = Document {
                    location: next.getattr("location")?.extract()?,
                    encoding: content_encoding(py, header.as_deref())?,
                    origin: origin(&next.getattr("source")?)?,
                    skips_rows: next.getattr("skips_rows")?.extract()?,
                };
                group.push(next.unbind(), document);
            }
            Ok(true)
        })
        .map_err(carried)
    }

    fn finished(&mut self, document: Py<PyAny>, outcome: Outcome) -> io::Result<()> {
        attached(|py| {
            let report = DocumentReport::new(py, outcome)?;
            self.0.bind(py).call_method1("finished", (document, report)).map(|_| ())
        })
        .map_err(carried)
    }

    fn not_opened(&mut self, document: Py<PyAny>, error: io::Error) -> io::Result<()> {
        self.failed(&document, error, false)
    }

    fn broken(&mut self, document: &Py<PyAny>, error: io::Error) -> io::Result<()> {
        self.failed(document, error, true)
    }
}

/// The stream on the other side of the capsule, where any thread may pull and no interpreter need be attached.
struct Exported {
    schema: SchemaRef,
    /// Batches that come next.
    ready: VecDeque<Batch>,
    /// Empty only while it is being dropped.
    scan: Option<Scan<PythonDocuments>>,
}

impl Drop for Exported {
    fn drop(&mut self) {
        let scan = self.scan.take();
        // SAFETY: may be called at any time.
        if unsafe { pyo3::ffi::Py_IsInitialized() } == 0 {
            // Whoever holds the stream has outlived the interpreter, and with it the objects to let go of.
            mem::forget(scan);
        } else {
            attached(|_| drop(scan));
        }
    }
}

impl Iterator for Exported {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let scan = self.scan.as_mut()?;
        while self.ready.is_empty() {
            match scan.next_batches() {
                Ok(batches) => self.ready.extend(batches?),
                Err(error) => {
                    scan.end();
                    // The consumer shows only a text: the error's own words have to be in it. The exception itself has
                    // to go while the interpreter is attached, or its frames outlive what the consumer shuts down
                    // after them.
                    return Some(Err(attached(|_| {
                        let text = raised(error).to_string();
                        ArrowError::ExternalError(text.into())
                    })));
                }
            }
        }
        self.ready.pop_front().map(|batch| Ok(batch.record))
    }
}

impl RecordBatchReader for Exported {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
