//! Rows by what becomes of them, each kind in a store of its own that spills to files.

use std::io;
use std::path::PathBuf;

use arrow_array::RecordBatchReader;
use urlset_core::write::TableError;
use urlset_core::write::store::compare::{self, RowChange};
use urlset_core::write::store::previous::PreviousLocs;
use urlset_core::write::store::{Previous, Rendered, RenderedRow, RowKind};

use crate::spill_store::SpillStore;

/// Returns the path of a new file.
pub type NewFile = dyn Fn() -> io::Result<PathBuf> + Send + Sync;

/// How many bytes of the rows of a store are held in memory, and where more of them go.
pub struct Memory {
    pub most: usize,
    pub new_file: Box<NewFile>,
}

impl Memory {
    fn push<K: RowKind>(&self, store: &mut SpillStore<K>, row: &K::Row<'_>) -> io::Result<()> {
        if store.push(row) <= self.most { Ok(()) } else { store.spill((self.new_file)()?, false) }
    }

    /// Hold all previous locs of a table.
    pub fn hold(&self, mut previous: PreviousLocs<impl RecordBatchReader>) -> Result<SpillStore<Previous>, TableError> {
        let mut store = SpillStore::default();
        while let Some(loc) = previous.next_loc()? {
            self.push(&mut store, &loc)?;
        }
        Ok(store)
    }
}

/// Rows by what becomes of them.
pub struct Partition {
    pub kept: SpillStore<Rendered>,
    pub new: SpillStore<Rendered>,
    pub gone: SpillStore<Rendered>,
    memory: Memory,
}

impl Partition {
    /// No rows yet.
    pub fn new(memory: Memory) -> Partition {
        let store = SpillStore::default;
        Partition { kept: store(), new: store(), gone: store(), memory }
    }

    /// Add a row.
    pub fn push(&mut self, change: RowChange, row: &RenderedRow<'_>) -> io::Result<()> {
        let store = match change {
            RowChange::Kept => &mut self.kept,
            RowChange::New => &mut self.new,
            RowChange::Gone => &mut self.gone,
        };
        self.memory.push(store, row)
    }

    /// Whether a new row may be the page of a loc that is gone, written in another way. Ends the adding of such rows.
    pub fn may_be_respelled(&mut self) -> io::Result<bool> {
        if !self.gone.facts().has_unnormalized || self.new.facts().rows == 0 {
            return Ok(false);
        }
        compare::may_be_respelled(self.gone.read()?.sorted()?, self.new.read()?.sorted()?)
    }
}
