//! What is compared of a row: the hash of its loc, the hash of its other values, and where it is.

/// The set before, or the set after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

/// A row as hashes. Records are in the order of their locs, then of their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    loc: [u64; 2],
    values: u64,
    /// Its side in the lowest bit, then its row, then its block.
    place: u64,
}

impl Record {
    /// Bytes of a record that is written.
    pub const BYTES: usize = 32;

    /// A row of a block.
    pub fn new(loc: [u64; 2], values: u64, side: Side, block: u32, row: u32) -> Record {
        Record { loc, values, place: u64::from(block) << 32 | u64::from(row) << 1 | side as u64 }
    }

    fn side(&self) -> usize {
        (self.place & 1) as usize
    }

    /// The number of its block.
    pub fn block(&self) -> usize {
        (self.place >> 32) as usize
    }

    /// Its number in the block, which has less than 2^31 rows.
    pub fn row(&self) -> u32 {
        self.place as u32 >> 1
    }

    /// Write the record behind these bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        for number in [self.loc[0], self.loc[1], self.values, self.place] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// Records that were written one behind the other.
    pub fn read_all(bytes: &[u8]) -> impl Iterator<Item = Record> {
        let (records, _) = bytes.as_chunks::<{ Record::BYTES }>();
        records.iter().map(|record| {
            let (numbers, _) = record.as_chunks::<8>();
            let [first, second, values, place] = std::array::from_fn(|at| u64::from_le_bytes(numbers[at]));
            Record { loc: [first, second], values, place }
        })
    }
}

/// What the records of one part mean.
#[derive(Debug, Default)]
pub struct Paired {
    /// How many locs each side has.
    pub locs: [u64; 2],
    /// Records of locs of which the sides do not say the same, and whether their side has several of the loc.
    pub candidates: Vec<(Record, bool)>,
}

/// Bring the records of each loc together. A part has all records of its locs.
///
/// Which entry of a loc counts depends on nothing but what its entries say. So if both sides say the same things of a loc,
/// however often, the same entry counts on both.
pub fn pair(mut records: Vec<Record>) -> Paired {
    records.sort_unstable();
    let mut paired = Paired::default();
    for rows in records.chunk_by(|one, other| one.loc == other.loc) {
        let count = |rows: &[Record], side| rows.iter().filter(|row| row.side() == side).count();
        let counts = [0, 1].map(|side| count(rows, side));
        for (locs, count) in paired.locs.iter_mut().zip(counts) {
            *locs += u64::from(count > 0);
        }
        // Equal values stand together.
        let mut alike = rows.chunk_by(|one, other| one.values == other.values);
        if !alike.all(|rows| [0, 1].iter().all(|side| count(rows, *side) > 0)) {
            paired.candidates.extend(rows.iter().map(|row| (*row, counts[row.side()] > 1)));
        }
    }
    paired
}
