//! Publishing: the rows of a section, held until all have come, and what is made of them in the order of their locs.

use std::fs::{self, File};
use std::io::{self, BufWriter, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::write::layout::Layout;
use urlset_core::write::store::lastmods;
use urlset_core::write::store::plan::{self, PlannedDocuments, PlannedShard};
use urlset_core::write::store::{self, Facts, Rendered, SortedRows, known_as, rendered};

use crate::publish::{Documents, failed};
use crate::table::{schema_capsule, stream_capsule};

/// Runs that are read at once: a process may have about a thousand open files.
const MAX_RUNS: usize = 128;
/// Bytes of a run that are written at once.
const BUFFER: usize = 1 << 17;

/// Where a run is.
#[derive(Clone)]
enum Run {
    File(PathBuf),
    Memory(Shared),
}

/// Bytes that several readers read.
#[derive(Clone)]
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Rows that can be read in the order of their locs, more than once.
#[derive(Clone, Default)]
pub struct Runs {
    runs: Vec<Run>,
    extras: Vec<String>,
}

impl Runs {
    pub fn sorted(&self) -> io::Result<SortedRows<Box<dyn Read + Send>>> {
        let open = |run: &Run| -> io::Result<Box<dyn Read + Send>> {
            Ok(match run {
                Run::File(path) => Box::new(File::open(path)?),
                Run::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
            })
        };
        Ok(SortedRows::new(self.runs.iter().map(open).collect::<io::Result<Vec<_>>>()?, self.extras.len()))
    }

    /// Merge all runs into one.
    fn merge(&mut self, path: PathBuf) -> io::Result<()> {
        store::merge(self.sorted()?, create(&path)?)?;
        for run in std::mem::replace(&mut self.runs, vec![Run::File(path)]) {
            if let Run::File(path) = run {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// Holds the rendered rows of a section; see `urlset_core::write::store`. It takes rows until it is first read.
#[pyclass]
pub struct RowStore {
    store: store::RowStore,
    runs: Runs,
    /// Files of rows that are sorted when they are first read.
    unsorted: Vec<PathBuf>,
    is_read: bool,
}

impl Default for RowStore {
    fn default() -> RowStore {
        RowStore::new(Vec::new())
    }
}

impl RowStore {
    /// The store that takes rows.
    pub fn filling(&mut self) -> PyResult<&mut store::RowStore> {
        if self.is_read {
            return Err(PyValueError::new_err("a store that was read takes no more rows"));
        }
        Ok(&mut self.store)
    }

    /// All rows, sorted.
    pub fn read(&mut self, py: Python<'_>) -> PyResult<&Runs> {
        if !self.is_read {
            py.detach(|| self.end())?;
            self.is_read = true;
        }
        Ok(&self.runs)
    }

    /// What is known of all rows.
    pub fn facts(&self) -> &Facts {
        self.store.facts()
    }

    /// Add a row. Returns the bytes of memory that those rows take which are not in a file.
    pub fn push(&mut self, row: &Rendered<'_>) -> usize {
        self.store.push(row, &[]);
        self.store.size()
    }

    /// Make runs of all rows. After an error it fails again, on a file that is there already: no rows are ever left out.
    fn end(&mut self) -> io::Result<()> {
        // Rows that were spilled once are not held in memory beside their run.
        if self.store.size() > 0 && self.runs.runs.is_empty() && self.unsorted.is_empty() {
            let mut run = Vec::new();
            self.store.write_run(&mut run)?;
            self.runs.runs.push(Run::Memory(Shared(Arc::new(run))));
        } else if let Some(last) = self.last_file().filter(|_| self.store.size() > 0) {
            self.spill_to(last.with_extension("rest"))?;
        }
        self.store.shrink();
        for path in self.unsorted.clone() {
            let sorted = path.with_extension("sorted");
            store::sort_run(File::open(&path)?, self.runs.extras.len(), create(&sorted)?)?;
            fs::remove_file(path)?;
            self.add(sorted)?;
        }
        self.unsorted.clear();
        Ok(())
    }

    /// The file that was written last.
    fn last_file(&self) -> Option<PathBuf> {
        let run = self.runs.runs.iter().rev().find_map(|run| match run {
            Run::File(path) => Some(path),
            Run::Memory(_) => None,
        });
        self.unsorted.last().or(run).cloned()
    }

    /// Write the rows in memory to a new file.
    pub fn spill_to(&mut self, path: PathBuf) -> io::Result<()> {
        self.store.write_run(create(&path)?)?;
        self.add(path)
    }

    fn add(&mut self, path: PathBuf) -> io::Result<()> {
        let merged = path.with_extension("merged");
        self.runs.runs.push(Run::File(path));
        if self.runs.runs.len() == MAX_RUNS { self.runs.merge(merged) } else { Ok(()) }
    }
}

fn create(path: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(BUFFER, File::create_new(path)?))
}

#[pymethods]
impl RowStore {
    #[new]
    fn new(extras: Vec<String>) -> RowStore {
        let store = store::RowStore::new(extras.len());
        RowStore { store, runs: Runs { runs: Vec::new(), extras }, unsorted: Vec::new(), is_read: false }
    }

    /// How many rows were added.
    fn __len__(&self) -> usize {
        self.store.facts().rows as usize
    }

    /// Bytes of memory that all rows would take.
    #[getter]
    fn bytes(&self) -> u64 {
        self.store.facts().bytes
    }

    /// Bytes of memory that those rows take which are not in a file, before they are read.
    #[getter]
    fn size(&self) -> usize {
        self.store.size()
    }

    /// Whether any row has an extra.
    #[getter]
    fn has_extras(&self) -> bool {
        self.store.facts().has_extras
    }

    /// The namespaces that the rows use, one bit each.
    #[getter]
    fn namespaces(&self) -> u8 {
        self.store.facts().namespaces.0
    }

    /// Write the rows in memory to a new file, which has to stay there while the store is used. Rows that may never be read
    /// are not sorted yet.
    fn spill(&mut self, py: Python<'_>, path: PathBuf, may_be_unread: bool) -> PyResult<()> {
        self.filling()?;
        py.detach(|| {
            if !may_be_unread {
                return self.spill_to(path);
            }
            self.store.write_unsorted_run(create(&path)?)?;
            self.unsorted.push(path);
            Ok(())
        })?;
        Ok(())
    }

    /// Take no more rows, and sort them. Every method that reads them does it first.
    fn sort(&mut self, py: Python<'_>) -> PyResult<()> {
        self.read(py).map(|_| ())
    }

    /// Whether two rows have the same loc, or may have it, written in another way.
    fn may_repeat_loc(&mut self, py: Python<'_>) -> PyResult<bool> {
        if self.store.facts().has_unnormalized {
            return Ok(true);
        }
        let runs = self.read(py)?;
        py.detach(|| plan::has_repeated_loc(runs.sorted()?)).map_err(failed)
    }

    /// Plan the set of these rows, of which nothing was known before. Returns None if `may_repeat_loc`.
    #[pyo3(signature = (most_entries, is_pretty, stylesheet, later))]
    fn plan(
        &mut self,
        py: Python<'_>,
        most_entries: u64,
        is_pretty: bool,
        stylesheet: Option<String>,
        later: i64,
    ) -> PyResult<Option<NewSet>> {
        self.read(py)?;
        let (layout, facts) = (Layout { is_pretty, stylesheet }, self.store.facts());
        let found = py.detach(|| plan::plan(self.runs.sorted()?, facts, most_entries, &layout, later));
        let Some(plan) = found.map_err(failed)? else { return Ok(None) };
        let shards = plan.shards.iter().map(|shard| (shard.rows, shard.bytes)).collect();
        Ok(Some(NewSet { shards, lastmods: Py::new(py, Lastmods::from(plan.lastmods))? }))
    }

    /// Return the documents of a planned set. `shards` has the number of each, how many rows it has, and whether its document
    /// is made, in the order of the rows.
    #[pyo3(signature = (shards, is_pretty, stylesheet))]
    fn documents(
        &mut self,
        py: Python<'_>,
        shards: Vec<(u32, u64, bool)>,
        is_pretty: bool,
        stylesheet: Option<String>,
    ) -> PyResult<Documents> {
        let planned = |(number, rows, is_wanted)| PlannedShard { number, rows, is_wanted };
        let shards = shards.into_iter().map(planned).collect();
        Ok(Documents::of(PlannedDocuments::new(self.read(py)?.sorted()?, shards, Layout { is_pretty, stylesheet })))
    }

    /// Return all that was rendered of the rows, as a table.
    fn rendered(&mut self, py: Python<'_>) -> PyResult<StoredRows> {
        Ok(StoredRows { runs: self.read(py)?.clone(), shards: None })
    }

    /// Return what a manifest says of the rows, as a table. `shards` has the name and the number of rows of each.
    fn known_as(&mut self, py: Python<'_>, shards: Vec<(String, u64)>) -> PyResult<StoredRows> {
        Ok(StoredRows { runs: self.read(py)?.clone(), shards: Some(shards) })
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
    runs: Runs,
    shards: Option<Vec<(String, u64)>>,
}

impl StoredRows {
    fn reader(&self) -> PyResult<Box<dyn RecordBatchReader + Send>> {
        let rows = self.runs.sorted()?;
        Ok(match &self.shards {
            None => Box::new(rendered(rows, &self.runs.extras)),
            Some(shards) => Box::new(known_as(rows, shards.clone())),
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
