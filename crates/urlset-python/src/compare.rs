//! Publishing: the rows of a section, compared with what is known of the set in force.

use std::io;
use std::path::PathBuf;

use arrow_array::RecordBatchReader;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use urlset_core::write::TableError;
use urlset_core::write::layout::Layout;
use urlset_core::write::store::Rendered;
use urlset_core::write::store::compare::{self, Comparison, Fate, KeptShard};
use urlset_core::write::store::known::KnownLocs;

use crate::publish::failed;
use crate::store::{Lastmods, RowStore};
use crate::table::table_reader;

/// How many bytes of the rows of a store are held in memory, and the function that returns the path of a file for more.
struct Memory {
    most: usize,
    new_file: Py<PyAny>,
}

impl Memory {
    fn push(&self, store: &mut RowStore, row: &Rendered<'_>) -> io::Result<()> {
        if store.push(row) <= self.most {
            return Ok(());
        }
        let path = Python::attach(|py| self.new_file.call0(py)?.extract::<PathBuf>(py));
        store.spill_to(path.map_err(io::Error::other)?)
    }

    /// Hold all known locs of a table; None if no publish has written one of them.
    fn hold(&self, mut known: KnownLocs<impl RecordBatchReader>) -> Result<Option<RowStore>, TableError> {
        let mut store = RowStore::default();
        while let Some(loc) = known.next_loc()? {
            let Some(row) = loc.as_row() else { return Ok(None) };
            self.push(&mut store, &row)?;
        }
        Ok(Some(store))
    }
}

/// Rows by what becomes of them.
struct Judged {
    kept: RowStore,
    new: RowStore,
    gone: RowStore,
    memory: Memory,
}

impl Judged {
    fn push(&mut self, fate: Fate, row: &Rendered<'_>) -> io::Result<()> {
        let store = match fate {
            Fate::Kept => &mut self.kept,
            Fate::New => &mut self.new,
            Fate::Gone => &mut self.gone,
        };
        self.memory.push(store, row)
    }
}

/// Compare the rows of a store with a table of what is known of a set in force, in any order, which has so many shards; see
/// `urlset_core::write::store::compare`. Of those that are known, are kept, are new and are gone, `most` bytes each are held
/// in memory, and what is more goes into files, for which `new_file` returns paths. Returns None if a loc is there twice, or if no publish
/// has written what is known.
#[pyfunction]
#[pyo3(signature = (rows, known, shards, is_pretty, stylesheet, later, most, new_file))]
#[expect(clippy::too_many_arguments)]
pub fn compare_rows(
    py: Python<'_>,
    rows: &mut RowStore,
    known: &Bound<'_, PyAny>,
    shards: usize,
    is_pretty: bool,
    stylesheet: Option<String>,
    later: i64,
    most: usize,
    new_file: Py<PyAny>,
) -> PyResult<Option<Compared>> {
    let memory = Memory { most, new_file };
    let known = KnownLocs::new(table_reader(known)?.map_err(failed)?);
    let Some(mut known) = py.detach(|| memory.hold(known)).map_err(raised)? else { return Ok(None) };
    let known = known.read(py)?.sorted()?;
    let (sorted, layout) = (rows.read(py)?.sorted()?, Layout { is_pretty, stylesheet });
    let store = RowStore::default;
    let mut judged = Judged { kept: store(), new: store(), gone: store(), memory };
    let push = |fate, row: &Rendered<'_>| judged.push(fate, row);
    let found = py.detach(|| compare::compare(sorted, rows.facts(), known, shards, &layout, later, push));
    let Some(comparison) = found.map_err(raised)? else { return Ok(None) };
    Ok(Some(Compared { comparison, judged, layout }))
}

/// A file that fails is an OSError, a table that fails is a ValueError.
fn raised(error: TableError) -> PyErr {
    match error {
        TableError::Io(error) => error.into(),
        error => failed(error),
    }
}

/// The rows of a set, compared with what was known of it.
#[pyclass]
pub struct Compared {
    comparison: Comparison,
    judged: Judged,
    layout: Layout,
}

#[pymethods]
impl Compared {
    /// The shards in force by their numbers: how many rows stay in each, how many of these have an article, their bytes, how
    /// many of them say something else now, and how many rows of it are gone.
    #[getter]
    fn shards(&self) -> Vec<(u64, u64, u64, u64, u64)> {
        let shards = self.comparison.shards.iter();
        let of = |shard: &KeptShard| {
            let content = shard.content;
            (content.entries, content.articles, content.bytes, shard.changed, shard.lost)
        };
        shards.map(of).collect()
    }

    #[getter]
    fn lastmods(&self) -> Lastmods {
        self.comparison.lastmods.clone().into()
    }

    /// Whether a manifest learns something that no entry shows.
    #[getter]
    fn is_learned(&self) -> bool {
        self.comparison.is_learned
    }

    /// Fill shards with the new rows, once: at first the shard in force of that number, if there is one, and then new ones,
    /// which are numbered from `first_new`.
    #[pyo3(signature = (begun, first_new, most_entries))]
    fn fill(
        &mut self,
        py: Python<'_>,
        begun: Option<u32>,
        first_new: u32,
        most_entries: u64,
    ) -> PyResult<AssignedRows> {
        let Compared { comparison, judged, layout } = self;
        let content = |number| {
            let shard = comparison.shards.get(number as usize).map(|shard| (number, shard.content));
            shard.ok_or_else(|| PyValueError::new_err("no shard has that number"))
        };
        let begun = begun.map(content).transpose()?;
        let new = std::mem::take(&mut judged.new).read(py)?.sorted()?;
        let push = |row: &Rendered<'_>| judged.push(Fate::Kept, row);
        let filled = py.detach(|| compare::fill(new, begun, first_new, most_entries, layout, push)).map_err(raised)?;
        Ok(AssignedRows {
            shards: filled.iter().map(|shard| (shard.number, shard.rows, shard.bytes)).collect(),
            rows: Py::new(py, std::mem::take(&mut judged.kept))?,
            gone: Py::new(py, std::mem::take(&mut judged.gone))?,
        })
    }
}

/// Rows in the order of their shards.
#[pyclass(frozen, get_all)]
pub struct AssignedRows {
    /// The shards that were filled with new rows: the number of each, and how many rows it got, of how many bytes.
    shards: Vec<(u32, u64, u64)>,
    rows: Py<RowStore>,
    /// The locs that are known and not in the set any more.
    gone: Py<RowStore>,
}
