//! Publishing: rendered rows packed into shards, and put together to documents.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Mutex, PoisonError};

use arrow_array::ffi_stream::RecordBatchStreamReader;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;
use urlset_core::write::TableError;
use urlset_core::write::assemble;
use urlset_core::write::layout::{self, NamespacesUsed};
use urlset_core::write::pack;
use urlset_core::write::store::plan::PlannedDocuments;

use crate::interpreter;
use crate::lent::view;
use crate::table::table_reader;

pub fn failed(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A file that fails is an OSError, a table that fails is a ValueError.
pub fn raised(error: TableError) -> PyErr {
    match error {
        TableError::Io(error) => interpreter::raised(error),
        error => failed(error),
    }
}

/// How documents are laid out. It is made from the attributes of `urlset.Layout`.
#[derive(FromPyObject)]
pub struct Layout {
    pretty: bool,
    href: Option<String>,
}

impl Layout {
    pub fn into_core(self) -> layout::Layout {
        layout::Layout { is_pretty: self.pretty, stylesheet: self.href }
    }
}

/// A document of a set: the number of its shard, its XML, and how many entries it has.
#[pyclass(frozen, get_all)]
pub struct ShardDocument {
    shard: u32,
    xml: Py<PyMemoryView>,
    entries: u64,
}

/// Where the documents of a set come from.
trait Source: Send {
    fn next_document(&mut self) -> Result<Option<assemble::ShardDocument>, TableError>;
}

impl Source for assemble::AssignedDocuments<RecordBatchStreamReader> {
    fn next_document(&mut self) -> Result<Option<assemble::ShardDocument>, TableError> {
        assemble::AssignedDocuments::next_document(self)
    }
}

impl<R: Read + Send> Source for PlannedDocuments<R> {
    fn next_document(&mut self) -> Result<Option<assemble::ShardDocument>, TableError> {
        PlannedDocuments::next_document(self)
    }
}

/// Puts documents together, from a table of assigned rows or from a store; see `urlset_core::write::assemble`.
#[pyclass]
pub struct Documents(Mutex<Box<dyn Source>>);

impl Documents {
    pub fn of<R: Read + Send + 'static>(documents: PlannedDocuments<R>) -> Documents {
        Documents(Mutex::new(Box::new(documents)))
    }
}

#[pymethods]
impl Documents {
    #[new]
    fn new(table: &Bound<'_, PyAny>, layout: Layout) -> PyResult<Self> {
        let reader = table_reader(table)?.map_err(failed)?;
        Ok(Documents(Mutex::new(Box::new(assemble::AssignedDocuments::new(reader, layout.into_core())))))
    }

    /// Return the next document; None at the end.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<ShardDocument>> {
        let documents = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let found = py.detach(|| documents.next_document()).map_err(failed)?;
        let Some(assemble::ShardDocument { shard, xml, entries }) = found else { return Ok(None) };
        Ok(Some(ShardDocument { shard, xml: view(py, xml)?, entries }))
    }
}

/// What a shard holds: its entries, those with an article, their bytes, and the namespaces that they use, one bit each.
#[pyclass(frozen, from_py_object)]
#[derive(Clone, Copy)]
pub struct ShardContent(pack::ShardContent);

#[pymethods]
impl ShardContent {
    #[new]
    fn new(entries: u64, articles: u64, size: u64, namespaces: u8) -> ShardContent {
        ShardContent(pack::ShardContent { entries, articles, bytes: size, namespaces: NamespacesUsed(namespaces) })
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
pub fn pack_shards(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    most_entries: u64,
    begun: HashMap<u32, ShardContent>,
    layout: Layout,
) -> PyResult<Vec<PackedShard>> {
    let reader = table_reader(table)?.map_err(failed)?;
    let begun = begun.into_iter().map(|(series, content)| (series, content.0)).collect();
    let layout = layout.into_core();
    let shards = py.detach(|| pack::pack(reader, most_entries, &begun, &layout)).map_err(failed)?;
    let packed = |pack::PackedShard { series, is_begun, rows }| PackedShard { series, is_begun, rows };
    Ok(shards.into_iter().map(packed).collect())
}
