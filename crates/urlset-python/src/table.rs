//! Arrow tables in and out: batches in memory, and the PyCapsules by which tables are handed over.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};
use urlset_core::json_lines;
use urlset_core::table::{self, Batch};

use crate::objects;

/// Take the stream of anything with `__arrow_c_stream__`. The inner error is the stream's own.
pub fn table_reader(table: &Bound<'_, PyAny>) -> PyResult<Result<RecordBatchStreamReader, ArrowError>> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: the Arrow PyCapsule interface says that a capsule of this name, which was just checked, points to
    // an ArrowArrayStream; from_raw moves it out and leaves a released one behind for the capsule's destructor.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    Ok(RecordBatchStreamReader::try_new(stream))
}

/// Return a stream as the capsule of the Arrow PyCapsule interface.
pub fn stream_capsule<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

pub fn schema_capsule<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema =
        FFI_ArrowSchema::try_from(schema.as_ref()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// The schema of the table, or of the columns named; an unknown name is an InputError.
pub fn project(py: Python<'_>, columns: Option<&[String]>) -> PyResult<SchemaRef> {
    match columns {
        None => Ok(table::schema()),
        Some(columns) => table::projection(columns).map_err(|name| {
            let known =
                table::schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>().join(", ");
            crate::interpreter::input_error(py, &format!("there is no column {name:?}; the columns are {known}"))
        }),
    }
}

/// The schema capsule of the table, or of some of its columns.
#[pyfunction]
#[pyo3(signature = (columns=None))]
pub fn schema<'py>(py: Python<'py>, columns: Option<Vec<String>>) -> PyResult<Bound<'py, PyCapsule>> {
    schema_capsule(py, &project(py, columns.as_deref())?)
}

/// The names of the table's columns, in order.
#[pyfunction]
pub fn columns() -> Vec<String> {
    table::schema().fields().iter().map(|field| field.name().clone()).collect()
}

/// Rows in memory, immutable and shared.
#[pyclass(frozen)]
pub struct Batches {
    schema: SchemaRef,
    batches: Arc<[Batch]>,
    rows: usize,
}

impl Batches {
    pub fn new(schema: SchemaRef, batches: Vec<Batch>) -> Self {
        let rows = batches.iter().map(|batch| batch.record.num_rows()).sum();
        Batches { schema, batches: batches.into(), rows }
    }

    /// Rows of any other table.
    pub fn of(record: RecordBatch) -> Self {
        Batches::new(record.schema(), vec![Batch { record, sitemaps: [].into() }])
    }
}

#[pymethods]
impl Batches {
    /// All rows of `parts`, which have one schema, without copying them.
    #[staticmethod]
    fn concat(py: Python<'_>, parts: Vec<Py<Batches>>, columns: Option<Vec<String>>) -> PyResult<Self> {
        let schema = project(py, columns.as_deref())?;
        Ok(Batches::new(schema, parts.iter().flat_map(|part| part.get().batches.iter().cloned()).collect()))
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    /// Rows from `start` to `stop`, without copying them.
    fn slice(&self, start: usize, stop: usize) -> Self {
        let mut at = 0;
        let mut kept = Vec::new();
        for batch in self.batches.iter() {
            let rows = batch.record.num_rows();
            let (from, to) = (start.clamp(at, at + rows) - at, stop.clamp(at, at + rows) - at);
            if from < to {
                let sitemaps = batch.sitemaps.get(from..to).unwrap_or_default().into();
                kept.push(Batch { record: batch.record.slice(from, to - from), sitemaps });
            }
            at += rows;
        }
        Batches::new(self.schema.clone(), kept)
    }

    /// The locs and the hrefs of links that are not in their normal form, as `written` and `normal`.
    fn normal_forms(&self, py: Python<'_>) -> Self {
        let whole = |record| Batch { record, sitemaps: [].into() };
        let forms = || self.batches.iter().map(|batch| whole(table::normal_forms(&batch.record))).collect();
        Batches::new(table::forms_schema(), py.detach(forms))
    }

    /// The rows as UrlEntry and SitemapEntry objects.
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for batch in self.batches.iter() {
            objects::append(py, batch, &list)?;
        }
        Ok(list)
    }

    /// Whether any row is a `<sitemap>` entry.
    #[getter]
    fn has_sitemaps(&self) -> bool {
        self.batches.iter().any(|batch| batch.sitemaps.contains(&true))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore the request: the consumer casts.
        let _ = requested_schema;
        let records: Vec<_> = self.batches.iter().map(|batch| Ok(batch.record.clone())).collect();
        stream_capsule(py, Box::new(RecordBatchIterator::new(records, self.schema.clone())))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }
}

/// The rows of a table as JSON Lines, some lines at a time.
#[pyclass(frozen)]
pub struct JsonLines {
    reader: Mutex<RecordBatchStreamReader>,
    /// Which columns are wanted, in order; all if None.
    wanted: Option<Vec<usize>>,
}

#[pymethods]
impl JsonLines {
    /// The rows of anything with `__arrow_c_stream__`, with the columns of these names; all if None.
    #[new]
    fn new(table: &Bound<'_, PyAny>, columns: Option<Vec<String>>) -> PyResult<Self> {
        let reader = table_reader(table)?.map_err(unreadable)?;
        let schema = reader.schema();
        let found = columns.map(|names| names.iter().map(|name| schema.index_of(name)).collect::<Result<_, _>>());
        let wanted = found.transpose().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(JsonLines { reader: Mutex::new(reader), wanted })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let written = py.detach(|| -> Result<_, ArrowError> {
            let Some(batch) = self.reader.lock().unwrap_or_else(PoisonError::into_inner).next().transpose()? else {
                return Ok(None);
            };
            let mut out = String::new();
            match &self.wanted {
                None => json_lines::write(&batch, &mut out)?,
                Some(wanted) => json_lines::write(&batch.project(wanted)?, &mut out)?,
            }
            Ok(Some(out))
        });
        Ok(written.map_err(unreadable)?.map(|out| PyBytes::new(py, out.as_bytes())))
    }
}

/// An error of a table, whose text is all that is left of what its producer raised.
fn unreadable(error: ArrowError) -> PyErr {
    PyOSError::new_err(match error {
        ArrowError::CDataInterface(text) => text,
        other => other.to_string(),
    })
}
