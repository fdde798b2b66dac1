//! What is compared of a row: the hash of its loc, what else it says, and where it is.

/// The set before, or the set after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

/// What a row says, as far as it decides which locs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    /// The hash of the normal form of its loc.
    pub loc: [u64; 2],
    /// Its lastmod if it says nothing else, and a hash of all that it says otherwise.
    pub values: u64,
    /// Whether it says nothing but a lastmod.
    pub is_plain: bool,
}

/// A row as numbers. Records are in the order of their locs, then of their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    loc: [u64; 2],
    values: u64,
    /// Its side in the lowest bit, then whether it is plain, then its row, then its block.
    place: u64,
}

impl Record {
    /// Bytes of a record that is written.
    pub const BYTES: usize = 32;

    /// A row of a block.
    pub fn new(said: Said, side: Side, block: u32, row: u32) -> Record {
        let place = u64::from(block) << 32 | u64::from(row) << 2 | u64::from(said.is_plain) << 1 | side as u64;
        Record { loc: said.loc, values: said.values, place }
    }

    fn side(&self) -> usize {
        (self.place & 1) as usize
    }

    fn is_plain(&self) -> bool {
        self.place & 2 != 0
    }

    /// The number of its block.
    pub fn block(&self) -> usize {
        (self.place >> 32) as usize
    }

    /// Its number in the block, which has less than 2^30 rows.
    pub fn row(&self) -> u32 {
        self.place as u32 >> 2
    }

    /// The record as bytes.
    pub fn to_bytes(self) -> [u8; Record::BYTES] {
        let mut bytes = [0; Record::BYTES];
        let numbers = [self.loc[0], self.loc[1], self.values, self.place];
        for (bytes, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *bytes = number.to_le_bytes();
        }
        bytes
    }

    /// The records of which these are the bytes.
    pub fn read_all(bytes: &[u8]) -> Vec<Record> {
        let (records, _) = bytes.as_chunks::<{ Record::BYTES }>();
        let record = |record: &[u8; Record::BYTES]| {
            let (numbers, _) = record.as_chunks::<8>();
            let [first, second, values, place] = std::array::from_fn(|at| u64::from_le_bytes(numbers[at]));
            Record { loc: [first, second], values, place }
        };
        records.iter().map(record).collect()
    }
}

/// What a row is a candidate for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateKind {
    /// Its side has no other row of its loc.
    Single,
    /// Its side has several rows of its loc.
    Repeated,
    /// It is of the old side, each side has one row of its loc, and they differ in nothing but their lastmods.
    Moved,
}

impl CandidateKind {
    /// How many kinds there are.
    pub const COUNT: usize = 3;
}

/// A row that may tell of a difference.
#[derive(Debug)]
pub struct Candidate {
    /// The row.
    pub record: Record,
    /// What it is a candidate for.
    pub kind: CandidateKind,
    /// The lastmod of the new side, if the lastmod has moved.
    pub lastmod: u64,
}

/// What the records of one part mean.
#[derive(Debug, Default)]
pub struct Paired {
    /// How many locs each side has.
    pub locs: [u64; 2],
    /// Rows of locs of which the sides do not say the same.
    pub candidates: Vec<Candidate>,
}

/// Bring the records of each loc together. A part has all records of its locs.
///
/// Which entry of a loc counts depends on nothing but what its entries say. So if both sides say the same things of a loc,
/// however often, the same entry counts on both. Where each side has one row, and both say nothing but a lastmod, that is
/// all there is to compare.
pub fn pair(mut records: Vec<Record>) -> Paired {
    // Almost always, one number tells two locs apart, and is compared faster than all of a record.
    records.sort_unstable_by_key(|record| record.loc[0]);
    records.chunk_by_mut(|one, other| one.loc[0] == other.loc[0]).for_each(<[Record]>::sort_unstable);
    let mut paired = Paired::default();
    for rows in records.chunk_by(|one, other| one.loc == other.loc) {
        let count = |rows: &[Record], side| rows.iter().filter(|row| row.side() == side).count();
        let counts = [0, 1].map(|side| count(rows, side));
        for (locs, count) in paired.locs.iter_mut().zip(counts) {
            *locs += u64::from(count > 0);
        }
        // Equal values stand together.
        let mut alike = rows.chunk_by(|one, other| one.values == other.values);
        if alike.all(|rows| [0, 1].iter().all(|side| count(rows, *side) > 0)) {
            continue;
        }
        if let (&[one, two], [1, 1]) = (rows, counts)
            && one.is_plain()
            && two.is_plain()
        {
            let (old, new) = if one.side() == 0 { (one, two) } else { (two, one) };
            paired.candidates.push(Candidate { record: old, kind: CandidateKind::Moved, lastmod: new.values });
            continue;
        }
        paired.candidates.extend(rows.iter().map(|row| {
            let kind = if counts[row.side()] > 1 { CandidateKind::Repeated } else { CandidateKind::Single };
            Candidate { record: *row, kind, lastmod: 0 }
        }));
    }
    paired
}
