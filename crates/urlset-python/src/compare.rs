//! Publishing: the rows of a section, compared with what is known of the set in force.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use urlset_core::write::layout;
use urlset_core::write::store::RenderedRow;
use urlset_core::write::store::compare::{self, Comparison, KeptShard, RowChange};
use urlset_core::write::store::previous::{PreviousLocs, PreviousSet};
use urlset_engine::manifest::Files;
use urlset_engine::partition::{Memory, Partition};

use crate::interpreter::carried;
use crate::publish::{Layout, raised};
use crate::store::{Lastmods, RowStore};

/// Compare the rows of a store with what the manifest in force says of their locs; see `urlset_core::write::store::compare`.
/// It is in these files, and has to be of one section and of shards with these names. Of those that are previous, are kept,
/// are new and are gone, `most` bytes each are held in memory, and what is more goes into files, for which `new_file` returns
/// paths. Returns None if a loc is there twice, or if a previous loc may be there in another spelling; raises ValueError if no
/// publish has written the files.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn compare_rows(
    py: Python<'_>,
    rows: &mut RowStore,
    files: Vec<PathBuf>,
    section: String,
    shards: Vec<String>,
    layout: Layout,
    later: i64,
    most: usize,
    new_file: Py<PyAny>,
) -> PyResult<Option<Compared>> {
    let new_file = move || Python::attach(|py| new_file.call0(py)?.extract::<PathBuf>(py)).map_err(carried);
    let memory = Memory { most, new_file: Box::new(new_file) };
    let count = shards.len();
    let previous = PreviousLocs::new(Files::new(files), PreviousSet { section, shards });
    let mut previous = py.detach(|| memory.hold(previous)).map_err(raised)?;
    let previous = py.detach(|| previous.read()?.sorted())?;
    let (sorted, layout) = (rows.read(py)?.sorted()?, layout.into_core());
    let mut partition = Partition::new(memory);
    let push = |change, row: &RenderedRow<'_>| partition.push(change, row);
    let found = py.detach(|| compare::compare(sorted, rows.rows.facts(), previous, count, &layout, later, push));
    let Some(comparison) = found.map_err(raised)? else { return Ok(None) };
    if py.detach(|| partition.may_be_respelled())? {
        return Ok(None);
    }
    Ok(Some(Compared { comparison, partition, layout }))
}

/// The rows of a set, compared with what was known of it.
#[pyclass]
pub struct Compared {
    comparison: Comparison,
    partition: Partition,
    layout: layout::Layout,
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

    /// Whether the next manifest says something else, although no entry shows it.
    #[getter]
    fn manifest_differs(&self) -> bool {
        self.comparison.manifest_differs
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
        let Compared { comparison, partition, layout } = self;
        let content = |number| {
            let shard = comparison.shards.get(number as usize).map(|shard| (number, shard.content));
            shard.ok_or_else(|| PyValueError::new_err("no shard has that number"))
        };
        let begun = begun.map(content).transpose()?;
        let new = py.detach(|| std::mem::take(&mut partition.new).read()?.sorted())?;
        let push = |row: &RenderedRow<'_>| partition.push(RowChange::Kept, row);
        let filled = py.detach(|| compare::fill(new, begun, first_new, most_entries, layout, push)).map_err(raised)?;
        Ok(AssignedRows {
            shards: filled.iter().map(|shard| (shard.number, shard.rows, shard.bytes)).collect(),
            rows: Py::new(py, RowStore::of(std::mem::take(&mut partition.kept)))?,
            gone: Py::new(py, RowStore::of(std::mem::take(&mut partition.gone)))?,
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
