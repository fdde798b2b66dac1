//! Publishing: the rows of a section, held until all have come, and what is made of them in the order of their locs.

use std::path::PathBuf;

use arrow_array::RecordBatchReader;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::write::store::lastmods;
use urlset_core::write::store::manifest::ManifestRows;
use urlset_core::write::store::plan::{self, PlannedDocuments, PlannedShard};
use urlset_core::write::store::{self, Rendered, manifest_rows, rendered_rows};
use urlset_engine::spill_store::{Runs, SpillStore};

use crate::publish::{Documents, Layout, failed};
use crate::table::{schema_capsule, stream_capsule};

/// Holds the rendered rows of a section; see `urlset_engine::spill_store`. It takes rows until it is first read.
#[pyclass]
pub struct RowStore {
    pub rows: SpillStore<Rendered>,
    /// The names of the texts that rows have beyond those of an entry.
    extras: Vec<String>,
}

impl RowStore {
    /// The store of rows that have no such texts.
    pub fn of(rows: SpillStore<Rendered>) -> RowStore {
        RowStore { rows, extras: Vec::new() }
    }

    /// The store that takes rows.
    pub fn filling(&mut self) -> PyResult<&mut store::RowStore<Rendered>> {
        self.rows.filling().ok_or_else(|| PyValueError::new_err("a store that was read takes no more rows"))
    }

    /// All rows, sorted.
    pub fn read(&mut self, py: Python<'_>) -> PyResult<&Runs<Rendered>> {
        Ok(py.detach(|| self.rows.read())?)
    }
}

#[pymethods]
impl RowStore {
    #[new]
    fn new(extras: Vec<String>) -> RowStore {
        RowStore { rows: SpillStore::default(), extras }
    }

    /// How many rows were added.
    fn __len__(&self) -> usize {
        self.rows.facts().rows as usize
    }

    /// Bytes of memory that all rows would take.
    #[getter]
    fn bytes(&self) -> u64 {
        self.rows.facts().bytes
    }

    /// Bytes of memory that those rows take which are not in a file, before they are read.
    #[getter]
    fn size(&self) -> usize {
        self.rows.size()
    }

    /// Whether any row has an extra.
    #[getter]
    fn has_extras(&self) -> bool {
        self.rows.facts().has_extras
    }

    /// The namespaces that the rows use, one bit each.
    #[getter]
    fn namespaces(&self) -> u8 {
        self.rows.facts().namespaces.0
    }

    /// Write the rows in memory to a new file, which has to stay there while the store is used. Rows that may never be read
    /// are not sorted yet.
    fn spill(&mut self, py: Python<'_>, path: PathBuf, may_be_unread: bool) -> PyResult<()> {
        self.filling()?;
        Ok(py.detach(|| self.rows.spill(path, may_be_unread))?)
    }

    /// Take no more rows, and sort them. Every method that reads them does it first.
    fn sort(&mut self, py: Python<'_>) -> PyResult<()> {
        self.read(py).map(|_| ())
    }

    /// Whether two rows have the same loc, or may have it, written in another way.
    fn may_repeat_loc(&mut self, py: Python<'_>) -> PyResult<bool> {
        if self.rows.facts().has_unnormalized {
            return Ok(true);
        }
        let runs = self.read(py)?;
        py.detach(|| plan::has_repeated_loc(runs.sorted()?)).map_err(failed)
    }

    /// Plan the set of these rows, of which nothing was known before. Returns None if `may_repeat_loc`.
    fn plan(&mut self, py: Python<'_>, most_entries: u64, layout: Layout, later: i64) -> PyResult<Option<NewSet>> {
        let (layout, facts) = (layout.into_core(), self.rows.facts().clone());
        let mut rows = self.read(py)?.sorted()?;
        let found = py.detach(|| plan::plan(&mut rows, &facts, most_entries, &layout, later));
        let Some(plan) = found.map_err(failed)? else { return Ok(None) };
        let shards = plan.shards.iter().map(|shard| (shard.rows, shard.bytes)).collect();
        Ok(Some(NewSet { shards, lastmods: Py::new(py, Lastmods::from(plan.lastmods))? }))
    }

    /// Return the documents of a planned set. `shards` has the number of each, how many rows it has, and whether its document
    /// is made, in the order of the rows.
    fn documents(&mut self, py: Python<'_>, shards: Vec<(u32, u64, bool)>, layout: Layout) -> PyResult<Documents> {
        let planned = |(number, rows, is_wanted)| PlannedShard { number, rows, is_wanted };
        let shards = shards.into_iter().map(planned).collect();
        Ok(Documents::of(PlannedDocuments::new(self.read(py)?.sorted()?, shards, layout.into_core())))
    }

    /// Return all that was rendered of the rows, as a table.
    fn rendered(&mut self, py: Python<'_>) -> PyResult<StoredRows> {
        let extras = self.extras.clone();
        Ok(StoredRows { runs: self.read(py)?.clone(), content: TableContent::Rendered(extras) })
    }

    /// Return the rows of a manifest, as a table. `shards` has the name and the number of rows of each, and `now` is the
    /// moment of the publish, in microseconds since the epoch.
    fn manifest_rows(
        &mut self,
        py: Python<'_>,
        section: String,
        shards: Vec<(String, u64)>,
        now: i64,
    ) -> PyResult<StoredRows> {
        let said = ManifestRows { section, shards, now };
        Ok(StoredRows { runs: self.read(py)?.clone(), content: TableContent::Manifest(said) })
    }
}

/// A set of which nothing was known before: the rows and bytes of its shards.
#[pyclass(frozen, get_all)]
pub struct NewSet {
    shards: Vec<(u64, u64)>,
    lastmods: Py<Lastmods>,
}

/// The lastmods of a set; see `urlset_core::write::store::lastmods`.
#[pyclass(frozen, get_all)]
pub struct Lastmods {
    /// How many rows have a lastmod.
    dated: u64,
    /// The latest lastmod, in microseconds since the epoch.
    latest: Option<i64>,
    /// How many lastmods are later than the moment that was asked about, and the first loc of these.
    later: u64,
    example: Option<String>,
    /// A lastmod that more than half of the rows may have, and how many do.
    commonest: Option<(String, u64)>,
}

impl From<lastmods::Lastmods> for Lastmods {
    fn from(found: lastmods::Lastmods) -> Lastmods {
        let lastmods::Lastmods { dated, latest, later, example, commonest } = found;
        Lastmods { dated, latest, later, example, commonest }
    }
}

/// The rows of a store as a table, which can be read more than once.
#[pyclass(frozen)]
pub struct StoredRows {
    runs: Runs<Rendered>,
    content: TableContent,
}

/// What a table of stored rows says.
enum TableContent {
    /// All that was rendered, and further texts by these names.
    Rendered(Vec<String>),
    /// What a manifest says.
    Manifest(ManifestRows),
}

impl StoredRows {
    /// Read all rows, from the first.
    pub fn reader(&self) -> PyResult<Box<dyn RecordBatchReader + Send>> {
        let rows = self.runs.sorted()?;
        Ok(match &self.content {
            TableContent::Rendered(extras) => Box::new(rendered_rows(rows, extras)),
            TableContent::Manifest(said) => Box::new(manifest_rows(rows, said.clone())),
        })
    }
}

#[pymethods]
impl StoredRows {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        stream_capsule(py, self.reader()?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.reader()?.schema())
    }
}
