//! The records in memory, one behind the other.
//!
//! All of a record stands together, because records are read in another order than they came, and each place that is looked
//! at has to be fetched from far away.

use super::row::Record;
use crate::compact::{push_number, take_number};

/// Records whose memory is fetched at once.
pub const FETCHED: usize = 32;
/// Bytes that the processor fetches at once.
const LINE: usize = 64;

/// Records in the order in which they came: of each, the length of its loc, its loc, and the rest.
#[derive(Debug, Default)]
pub struct HeldRecords {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    shards: Vec<u32>,
}

impl HeldRecords {
    /// Add a record. `write` writes the rest of it.
    #[inline]
    pub fn push(&mut self, shard: u32, loc: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        self.starts.push(self.bytes.len());
        self.shards.push(shard);
        push_number(loc.len() as u64, &mut self.bytes);
        self.bytes.extend_from_slice(loc);
        write(&mut self.bytes);
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Bytes of memory that they take.
    pub fn size(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.starts) + size_of_val(&*self.shards)
    }

    /// The number of the shard of a record.
    pub(super) fn shard(&self, place: usize) -> u32 {
        self.shards[place]
    }

    /// The loc of a record.
    pub(super) fn loc(&self, place: usize) -> &[u8] {
        let mut bytes = &self.bytes[self.starts[place]..];
        let length = take_number(&mut bytes).unwrap_or_default();
        &bytes[..length as usize]
    }

    /// A record.
    pub(super) fn record(&self, place: usize) -> Record<'_> {
        let end = self.starts.get(place + 1).copied().unwrap_or(self.bytes.len());
        let mut bytes = &self.bytes[self.starts[place]..end];
        let length = take_number(&mut bytes).unwrap_or_default();
        let (loc, rest) = bytes.split_at(length as usize);
        Record { shard: self.shards[place], loc, rest }
    }

    /// Look at records that are about to be read: the processor then fetches all of them at once, and not one after the
    /// other.
    pub(super) fn fetch(&self, places: impl Iterator<Item = u32>) {
        let seen = places.fold(0, |seen, place| {
            let start = self.starts[place as usize];
            seen ^ self.bytes[start] ^ self.bytes.get(start + LINE).copied().unwrap_or_default()
        });
        std::hint::black_box(seen);
    }

    /// Remove all records, and keep their memory for others.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
        self.shards.clear();
    }

    /// Give back the memory of records that were removed.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.shards.shrink_to_fit();
    }
}
