//! Plain entries that are written as earlier ones were: they hold nothing but fields, and go to an entry run. This is the walk
//! that nearly all entries of most documents take, so it knows nothing else.

use fearless_simd::Simd;

use super::odd_value::odd_text;
use crate::read::entries::entry_run::{self, PlainEntry};
use crate::read::entries::meaning::{Meaning, Target};
use crate::read::entries::shapes::Ending;
use crate::read::grammar::content::Content;
use crate::read::index::window::is_blank;
use crate::read::namespaces::element::Field;

/// Why the walk has stopped behind some plain entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// There are as many as an entry run may have.
    Full,
    /// The next one may have more than fields.
    Other,
    /// The next one is not written as an earlier one, or not all of it is there.
    Parser,
}

impl Content {
    /// Recognises plain entries from `at` on. Returns how many are in the run now.
    #[inline(always)]
    pub fn plain_entries<S: Simd>(&mut self, simd: S, window: &str, at: usize) -> (usize, StopReason) {
        self.slots.clear();
        let mut ending = None;
        let (number, reason) = self.walk(simd, window, at, &mut ending);
        self.shapes.succeed(number);
        if let Some(ending) = ending {
            let next = self.index.markup(window.as_bytes(), ending.segment.end);
            self.shapes.learn_boundary(simd, window.as_bytes(), ending, next);
        }
        (number, reason)
    }

    /// The same. `ending` becomes the end of an entry of which something can be learned.
    #[inline(always)]
    fn walk<S: Simd>(
        &mut self,
        simd: S,
        window: &str,
        mut from: usize,
        ending: &mut Option<Ending>,
    ) -> (usize, StopReason) {
        let Content { shapes, slots, index, run, tags, .. } = self;
        let bytes = window.as_bytes();
        let mut number = 0;
        while let Some(mut entry) = run.get_mut(number) {
            let (Some(start), Some(mut before)) = (index.markup(bytes, from), shapes.first()) else {
                return (number, StopReason::Parser);
            };
            if tags.keeps_unread && !is_blank(bytes, from..start) {
                return (number, StopReason::Parser);
            }
            *entry = PlainEntry { start: start as u32, ..PlainEntry::default() };
            let mut at = start;
            from = loop {
                let Some(segment) = shapes.next::<S, true>(simd, before, bytes, at) else {
                    return (number, StopReason::Parser);
                };
                let value = at + segment.length;
                let slot = if let Some(slot) = segment.simple(&mut entry.fields) {
                    before = segment;
                    slot
                } else if let Some(boundary) = segment.boundary {
                    if !entry.ends(at + boundary.end) {
                        return (number, StopReason::Other);
                    }
                    number += 1;
                    let (Some(next), Some(first)) = (run.get_mut(number), shapes.first_of(boundary)) else {
                        break at + boundary.end;
                    };
                    entry = next;
                    *entry = PlainEntry { start: (at + boundary.start) as u32, ..PlainEntry::default() };
                    before = first;
                    let Some(slot) = segment.field(&mut entry.fields) else { return (number, StopReason::Parser) };
                    slot
                } else if let Some(slot) = segment.field(&mut entry.fields) {
                    before = segment;
                    slot
                } else {
                    if segment.meaning != Meaning::of(Target::End) || !entry.ends(value) {
                        return (number, StopReason::Other);
                    }
                    number += 1;
                    if shapes.wants_boundary() {
                        *ending = Some(Ending { before: before.number, segment: at..value });
                    }
                    break value;
                };
                let Some(end) = index.stop(value) else { return (number, StopReason::Parser) };
                // Texts that are empty or padded, or hold a reference, need a closer look. Where a second one is, the parser
                // says so.
                at = if bytes[end] == b'<' && value < end && bytes[value] > b' ' && bytes[end - 1] > b' ' {
                    if slot.fill(value, end).is_none() {
                        return (number, StopReason::Parser);
                    }
                    end
                } else {
                    let text = odd_text(index, window, value..end, &mut slots.scratch);
                    let Some((text, end)) = text else { return (number, StopReason::Parser) };
                    if slot.keep(text).is_none() {
                        return (number, StopReason::Parser);
                    }
                    end
                };
            };
        }
        (number, StopReason::Full)
    }
}

impl PlainEntry {
    /// Ends it, if it is one that an entry run can have.
    #[inline(always)]
    fn ends(&mut self, end: usize) -> bool {
        self.end = end as u32;
        self.range().len() <= entry_run::ENTRY_BYTES && !self.fields[Field::Loc as usize].is_empty()
    }
}
