//! Rows that are held until all have come, and then read in the order of their shards and locs, as often as it takes: the
//! rendered rows of a section, and what the last publish knew of its locs.
//!
//! What a row says beside its shard and loc is written by its kind, and only read by it: in memory, in runs and from one to the
//! other it is the same bytes.
//!
//! Rows become runs, which are sorted and shorter, when all have come or when they take too much memory. Where a run is kept
//! is up to the caller. All runs are merged when the rows are read.

pub mod compare;
pub mod facts;
pub mod lastmods;
pub mod manifest;
pub mod plan;
pub mod previous;

mod batches;
mod code;
mod held;
mod rendered;
mod rendered_row;
mod row;
mod run;
mod sort;
mod sorted;
mod tables;

use std::io::{self, Read, Write};
use std::mem;

pub use self::facts::Facts;
pub use self::held::HeldRecords;
pub use self::manifest::manifest_rows;
pub use self::previous::Previous;
pub use self::rendered::Rendered;
pub use self::rendered_row::{Extras, RenderedRow, said};
pub use self::row::RowKind;
pub use self::sorted::SortedRows;
pub use self::tables::rendered_rows;

use self::held::FETCHED;
use self::run::{RunReader, RunWriter};

/// Takes rows of a kind in any order.
#[derive(Debug)]
pub struct RowStore<K: RowKind> {
    records: HeldRecords,
    facts: K::Facts,
}

impl<K: RowKind> Default for RowStore<K> {
    fn default() -> RowStore<K> {
        RowStore { records: HeldRecords::default(), facts: K::Facts::default() }
    }
}

impl<K: RowKind> RowStore<K> {
    /// Add a row.
    pub fn push(&mut self, row: &K::Row<'_>) {
        let before = self.records.size();
        let (shard, loc) = K::key(row);
        self.records.push(shard, loc.as_bytes(), |out| K::write(row, out));
        K::count(row, self.records.size() - before, &mut self.facts);
    }

    /// What is known of all rows, those of earlier runs among them.
    pub fn facts(&self) -> &K::Facts {
        &self.facts
    }

    /// Bytes of memory that the rows take which are in no run.
    pub fn size(&self) -> usize {
        self.records.size()
    }

    /// Write the rows that are in no run as one, and begin again without any.
    pub fn write_run(&mut self, out: impl Write) -> io::Result<()> {
        write_run(&mut self.records, out)
    }

    /// Take over the rows that are in no run, and leave the memory of others that were written: rows can be added while
    /// another thread writes those before them.
    pub fn exchange(&mut self, written: HeldRecords) -> HeldRecords {
        mem::replace(&mut self.records, written)
    }

    /// Give back the memory of rows that are in a run.
    pub fn shrink(&mut self) {
        self.records.shrink();
    }
}

/// Sort a run, whose rows all have room in memory, where they came from.
pub fn sort_run(run: impl Read, out: impl Write) -> io::Result<()> {
    let (mut run, mut records) = (RunReader::new(run), HeldRecords::default());
    while run.advance()? {
        let record = run.record();
        records.push(record.shard, record.loc, |out| out.extend_from_slice(record.rest));
    }
    write_run(&mut records, out)
}

/// Write records as a run, remove them, and keep their memory for others.
pub fn write_run(records: &mut HeldRecords, out: impl Write) -> io::Result<()> {
    let mut run = RunWriter::new(out);
    for places in sort::sorted(records).chunks(FETCHED) {
        records.fetch(places.iter().copied());
        for place in places {
            run.push(records.record(*place as usize))?;
        }
    }
    end_run(records, run)
}

/// Do the same for records that may never be read. `sort_run` sorts them if they are.
pub fn write_unsorted_run(records: &mut HeldRecords, out: impl Write) -> io::Result<()> {
    let mut run = RunWriter::new(out);
    for place in 0..records.len() {
        run.push(records.record(place))?;
    }
    end_run(records, run)
}

fn end_run(records: &mut HeldRecords, run: RunWriter<impl Write>) -> io::Result<()> {
    run.finish()?;
    records.clear();
    Ok(())
}

/// Merge runs into one.
pub fn merge<R: Read, K: RowKind>(mut rows: SortedRows<R, K>, out: impl Write) -> io::Result<()> {
    let mut run = RunWriter::new(out);
    while let Some(record) = rows.next_record()? {
        run.push(record)?;
    }
    run.finish()
}

#[cfg(test)]
mod tests;
