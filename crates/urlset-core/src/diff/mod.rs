//! Two tables of rows with a loc: which rows may tell of a difference, and how many rows and locs each has.
//!
//! Most rows of a set are those of the set before. So each row is kept as bytes in the order in which it came, and beside
//! it a record: a hash of its loc in its normal form, and what else it says, which is a lastmod or a hash of more. Records of one loc come
//! together, and if both sides say the same of it, nobody looks at its rows again. The others, the candidates, are handed
//! out for a comparison that is exact. What differs in nothing but its lastmod is known by then.
//!
//! A loc is known by 128 bits of a keyed hash, and what is said of it by 64 more. The keys are random, so nobody can make
//! locs that collide: docs/design/comparing.md says how likely it is by chance.

mod candidates;
mod record;
mod rows;
mod spool;

use std::io::{self, Read, Seek, Write};

pub use self::candidates::{Candidates, keyed_schema, moved_schema};
pub use self::record::{Candidate, CandidateKind, Paired, Record, Side, pair};
pub use self::rows::{Encoded, RowEncoder};
use self::spool::{Buckets, Spool};

/// Parts of the records, each of which is sorted in memory: of ten million rows a side, 5 MB.
pub const PARTS: usize = 128;

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
    /// By part.
    records: Buckets<F>,
    /// By block and kind: the number of the row, and the lastmod of the new side.
    candidates: Buckets<F>,
    counts: [Counts; 2],
}

/// Rows that came together.
#[derive(Debug)]
struct Block {
    side: Side,
    start: u64,
    /// Where each group of rows begins, and where the last one ends.
    groups: Vec<u32>,
}

impl<F: Read + Write + Seek> Sides<F> {
    /// Nothing yet, and three empty files for what comes.
    pub fn new([rows, records, candidates]: [F; 3]) -> Sides<F> {
        Sides {
            rows: Spool::new(rows),
            blocks: Vec::new(),
            records: Buckets::new(records),
            candidates: Buckets::new(candidates),
            counts: [Counts::default(); 2],
        }
    }

    /// Add rows to a side, and leave none behind. All of them have the same columns.
    pub fn add(&mut self, side: Side, encoded: &mut Encoded) -> io::Result<()> {
        let start = self.rows.append(&encoded.bytes)?;
        let block = self.blocks.len() as u32;
        self.counts[side as usize].rows += encoded.said.len() as u64;
        for (row, said) in encoded.said.iter().enumerate() {
            let record = Record::new(*said, side, block, row as u32);
            self.records.push(part(said.loc), record.to_bytes())?;
        }
        let mut groups = std::mem::take(&mut encoded.groups);
        groups.push(encoded.bytes.len() as u32);
        self.blocks.push(Block { side, start, groups });
        encoded.clear();
        Ok(())
    }

    /// The records of a part, in no order, once all rows have come. `pair` says what they mean.
    pub fn part(&mut self, part: usize) -> io::Result<Vec<u8>> {
        self.records.get(part)
    }

    /// Remember what the records of a part mean.
    pub fn keep(&mut self, paired: Paired) -> io::Result<()> {
        for (counts, locs) in self.counts.iter_mut().zip(paired.locs) {
            counts.locs += locs;
        }
        for Candidate { record, kind, lastmod } in paired.candidates {
            let mut bytes = [0; 12];
            bytes[..4].copy_from_slice(&record.row().to_le_bytes());
            bytes[4..].copy_from_slice(&lastmod.to_le_bytes());
            self.candidates.push(record.block() * CandidateKind::COUNT + kind as usize, bytes)?;
        }
        Ok(())
    }

    /// How much a side has; its locs, once all parts were paired.
    pub fn counts(&self, side: Side) -> Counts {
        self.counts[side as usize]
    }

    /// The candidates of a kind in the next block of a side that has any, from this one on, and the number of the block.
    pub fn next_block(
        &mut self,
        side: Side,
        kind: CandidateKind,
        from: usize,
    ) -> io::Result<Option<(usize, Candidates)>> {
        let bucket = |block: usize| block * CandidateKind::COUNT + kind as usize;
        let mut blocks = (from..self.blocks.len()).filter(|block| self.blocks[*block].side == side);
        let Some(at) = blocks.find(|block| !self.candidates.is_empty(bucket(*block))) else { return Ok(None) };
        let mut wanted = self.candidates.get(bucket(at))?.as_chunks::<12>().0.iter().map(wanted).collect::<Vec<_>>();
        wanted.sort_unstable();
        let block = &self.blocks[at];
        let (mut bytes, mut groups) = (Vec::new(), Vec::new());
        for rows in wanted.chunk_by(|(one, _), (other, _)| other / rows::GROUP <= one / rows::GROUP + 1) {
            let [first, last] = [rows[0], rows[rows.len() - 1]].map(|(row, _)| row / rows::GROUP);
            let [begin, end] = [first, last + 1].map(|group| block.groups[group as usize]);
            groups.push((first * rows::GROUP, bytes.len()));
            self.rows.read(block.start + u64::from(begin), (end - begin) as usize, &mut bytes)?;
        }
        Ok(Some((at, Candidates { bytes, groups, wanted })))
    }
}

/// The number of a row, and a lastmod.
fn wanted(bytes: &[u8; 12]) -> (u32, u64) {
    let (words, _) = bytes.as_chunks::<4>();
    let [row, low, high] = std::array::from_fn(|at| u32::from_le_bytes(words[at]));
    (row, u64::from(high) << 32 | u64::from(low))
}

/// The part in which a loc is.
fn part(loc: [u64; 2]) -> usize {
    (loc[1] % PARTS as u64) as usize
}

#[cfg(test)]
mod tests;
