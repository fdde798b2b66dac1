//! Plain entries that are written as earlier ones were: they hold nothing but fields, and go to a stretch. This is the walk
//! that nearly all entries of most documents take, so it knows nothing else.

use fearless_simd::Simd;

use super::odd_value::odd_text;
use crate::read::entries::shapes::{Ending, Meaning, Target};
use crate::read::entries::stretch::{self, PlainEntry};
use crate::read::grammar::content::Content;
use crate::read::index::window::is_blank;
use crate::read::namespaces::element::Field;

/// Why the walk has stopped behind some plain entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// There are as many as a stretch may have.
    Stretch,
    /// The next one may have more than fields.
    Other,
    /// The next one is not written as an earlier one, or not all of it is there.
    Nothing,
}

impl Content {
    /// Recognises plain entries from `at` on. Returns how many are in the stretch now.
    #[inline(always)]
    pub fn plain_entries<S: Simd>(&mut self, simd: S, window: &str, at: usize) -> (usize, Behind) {
        self.slots.clear();
        let mut ending = None;
        let (number, behind) = self.walk(simd, window, at, &mut ending);
        self.shapes.succeed(number);
        if let Some(ending) = ending {
            let next = self.index.markup(window.as_bytes(), ending.segment.end);
            self.shapes.learn_seam(simd, window.as_bytes(), ending, next);
        }
        (number, behind)
    }

    /// The same. `ending` becomes the end of an entry of which something can be learned.
    #[inline(always)]
    fn walk<S: Simd>(
        &mut self,
        simd: S,
        window: &str,
        mut from: usize,
        ending: &mut Option<Ending>,
    ) -> (usize, Behind) {
        let Content { shapes, slots, index, stretch, tags, .. } = self;
        let bytes = window.as_bytes();
        let mut number = 0;
        while let Some(mut entry) = stretch.get_mut(number) {
            let (Some(start), Some(mut before)) = (index.markup(bytes, from), shapes.first()) else {
                return (number, Behind::Nothing);
            };
            if tags.keeps_unread && !is_blank(bytes, from..start) {
                return (number, Behind::Nothing);
            }
            *entry = PlainEntry { start: start as u32, ..PlainEntry::default() };
            let mut at = start;
            from = loop {
                let Some(segment) = shapes.next::<S, true>(simd, before, bytes, at) else {
                    return (number, Behind::Nothing);
                };
                let value = at + segment.length;
                let slot = if let Some(slot) = segment.simple(&mut entry.fields) {
                    before = segment;
                    slot
                } else if let Some(seam) = segment.seam {
                    if !entry.ends(at + seam.end) {
                        return (number, Behind::Other);
                    }
                    number += 1;
                    let (Some(next), Some(first)) = (stretch.get_mut(number), shapes.first_of(seam)) else {
                        break at + seam.end;
                    };
                    entry = next;
                    *entry = PlainEntry { start: (at + seam.start) as u32, ..PlainEntry::default() };
                    before = first;
                    let Some(slot) = segment.field(&mut entry.fields) else { return (number, Behind::Nothing) };
                    slot
                } else if let Some(slot) = segment.field(&mut entry.fields) {
                    before = segment;
                    slot
                } else {
                    if segment.meaning != Meaning::of(Target::End) || !entry.ends(value) {
                        return (number, Behind::Other);
                    }
                    number += 1;
                    if shapes.wants_seam() {
                        *ending = Some(Ending { before: before.number, segment: at..value });
                    }
                    break value;
                };
                let Some(end) = index.stop(value) else { return (number, Behind::Nothing) };
                // Texts that are empty or padded, or hold a reference, need a closer look. Where a second one is, the parser
                // says so.
                at = if bytes[end] == b'<' && value < end && bytes[value] > b' ' && bytes[end - 1] > b' ' {
                    if slot.fill(value, end).is_none() {
                        return (number, Behind::Nothing);
                    }
                    end
                } else {
                    let text = odd_text(index, window, value..end, &mut slots.scratch);
                    let Some((text, end)) = text else { return (number, Behind::Nothing) };
                    if slot.keep(text).is_none() {
                        return (number, Behind::Nothing);
                    }
                    end
                };
            };
        }
        (number, Behind::Stretch)
    }
}

impl PlainEntry {
    /// Ends it, if it is one that a stretch can have.
    #[inline(always)]
    fn ends(&mut self, end: usize) -> bool {
        self.end = end as u32;
        self.range().len() <= stretch::ENTRY_BYTES && !self.fields[Field::Loc as usize].is_empty()
    }
}
