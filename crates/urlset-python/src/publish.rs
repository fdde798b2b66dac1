//! Publishing: rows made ready, documents put together, and where one ends and the next begins.

use std::sync::{Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StringArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use urlset_core::value::hreflang;
use urlset_core::write::assemble::{Assembler, Cutter, Layout, Placed};
use urlset_core::write::layout::Uses;
use urlset_core::write::prepare;

use crate::input_error;
use crate::rows::Rows;
use crate::table::{schema_capsule, stream_capsule};
use crate::write::{PAUSE, RefusalTuple};

/// Prepared rows in memory.
#[pyclass(frozen)]
pub struct Prepared(RecordBatch);

#[pymethods]
impl Prepared {
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let reader = RecordBatchIterator::new(vec![Ok(self.0.clone())], self.0.schema());
        stream_capsule(py, Box::new(reader))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }
}

/// Makes rows ready for a set; see `urlset_core::write::prepare`.
#[pyclass]
pub struct Preparer(prepare::Preparer);

#[pymethods]
impl Preparer {
    #[new]
    #[pyo3(signature = (base_url, scope, extras, is_pretty))]
    fn new(
        py: Python<'_>,
        base_url: &str,
        scope: Option<&str>,
        extras: Vec<String>,
        is_pretty: bool,
    ) -> PyResult<Self> {
        prepare::Preparer::new(base_url, scope, &extras, is_pretty).map(Preparer).ok_or_else(|| {
            input_error(py, &format!("{:?} is not an absolute http or https URL", scope.unwrap_or(base_url)))
        })
    }

    /// How many rows were made ready, and two sums of what they say, which are the same for any order of them.
    #[getter]
    fn fingerprint(&self) -> (u64, u64, u64) {
        let prepare::Fingerprint { rows, sums: [one, other] } = self.0.fingerprint();
        (rows, one, other)
    }

    /// Takes rows until the batch is full ("full"), the rows end ("end") or a while has passed ("more"), and tells of
    /// those that are refused.
    fn fill(&mut self, py: Python<'_>, rows: &mut Rows) -> PyResult<(&'static str, Vec<RefusalTuple>)> {
        let mut refused = Vec::new();
        for _ in 0..PAUSE {
            let index = rows.index();
            let preparer = &mut self.0;
            let pushed = rows.with_next(py, |row| {
                let refusal = preparer.push(index, row).err();
                (true, refusal.map(|refusal| ((!row.loc.is_empty()).then(|| row.loc.to_owned()), refusal)))
            })?;
            let Some(refusal) = pushed else { return Ok(("end", refused)) };
            if let Some((loc, refusal)) = refusal {
                refused.push((index, loc, refusal.rule.code, refusal.message));
            }
            if self.0.is_full() {
                return Ok(("full", refused));
            }
        }
        Ok(("more", refused))
    }

    /// The rows of the batch, which begins anew.
    fn take(&mut self) -> PyResult<Prepared> {
        self.0.take().map(Prepared).map_err(PyValueError::new_err)
    }
}

/// A stream of a table's batches, of which columns are taken by name.
struct Table {
    reader: RecordBatchStreamReader,
    batch: Option<RecordBatch>,
    at: usize,
}

impl Table {
    fn new(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsule = table.call_method0("__arrow_c_stream__")?;
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: the Arrow PyCapsule interface says that a capsule of this name, which was just checked, points to
        // an ArrowArrayStream; from_raw moves it out and leaves a released one behind for the capsule's destructor.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(failed)?;
        Ok(Table { reader, batch: None, at: 0 })
    }

    /// The batch that has the next row, if there is one.
    fn next(&mut self) -> Result<Option<(&RecordBatch, &mut usize)>, String> {
        while self.batch.as_ref().is_none_or(|batch| self.at == batch.num_rows()) {
            self.batch = match self.reader.next() {
                Some(batch) => Some(batch.map_err(|error| error.to_string())?),
                None => return Ok(None),
            };
            self.at = 0;
        }
        Ok(self.batch.as_ref().map(|batch| (batch, &mut self.at)))
    }
}

