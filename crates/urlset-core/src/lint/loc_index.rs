//! The locs of a document, for those that it has twice.

use crate::limits::ENTRIES_PER_DOCUMENT;

/// Locs that are remembered. A document of the protocol's size has a twentieth of it.
pub const MAX_LOCS: usize = 1_000_000;
/// Locs that there is room for at first: to make room for all of a document would take longer than to check a few.
const MIN_ROOM: usize = 128;
/// Bits of a word in `LocIndex::bits`, and for how many locs it is.
const WORD: usize = 64;
const LOCS_OF_WORD: usize = 4;
/// Words for the locs of an entry run: among 64 of them, one in 256 is taken for another one.
const FILTER_WORDS: usize = 128;

/// A loc that was met.
#[derive(Debug)]
struct Known {
    hash: u64,
    line: u32,
    /// The one before it in the same list, as in `LocIndex::lists`.
    before: u32,
}

/// The locs of a document by their hashes. Two different ones are taken for one if they agree in 64 bits, which happens in
/// one of 10^10 documents of 50,000.
///
/// Nearly every loc is new, and a bit that is not set shows it: of 50,000 locs about one in forty needs a second look. So
/// the processor neither waits for what is known nor guesses wrong.
#[derive(Debug, Default)]
pub struct LocIndex {
    /// A bit for every so many hashes: it is set if one of them was met.
    bits: Vec<u64>,
    /// For every so many hashes a list of those that were met: one more than the index of the last in `known`.
    lists: Vec<u32>,
    known: Vec<Known>,
}

impl LocIndex {
    /// The line of the loc before that has this hash, if there is one; else it is remembered, of the first million.
    pub fn line_before(&mut self, hash: u64, line: u32) -> Option<u32> {
        let before = self.find(hash);
        if before.is_none() {
            self.remember(hash, line);
        }
        before
    }

    /// The line of the loc with this hash, if it is remembered.
    #[inline(always)]
    pub fn find(&self, hash: u64) -> Option<u32> {
        let word = self.bits.get(place(hash, self.bits.len()))?;
        if word & bit(hash) == 0 { None } else { self.find_in_list(hash) }
    }

    #[cold]
    #[inline(never)]
    fn find_in_list(&self, hash: u64) -> Option<u32> {
        let mut next = self.lists[place(hash, self.lists.len())];
        while let Some(known) = self.known.get((next as usize).wrapping_sub(1)) {
            if known.hash == hash {
                return Some(known.line);
            }
            next = known.before;
        }
        None
    }

    /// Remembers a loc that is not remembered yet.
    #[inline(always)]
    pub fn remember(&mut self, hash: u64, line: u32) {
        if self.known.len() == self.lists.len() {
            self.grow();
        }
        if self.known.len() < MAX_LOCS {
            let before = enter(&mut self.bits, &mut self.lists, hash, self.known.len());
            self.known.push(Known { hash, line, before });
        }
    }

    /// Makes room for more locs, and enters those that are known again.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let room = match self.lists.len() {
            0 => MIN_ROOM,
            // A document of the protocol's size grows no further.
            MIN_ROOM => (ENTRIES_PER_DOCUMENT as usize).next_power_of_two(),
            room => room * 2,
        };
        self.known.reserve(room.min(MAX_LOCS) - self.known.len());
        self.bits = vec![0; room / LOCS_OF_WORD];
        self.lists = vec![0; room];
        for (index, known) in self.known.iter_mut().enumerate() {
            known.before = enter(&mut self.bits, &mut self.lists, known.hash, index);
        }
    }
}

/// The hashes of the locs of an entry run. It may take two hashes for one, but never one for two.
#[derive(Debug)]
pub struct RecentLocs {
    bits: [u64; FILTER_WORDS],
}

impl Default for RecentLocs {
    fn default() -> Self {
        RecentLocs { bits: [0; FILTER_WORDS] }
    }
}

impl RecentLocs {
    /// Whether a hash may have been added.
    #[inline(always)]
    pub fn may_have(&self, hash: u64) -> bool {
        self.bits[place(hash, FILTER_WORDS)] & bit(hash) != 0
    }

    /// Add a hash.
    #[inline(always)]
    pub fn add(&mut self, hash: u64) {
        self.bits[place(hash, FILTER_WORDS)] |= bit(hash);
    }
}

/// The bit of a hash in its word.
#[inline(always)]
fn bit(hash: u64) -> u64 {
    1 << (hash >> (u64::BITS - WORD.ilog2()))
}

/// Where a hash belongs among so many places, a power of two.
#[inline(always)]
fn place(hash: u64, places: usize) -> usize {
    hash as usize & places.wrapping_sub(1)
}

/// Enters the hash of the loc at `index`, and returns the loc before it in its list.
#[inline(always)]
fn enter(bits: &mut [u64], lists: &mut [u32], hash: u64, index: usize) -> u32 {
    bits[place(hash, bits.len())] |= bit(hash);
    std::mem::replace(&mut lists[place(hash, lists.len())], index as u32 + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_hash_is_found_again() {
        let (mut index, mut lines) = (LocIndex::default(), HashMap::new());
        for line in 0..300_000_u32 {
            // Hashes of few bits, so that some come again and many share a list or a bit.
            let number = u64::from(line).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let hash = [number & 0x8000_0000_0000_0fff, number >> 44, number][line as usize % 3];
            let before = *lines.entry(hash).or_insert(line);
            assert_eq!(index.line_before(hash, line), (before != line).then_some(before), "{hash:x} on line {line}");
        }
    }

    #[test]
    fn so_many_are_remembered() {
        let hash = |number: usize| (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut index = LocIndex::default();
        for number in 0..MAX_LOCS + 2 {
            assert_eq!(index.line_before(hash(number), number as u32), None);
        }
        assert_eq!(index.line_before(hash(MAX_LOCS - 1), 0), Some(MAX_LOCS as u32 - 1));
        assert_eq!(index.line_before(hash(MAX_LOCS), 0), None);
    }
}
