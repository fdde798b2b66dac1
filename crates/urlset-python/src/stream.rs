//! Reading: one document after the other, as Python names them, into batches.

use std::sync::{Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::decode::Decoder;
use urlset_core::limits::Budget;
use urlset_core::read::Reader;
use urlset_core::table::{Batch, Table};

use crate::input::Input;
use crate::report;
use crate::table::{Batches, project, stream_capsule};

/// The documents of a scan on their way into a table. `documents` has `next_document()`, which gives a location and a
/// source or None, and `finished(report)`, which is told how each went and may raise to end it all.
#[pyclass(frozen)]
pub struct Stream {
    /// Empty once it was handed out as a capsule.
    reading: Mutex<Option<Reading>>,
    schema: SchemaRef,
}

struct Reading {
    documents: Py<PyAny>,
    schema: SchemaRef,
    table: Table,
    current: Option<Current>,
    ended: bool,
}

struct Current {
    input: Input,
    decoder: Decoder,
    reader: Reader,
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (documents, columns, follow))]
    fn new(py: Python<'_>, documents: Py<PyAny>, columns: Option<Vec<String>>, follow: bool) -> PyResult<Self> {
        let schema = project(py, columns.as_deref())?;
        let table = Table::new(schema.clone(), follow);
        let reading = Reading { documents, schema: schema.clone(), table, current: None, ended: false };
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
        stream_capsule(py, Box::new(Exported(reading.ok_or_else(handed_out)?)))
    }
}

fn handed_out() -> PyErr {
    PyRuntimeError::new_err("this stream was handed out already")
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
            let Current { input, decoder, reader } = current;
            let table = &mut self.table;
            let more = input.next(|piece| decoder.feed(piece, reader, table))?;
            if !more || reader.fault().is_some() {
                self.close()?;
            }
        }
    }

    /// Asks for the next document; false when there is none.
    fn open(&mut self) -> PyResult<bool> {
        let next = Python::attach(|py| {
            let next = self.documents.bind(py).call_method0("next_document")?;
            if next.is_none() {
                return Ok(None);
            }
            let (location, source): (Option<String>, Bound<'_, PyAny>) = next.extract()?;
            PyResult::Ok(Some((location, Input::new(&source)?)))
        })?;
        let Some((location, input)) = next else {
            return Ok(false);
        };
        self.table.begin_document(location.as_deref());
        self.current = Some(Current { input, decoder: Decoder::default(), reader: Reader::new(Budget::DEFAULT) });
        Ok(true)
    }

    fn close(&mut self) -> PyResult<()> {
        if let Some(Current { mut decoder, mut reader, .. }) = self.current.take() {
            decoder.finish(&mut reader, &mut self.table);
            let (entries, children) = self.table.end_document();
            Python::attach(|py| {
                let report = report::document(py, &reader, &decoder, entries, children)?;
                self.documents.bind(py).call_method1("finished", (report,)).map(|_| ())
            })?;
        }
        Ok(())
    }
}

/// The stream on the other side of the capsule, where any thread may pull and no interpreter need be attached.
struct Exported(Reading);

impl Iterator for Exported {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.0.next().map_err(|error| {
            self.0.ended = true;
            // The consumer shows only a text: the error's own words have to be in it. The exception itself has to go
            // while the interpreter is attached, or its frames outlive what the consumer shuts down after them.
            Python::attach(|_| {
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
        self.0.schema.clone()
    }
}
