//! Rendered rows, held until all of a section have come, and then read in the order of their locs as often as it takes; and
//! rows that were assigned to shards, in the order of these.
//!
//! Rows become runs, which are sorted and shorter, when all have come or when they take too much memory. Where a run is kept
//! is up to the caller. All runs are merged when the rows are read.

pub mod compare;
pub mod facts;
pub mod known;
pub mod lastmods;
pub mod plan;

mod held;
mod row;
mod run;
mod sort;
mod sorted;
mod tables;

use std::io::{self, Read, Write};

pub use self::facts::Facts;
pub use self::row::{Rendered, StoredRow};
pub use self::sorted::SortedRows;
pub use self::tables::{known_as, rendered};

use self::held::{FETCHED, HeldRows};
use self::run::{RunReader, RunWriter};

/// Takes rows in any order.
#[derive(Debug)]
pub struct RowStore {
    rows: HeldRows,
    facts: Facts,
}

impl RowStore {
    /// A store of rows with so many extras: texts beyond those of an entry.
    pub fn new(extras: usize) -> RowStore {
        RowStore { rows: HeldRows::new(extras), facts: Facts::default() }
    }

    /// Add a row.
    pub fn push(&mut self, row: &Rendered<'_>, extras: &[Option<&str>]) {
        let before = self.rows.size();
        let has_extra = self.rows.push(row, extras);
        self.facts.add(row, self.rows.size() - before, has_extra);
    }

    /// What is known of all rows, those of earlier runs among them.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Bytes of memory that the rows take which are in no run.
    pub fn size(&self) -> usize {
        self.rows.size()
    }

    /// Write the rows that are in no run as one, and begin again without any.
    pub fn write_run(&mut self, out: impl Write) -> io::Result<()> {
        write_sorted(&self.rows, out)?;
        self.rows.clear();
        Ok(())
    }

    /// Do the same for rows that may never be read. `sort_run` sorts them if they are.
    pub fn write_unsorted_run(&mut self, out: impl Write) -> io::Result<()> {
        let mut run = RunWriter::new(out);
        for place in 0..self.rows.len() {
            run.push(&self.rows.row(place))?;
        }
        run.finish()?;
        self.rows.clear();
        Ok(())
    }

    /// Give back the memory of rows that are in a run.
    pub fn shrink(&mut self) {
        self.rows.shrink();
    }
}

/// Sort a run whose rows have so many extras. They all have room in memory, where they came from.
pub fn sort_run<R: Read>(run: R, extras: usize, out: impl Write) -> io::Result<()> {
    let (mut run, mut rows) = (RunReader::new(run, extras), HeldRows::new(extras));
    while run.advance()? {
        let row = run.row();
        rows.push(&row.rendered(), &row.extras().collect::<Vec<_>>());
    }
    write_sorted(&rows, out)
}

fn write_sorted(rows: &HeldRows, out: impl Write) -> io::Result<()> {
    let mut run = RunWriter::new(out);
    for places in sort::sorted(rows).chunks(FETCHED) {
        rows.fetch(places.iter().copied());
        for place in places {
            run.push(&rows.row(*place as usize))?;
        }
    }
    run.finish()
}

/// Merge runs into one.
pub fn merge<R: Read>(mut rows: SortedRows<R>, out: impl Write) -> io::Result<()> {
    let mut run = RunWriter::new(out);
    while let Some(row) = rows.next_row()? {
        run.push(&row)?;
    }
    run.finish()
}

#[cfg(test)]
mod tests;
