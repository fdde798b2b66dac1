//! Publishing: rows rendered, packed into shards, and put together to documents.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use urlset_core::write::assemble;
use urlset_core::write::layout::{Layout, NamespacesUsed};
use urlset_core::write::pack;
use urlset_core::write::render;
use urlset_core::write::render::fingerprint;

use crate::input_error;
use crate::rows::Rows;
use crate::table::{schema_capsule, stream_capsule, table_reader};
use crate::write::{FillStatus, Filled, PAUSE, Refusal};

/// Rendered rows in memory.
#[pyclass(frozen)]
pub struct RenderedRows(RecordBatch);

#[pymethods]
impl RenderedRows {
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// Bytes of memory that the rows take.
    #[getter]
    fn size(&self) -> usize {
        self.0.get_array_memory_size()
    }

    /// Whether two rows may have the same loc: they have the same hash.
    fn has_repeated_loc(&self) -> bool {
        render::has_repeated_loc(&self.0)
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

/// The number of rows, and two sums of their hashes.
#[pyclass(frozen, get_all)]
pub struct Fingerprint {
    rows: u64,
    sums: [u64; 2],
}

/// Renders rows for a set; see `urlset_core::write::render`.
#[pyclass]
pub struct Renderer(render::Renderer);

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (base_url, scope, extras, is_pretty, zone, drops_invalid))]
    fn new(
        py: Python<'_>,
        base_url: &str,
        scope: Option<&str>,
        extras: Vec<String>,
        is_pretty: bool,
        zone: Option<String>,
        drops_invalid: bool,
    ) -> PyResult<Self> {
        let renderer = render::Renderer::new(base_url, scope, &extras, is_pretty).ok_or_else(|| {
            input_error(py, &format!("{:?} is not an absolute http or https URL", scope.unwrap_or(base_url)))
        })?;
        Ok(Renderer(renderer.with_values(render::Values { zone, drops_invalid })))
    }

    /// Two sums over all rows that were rendered, which are the same for any order of the rows.
    #[getter]
    fn fingerprint(&self) -> Fingerprint {
        let fingerprint::Fingerprint { rows, sums } = self.0.fingerprint();
        Fingerprint { rows, sums }
    }

    /// How many locs were not given in the form in which they are written.
    #[getter]
    fn respelled(&self) -> u64 {
        self.0.respelled()
    }

    /// Take rows until the batch is full, the rows end, or many rows were taken.
    fn fill(&mut self, py: Python<'_>, rows: &mut Rows) -> PyResult<Filled> {
        let (mut refused, mut dropped) = (Vec::new(), Vec::new());
        for _ in 0..PAUSE {
            let index = rows.index();
            let renderer = &mut self.0;
            let pushed = rows.with_next(py, |row| {
                let of = |refusals: Vec<_>| refusals.into_iter().map(|one| Refusal::new(index, row, one)).collect();
                (true, renderer.push(index, row).map(of).map_err(|refusal| Refusal::new(index, row, refusal)))
            })?;
            match pushed {
                None => return Ok(Filled::new(FillStatus::End, refused, dropped)),
                Some(Err(refusal)) => refused.push(Py::new(py, refusal)?),
                Some(Ok(values)) => {
                    for value in Vec::<Refusal>::into_iter(values) {
                        dropped.push(Py::new(py, value)?);
                    }
                }
            }
            if self.0.is_full() {
                return Ok(Filled::new(FillStatus::Full, refused, dropped));
            }
        }
        Ok(Filled::new(FillStatus::More, refused, dropped))
    }

    /// Take the rows of the batch, which is empty afterwards.
    fn take(&mut self) -> PyResult<RenderedRows> {
        self.0.take().map(RenderedRows).map_err(failed)
    }
}

fn failed(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A document of a set: the number of its shard, its XML, and how many entries it has.
#[pyclass(frozen, get_all)]
pub struct ShardDocument {
    shard: u32,
    xml: Py<PyBytes>,
    entries: u64,
}

/// Puts documents together from a table of assigned rows; see `urlset_core::write::assemble`.
#[pyclass]
pub struct Documents(Mutex<assemble::Documents<RecordBatchStreamReader>>);

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (table, is_pretty, stylesheet))]
    fn new(table: &Bound<'_, PyAny>, is_pretty: bool, stylesheet: Option<String>) -> PyResult<Self> {
        let reader = table_reader(table)?.map_err(failed)?;
        Ok(Documents(Mutex::new(assemble::Documents::new(reader, Layout { is_pretty, stylesheet }))))
    }

    /// Return the next document; None at the end.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<ShardDocument>> {
        let documents = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let found = py.detach(|| documents.next_document()).map_err(failed)?;
        Ok(found.map(|assemble::ShardDocument { shard, document }| ShardDocument {
            shard,
            xml: PyBytes::new(py, &document.xml).unbind(),
            entries: document.entries,
        }))
    }
}

/// What a shard holds: its entries, their bytes, and the namespaces that they use, one bit each.
#[pyclass(frozen, from_py_object)]
#[derive(Clone, Copy)]
pub struct ShardContent(pack::ShardContent);

#[pymethods]
impl ShardContent {
    #[new]
    fn new(entries: u64, size: u64, namespaces: u8) -> ShardContent {
        ShardContent(pack::ShardContent { entries, bytes: size, namespaces: NamespacesUsed(namespaces) })
    }
}

/// A run of rows that go into one shard of a series, which may have had content before.
#[pyclass(frozen, get_all)]
pub struct PackedShard {
    series: u32,
    is_begun: bool,
    rows: u64,
}

/// Pack the rows of a table into shards; see `urlset_core::write::pack`. `begun` has the content of the shard with which a
/// series begins. Returns the shards in order.
#[pyfunction(name = "pack")]
#[pyo3(signature = (table, most_entries, begun, is_pretty, stylesheet))]
pub fn pack_shards(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    most_entries: u64,
    begun: HashMap<u32, ShardContent>,
    is_pretty: bool,
    stylesheet: Option<String>,
) -> PyResult<Vec<PackedShard>> {
    let reader = table_reader(table)?.map_err(failed)?;
    let begun = begun.into_iter().map(|(series, content)| (series, content.0)).collect();
    let layout = Layout { is_pretty, stylesheet };
    let shards = py.detach(|| pack::pack(reader, most_entries, &begun, &layout)).map_err(failed)?;
    let packed = |pack::PackedShard { series, is_begun, rows }| PackedShard { series, is_begun, rows };
    Ok(shards.into_iter().map(packed).collect())
}