fn failed(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn column<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b dyn Array, String> {
    batch.column_by_name(name).map(AsRef::as_ref).ok_or_else(|| format!("there is no column {name:?}"))
}

fn numbers<T: arrow_array::ArrowPrimitiveType>(
    batch: &RecordBatch,
    name: &str,
) -> Result<arrow_array::PrimitiveArray<T>, String> {
    column(batch, name)?.as_primitive_opt::<T>().cloned().ok_or_else(|| format!("{name:?} is of another type"))
}

fn texts(batch: &RecordBatch, name: &str) -> Result<StringArray, String> {
    column(batch, name)?.as_string_opt::<i32>().cloned().ok_or_else(|| format!("{name:?} is no text"))
}

fn text(texts: &StringArray, at: usize) -> Option<&str> {
    texts.is_valid(at).then(|| texts.value(at))
}

/// Documents of a table of placed rows, which are in the order of their shards: columns shard UINTEGER, loc, lastmod,
/// tail, links, news VARCHAR and uses UTINYINT.
#[pyclass]
pub struct Documents {
    table: Mutex<Table>,
    assembler: Assembler,
}

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (table, is_pretty, stylesheet))]
    fn new(table: &Bound<'_, PyAny>, is_pretty: bool, stylesheet: Option<String>) -> PyResult<Self> {
        let assembler = Assembler::new(Layout { is_pretty, stylesheet });
        Ok(Documents { table: Mutex::new(Table::new(table)?), assembler })
    }

    /// The next document: its shard, its XML, its entries. None at the end.
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<(u32, Bound<'py, PyBytes>, u64)>> {
        let found = py.detach(|| self.assemble()).map_err(failed)?;
        Ok(found.map(|(shard, xml, entries)| (shard, PyBytes::new(py, &xml), entries)))
    }
}

impl Documents {
    fn assemble(&mut self) -> Result<Option<(u32, Vec<u8>, u64)>, String> {
        let table = self.table.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut current = None;
        while let Some((batch, at)) = table.next()? {
            let shards = numbers::<UInt32Type>(batch, "shard")?;
            let uses = numbers::<UInt8Type>(batch, "uses")?;
            let locs = texts(batch, "loc")?;
            let rest = ["lastmod", "tail", "links", "news"].map(|name| texts(batch, name));
            let [lastmods, tails, links, news] = rest;
            let (lastmods, tails, links, news) = (lastmods?, tails?, links?, news?);
            while *at < batch.num_rows() {
                let shard = shards.value(*at);
                if *current.get_or_insert(shard) != shard {
                    return Ok(self
                        .assembler
                        .finish()
                        .map(|done| (current.unwrap_or_default(), done.xml, done.entries)));
                }
                let row = *at;
                self.assembler.push(Placed {
                    loc: locs.value(row),
                    lastmod: text(&lastmods, row),
                    tail: text(&tails, row),
                    links: text(&links, row),
                    news: text(&news, row),
                    uses: Uses(uses.value(row)),
                });
                *at += 1;
            }
        }
        Ok(self.assembler.finish().map(|done| (current.unwrap_or_default(), done.xml, done.entries)))
    }
}

/// Where documents begin among the rows of a table in the order in which they are placed: columns series UINTEGER,
/// size UBIGINT and uses UTINYINT. A series is filled for itself, its first document from what `begun` says is in it
/// already, by series: entries, bytes, uses. Gives for each document, in order: the series, whether it was
/// begun before, and how many rows of the table go into it.
#[pyfunction]
#[pyo3(signature = (table, most_entries, begun, is_pretty, stylesheet))]
pub fn cut(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    most_entries: u64,
    begun: std::collections::HashMap<u32, (u64, u64, u8)>,
    is_pretty: bool,
    stylesheet: Option<String>,
) -> PyResult<Vec<(u32, bool, u64)>> {
    let mut table = Table::new(table)?;
    let mut cutter = Cutter::new(most_entries, &Layout { is_pretty, stylesheet });
    py.detach(|| {
        let mut documents: Vec<(u32, bool, u64)> = Vec::new();
        while let Some((batch, at)) = table.next()? {
            let series = numbers::<UInt32Type>(batch, "series")?;
            let sizes = numbers::<UInt64Type>(batch, "size")?;
            let uses = numbers::<UInt8Type>(batch, "uses")?;
            while *at < batch.num_rows() {
                let (of, size, uses) = (series.value(*at), sizes.value(*at), Uses(uses.value(*at)));
                if documents.last().is_none_or(|last| last.0 != of) {
                    let (entries, bytes, used) = begun.get(&of).copied().unwrap_or_default();
                    cutter.begin(entries, bytes, Uses(used));
                    documents.push((of, entries > 0, 0));
                }
                if cutter.push(size, uses) {
                    documents.push((of, false, 0));
                }
                if let Some(last) = documents.last_mut() {
                    last.2 += 1;
                }
                *at += 1;
            }
        }
        Ok(documents)
    })
    .map_err(|error: String| failed(error))
}

/// A hreflang code as it is usually written, or None where it is none. Source: Google Search Central, localized versions.
#[pyfunction]
pub fn usual_hreflang(code: &str) -> Option<String> {
    hreflang::parse(code).map(|(code, _)| code.usual())
}
