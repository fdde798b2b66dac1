//! Rows by what becomes of them, each kind in a store of its own that spills to files.

use std::io;
use std::path::PathBuf;

use arrow_array::RecordBatchReader;
use urlset_core::write::TableError;
use urlset_core::write::store::Rendered;
use urlset_core::write::store::compare::{self, Fate};
use urlset_core::write::store::known::KnownLocs;

use crate::spill_store::SpillStore;

/// Returns the path of a new file.
pub type NewFile = dyn Fn() -> io::Result<PathBuf> + Send + Sync;

/// How many bytes of the rows of a store are held in memory, and where more of them go.
pub struct Memory {
    pub most: usize,
    pub new_file: Box<NewFile>,
}

impl Memory {
    fn push(&self, store: &mut SpillStore, row: &Rendered<'_>) -> io::Result<()> {
        if store.push(row) <= self.most { Ok(()) } else { store.spill((self.new_file)()?, false) }
    }

    /// Hold all known locs of a table; None if no publish has written one of them.
    pub fn hold(&self, mut known: KnownLocs<impl RecordBatchReader>) -> Result<Option<SpillStore>, TableError> {
        let mut store = SpillStore::default();
        while let Some(loc) = known.next_loc()? {
            let Some(row) = loc.as_row() else { return Ok(None) };
            self.push(&mut store, &row)?;
        }
        Ok(Some(store))
    }
}

/// Rows by what becomes of them.
pub struct Partition {
    pub kept: SpillStore,
    pub new: SpillStore,
    pub gone: SpillStore,
    memory: Memory,
}

impl Partition {
    /// No rows yet.
    pub fn new(memory: Memory) -> Partition {
        let store = SpillStore::default;
        Partition { kept: store(), new: store(), gone: store(), memory }
    }

    /// Add a row.
    pub fn push(&mut self, fate: Fate, row: &Rendered<'_>) -> io::Result<()> {
        let store = match fate {
            Fate::Kept => &mut self.kept,
            Fate::New => &mut self.new,
            Fate::Gone => &mut self.gone,
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
