//! The entries of an entry run on the fast path, judged field by field instead of entry by entry, with the same result.
//!
//! The order of their fields is not looked at: an entry is in an entry run because one before it had the same order and was
//! judged by itself, and XML012 is reported once for a document.

use std::ops::Range;

use super::document_rules::DocumentRules;
use super::fast_path::FastPath;
use super::loc_index::{LocIndex, MAX_LOCS as LASTMODS, RecentLocs};
use crate::read::element::Field;
use crate::read::entry_run::{EntryRun, MAX_RUN, PlainEntry};
use crate::read::numbers::{Numbers, some_of};
use crate::value::changefreq;

/// What the values of an entry run on the fast path mean, from the look at them until they are taken.
#[derive(Debug)]
pub struct RunValues {
    /// Of the locs.
    hashes: [u64; MAX_RUN],
    lastmods: Numbers<i64>,
    /// The places of the words in the protocol's order.
    changefreqs: Numbers<u8>,
    priorities: Numbers<f64>,
}

impl Default for RunValues {
    fn default() -> Self {
        RunValues {
            hashes: [0; MAX_RUN],
            lastmods: Numbers::new(0),
            changefreqs: Numbers::new(0),
            priorities: Numbers::new(0.0),
        }
    }
}

impl FastPath {
    /// The entries that do not take the fast path, a bit for each. What the others mean is kept in `values`.
    #[inline(always)]
    pub fn slow_mask(&mut self, run: &EntryRun<'_>, locs: &LocIndex, values: &mut RunValues) -> u64 {
        if !self.may_be_in(run.document) {
            return !0;
        }
        let mut slow = self.slow_locs(run, locs, &mut values.hashes);
        if slow == !0 {
            return slow;
        }
        if !run.is_of_lines() {
            for (number, entry) in run.entries.iter().enumerate() {
                slow |= u64::from(has_empty_field(entry)) << number;
            }
        }
        let RunValues { lastmods, changefreqs, priorities, .. } = values;
        slow |= lastmods.keep(run, Field::Lastmod, |text| self.lastmod(text));
        slow |= changefreqs.keep(run, Field::Changefreq, |text| changefreq::parse(text));
        slow |= priorities.keep(run, Field::Priority, |text| self.priority(text));
        let mut stale = 0;
        for (number, (word, lastmod)) in changefreqs.values.iter().zip(&lastmods.values).enumerate() {
            stale |= u64::from(self.is_stale(*word, *lastmod)) << number;
        }
        slow | (stale & changefreqs.present & lastmods.present)
    }

    /// The entries whose locs do not take the fast path, or may have been met.
    #[inline(always)]
    fn slow_locs(&mut self, run: &EntryRun<'_>, locs: &LocIndex, hashes: &mut [u64; MAX_RUN]) -> u64 {
        let mut slow = 0;
        for (number, (entry, kept)) in run.entries.iter().zip(hashes.iter_mut()).enumerate() {
            let (whole, range) = run.part(entry, Field::Loc);
            match self.hash(whole, range) {
                Some(hash) => *kept = hash,
                None => slow |= 1 << number,
            }
        }
        if !self.compares_locs {
            return slow;
        }
        // Any that stands behind a loc of which no hash is known may be the same, spelled differently.
        let known = (slow.trailing_zeros() as usize).min(run.entries.len());
        let (mut recent, mut met) = (RecentLocs::default(), !run.bit(known as u64).wrapping_sub(1));
        for (number, hash) in hashes[..known].iter().enumerate() {
            met |= u64::from(recent.may_have(*hash) || locs.find(*hash).is_some()) << number;
            recent.add(*hash);
        }
        slow | met
    }
}

impl DocumentRules {
    /// Takes entries of an entry run on the fast path. Their locs are remembered if they are compared.
    #[inline(always)]
    pub fn push_run(&mut self, run: &EntryRun<'_>, values: &RunValues, compares_locs: bool, entries: Range<usize>) {
        let RunValues { hashes, lastmods, changefreqs, priorities } = values;
        if compares_locs {
            for (entry, hash) in run.entries[entries.clone()].iter().zip(&hashes[entries.clone()]) {
                self.locs.remember(*hash, run.line_of(entry));
            }
        }
        self.entries += entries.len() as u64;
        self.push_lastmods(run, lastmods, entries.clone());
        self.with_changefreq += u64::from(some_of(changefreqs.present, &entries).count_ones());
        let present = some_of(priorities.present, &entries);
        if present != 0 {
            let priorities = &priorities.values[entries];
            let first = *self.priority.get_or_insert(priorities[present.trailing_zeros() as usize]);
            self.with_priority += u64::from(present.count_ones());
            let others = priorities.iter().rev().fold(0, |bits, value| bits << 1 | u64::from(*value != first));
            self.is_flat &= present & others == 0;
        }
    }

    #[inline(always)]
    fn push_lastmods(&mut self, run: &EntryRun<'_>, lastmods: &Numbers<i64>, entries: Range<usize>) {
        let present = some_of(lastmods.present, &entries);
        self.with_lastmod += u64::from(present.count_ones());
        // An absent one has no length.
        let times = run.entries[entries.clone()].iter();
        self.with_time += times.filter(|entry| entry.fields[Field::Lastmod as usize].length() > 10).count() as u64;
        let values = &lastmods.values[entries];
        let room = LASTMODS - self.lastmods.len();
        if present.count_ones() as usize == values.len() {
            self.lastmods.extend_from_slice(&values[..values.len().min(room)]);
        } else {
            let present = values.iter().enumerate().filter(|(number, _)| present >> number & 1 == 1);
            self.lastmods.extend(present.map(|(_, value)| *value).take(room));
        }
    }
}

/// Whether a field of an entry is there, but has no value.
#[inline(always)]
fn has_empty_field(entry: &PlainEntry) -> bool {
    entry.fields.iter().any(|slot| slot.is_present() && slot.is_empty())
}
