//! The values of an entry run that are numbers, from the look at them until they are taken.

use std::ops::Range;

use super::entry_run::{EntryRun, MAX_RUN};
use crate::read::namespaces::element::Field;

/// The numbers of a field, for the entries that have one.
#[derive(Debug)]
pub struct Numbers<T> {
    pub values: [T; MAX_RUN],
    /// A bit for each entry that has one.
    pub present: u64,
}

impl<T: Copy> Numbers<T> {
    /// Room for the numbers of an entry run.
    pub fn new(none: T) -> Self {
        Numbers { values: [none; MAX_RUN], present: 0 }
    }

    /// Keeps the numbers of an entry run, and returns a bit for each entry whose value means nothing.
    #[inline(always)]
    pub fn keep(&mut self, run: &EntryRun<'_>, field: Field, meaning: impl Fn(&[u8]) -> Option<T>) -> u64 {
        if run.is_of_lines() {
            self.present = 0;
            return 0;
        }
        let (mut slow, mut present) = (0, 0);
        for (number, (entry, value)) in run.entries.iter().zip(&mut self.values).enumerate() {
            let Some(bytes) = run.bytes(entry, field) else { continue };
            present |= 1 << number;
            match meaning(bytes) {
                Some(meaning) => *value = meaning,
                None => slow |= 1 << number,
            }
        }
        self.present = present;
        slow
    }
}

/// The bits of some entries, of which there is at least one.
#[inline(always)]
pub fn some_of(bits: u64, entries: &Range<usize>) -> u64 {
    bits >> entries.start & (!0 >> (MAX_RUN - entries.len()))
}
