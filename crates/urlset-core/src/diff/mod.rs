//! Two tables of rows with a loc: which rows may tell of a difference, and how many rows and locs each has.
//!
//! Most rows of a set are those of the set before. So each row is kept as bytes in the order in which it came, and beside
//! it a record of two hashes, of its loc and of all its other values. Records of one loc come together, and if both sides
//! say the same of it, nobody looks at its rows again. The others, the candidates, are handed out for a comparison that
//! is exact.
//!
//! A loc is known by 128 bits of a keyed hash, and what is said of it by 64 more. The keys are random, so nobody can make
//! locs that collide: DESIGN.md says how likely it is by chance.

mod record;
mod rows;
mod spool;

use std::io::{self, Read, Seek, Write};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

pub use self::record::{Paired, Record, Side, pair};
pub use self::rows::{Encoded, Encoder};
use self::spool::Spool;

/// Parts of the records, each of which is sorted in memory: of ten million rows a side, 5 MB.
pub const PARTS: usize = 128;
/// Records in memory until they are written.
const MOST_RECORDS: usize = if cfg!(test) { 100 } else { 1 << 19 };

/// How much a side has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub rows: u64,
    pub locs: u64,
}

/// The rows of both sides. `F` is where they are kept.
#[derive(Debug)]
pub struct Sides<F> {
    rows: Spool<F>,
    blocks: Vec<Block>,
    /// Records that are not written yet, by part.
    held: Vec<Vec<Record>>,
    records: usize,
    written: Spool<F>,
    /// Where the written records of each part are.
    extents: Vec<Vec<(u64, usize)>>,
    counts: [Counts; 2],
}

/// Rows that came together.
#[derive(Debug)]
struct Block {
    side: Side,
    start: u64,
    bytes: usize,
    /// The candidates among them, by number: those whose side has no other row of their loc, and those whose side does.
    candidates: [Vec<u32>; 2],
}

impl<F: Read + Write + Seek> Sides<F> {
    /// Nothing yet, and two empty files for what comes.
    pub fn new(rows: F, records: F) -> Sides<F> {
        Sides {
            rows: Spool::new(rows),
            blocks: Vec::new(),
            held: vec![Vec::new(); PARTS],
            records: 0,
            written: Spool::new(records),
            extents: vec![Vec::new(); PARTS],
            counts: [Counts::default(); 2],
        }
    }

    /// Add rows to a side. All of them have the same columns.
    pub fn add(&mut self, side: Side, encoded: Encoded) -> io::Result<()> {
        let start = self.rows.append(&encoded.bytes)?;
        let block = self.blocks.len() as u32;
        self.counts[side as usize].rows += encoded.hashes.len() as u64;
        self.records += encoded.hashes.len();
        for (row, (loc, values)) in encoded.hashes.into_iter().enumerate() {
            self.held[part(loc)].push(Record::new(loc, values, side, block, row as u32));
        }
        self.blocks.push(Block { side, start, bytes: encoded.bytes.len(), candidates: Default::default() });
        if self.records > MOST_RECORDS {
            self.write_records()?;
        }
        Ok(())
    }

    fn write_records(&mut self) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(self.records * Record::BYTES);
        let mut ends = Vec::with_capacity(PARTS);
        for part in &mut self.held {
            part.drain(..).for_each(|record| record.write(&mut bytes));
            ends.push(bytes.len());
        }
        let start = self.written.append(&bytes)?;
        let mut begin = 0;
        for (extents, end) in self.extents.iter_mut().zip(ends) {
            extents.push((start + begin as u64, end - begin));
            begin = end;
        }
        self.records = 0;
        Ok(())
    }

    /// Take the records of a part, in no order, once all rows have come. `pair` says what they mean.
    pub fn take_part(&mut self, part: usize) -> io::Result<Vec<Record>> {
        let mut records = std::mem::take(&mut self.held[part]);
        for (start, bytes) in std::mem::take(&mut self.extents[part]) {
            records.extend(Record::read_all(&self.written.read(start, bytes)?));
        }
        Ok(records)
    }

    /// Remember what the records of a part mean.
    pub fn keep(&mut self, paired: Paired) {
        for (counts, locs) in self.counts.iter_mut().zip(paired.locs) {
            counts.locs += locs;
        }
        for (record, is_repeated) in paired.candidates {
            self.blocks[record.block()].candidates[usize::from(is_repeated)].push(record.row());
        }
    }

    /// How much a side has; its locs, once all parts were paired.
    pub fn counts(&self, side: Side) -> Counts {
        self.counts[side as usize]
    }

    /// The next block of a side with candidates, from this one on: either with those whose side has no other row of their
    /// loc, or with those whose side does.
    pub fn next_block(
        &mut self,
        side: Side,
        is_repeated: bool,
        from: usize,
    ) -> io::Result<Option<(usize, Candidates)>> {
        let which = usize::from(is_repeated);
        let mut blocks = self.blocks.iter().enumerate().skip(from).filter(|(_, block)| block.side == side);
        let Some((at, block)) = blocks.find(|(_, block)| !block.candidates[which].is_empty()) else { return Ok(None) };
        Ok(Some((
            at,
            Candidates { rows: block.candidates[which].clone(), bytes: self.rows.read(block.start, block.bytes)? },
        )))
    }
}

/// A block of rows, and which of them are candidates.
#[derive(Debug)]
pub struct Candidates {
    bytes: Vec<u8>,
    rows: Vec<u32>,
}

impl Candidates {
    /// The candidates as a table.
    pub fn decode(mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        self.rows.sort_unstable();
        rows::decode(&self.bytes, &self.rows, schema)
    }
}

/// The part in which a loc is.
fn part(loc: [u64; 2]) -> usize {
    (loc[1] % PARTS as u64) as usize
}

#[cfg(test)]
mod tests;
