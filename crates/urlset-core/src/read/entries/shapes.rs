//! What is written between the values of entries, as it was met before.
//!
//! A generator writes all its entries alike. From one value to the next, the same text stands there again and again: a
//! closing tag, blanks, an opening tag. Such a text is a segment. The segments that were met, and which followed which, are
//! learned from entries that the parser has read; a comparison with one of them then proves what it has proved.

use std::ops::Range;

use fearless_simd::{Simd, prelude::*, u8x32};

use super::meaning::{Meaning, Target};
use super::slots::Slot;
use crate::read::index::window::is_blank;

/// Segments that are kept: an entry with all of its fields has a dozen.
const MAX_SEGMENTS: usize = 64;
/// Segments that are kept as those that follow one.
const MAX_NEXT: usize = 4;
/// Names of elements that are skipped with what is inside of them.
const MAX_SKIPPED: usize = 16;
/// The number that no segment has, and no field.
const NONE: u8 = u8::MAX;
/// Bytes of a segment that are compared at once, and how often at most.
const BLOCK: usize = 32;
const MAX_BLOCKS: usize = 4;
/// Entries that are learned from without one being recognised, before the document is taken for one without a pattern.
const MISS_BUDGET: u32 = 64;
/// Segments from one entry into the next that are learned of the same declarations: a generator has one, or a few where the
/// last field of an entry may be missing.
const MAX_BOUNDARIES: u32 = 8;

/// Bytes of a segment that are compared at once, and a bit for each that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Block {
    bytes: [u8; BLOCK],
    counts: u64,
}

impl Block {
    fn new(text: &[u8]) -> Self {
        let mut bytes = [0; BLOCK];
        bytes[..text.len()].copy_from_slice(text);
        Block { bytes, counts: (1 << text.len()) - 1 }
    }

    /// Whether it is what was found, where it counts.
    #[inline(always)]
    fn is<S: Simd>(&self, simd: S, found: &[u8; BLOCK]) -> bool {
        let equal = u8x32::from_slice(simd, found).simd_eq(u8x32::from_slice(simd, &self.bytes));
        !equal.to_bitmask() & self.counts == 0
    }
}

/// Where an entry ends inside a segment, where the next one begins, and by which segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryBoundary {
    pub end: usize,
    pub start: usize,
    first: u8,
}

/// Text that was met between two values.
#[derive(Debug)]
pub struct Segment {
    pub meaning: Meaning,
    /// It reaches from one entry into the next.
    pub boundary: Option<EntryBoundary>,
    /// Its own number.
    pub number: u8,
    /// The number of the field whose text follows, if nothing begins inside the segment and it holds no value; else `NONE`.
    field: u8,
    /// The same if it also is one block and no boundary: that is all that has to be asked of most segments.
    simple: u8,
    pub length: usize,
    blocks: usize,
    text: [Block; MAX_BLOCKS],
    /// The segments that followed it, by their numbers, and `NONE` behind them.
    next: [u8; MAX_NEXT],
}

/// The end of an entry: the number of the segment before its last value, and where the one behind that stands.
#[derive(Debug, Clone)]
pub struct Ending {
    pub before: u8,
    pub segment: Range<usize>,
}

impl Segment {
    fn new(text: &[u8], meaning: Meaning) -> Self {
        let mut blocks = [Block::default(); MAX_BLOCKS];
        for (block, part) in blocks.iter_mut().zip(text.chunks(BLOCK)) {
            *block = Block::new(part);
        }
        let field = match meaning.target {
            Target::Field(field) if !meaning.holds_more() => field as u8,
            _ => NONE,
        };
        Segment {
            meaning,
            boundary: None,
            number: NONE,
            field,
            simple: if text.len() <= BLOCK { field } else { NONE },
            length: text.len(),
            blocks: text.len().div_ceil(BLOCK),
            text: blocks,
            next: [NONE; MAX_NEXT],
        }
    }

    /// The place of the field whose text follows, if nothing else has to be known of the segment.
    #[inline(always)]
    pub fn simple<'s>(&self, fields: &'s mut [Slot; 4]) -> Option<&'s mut Slot> {
        fields.get_mut(usize::from(self.simple))
    }

    /// The place of the field whose text follows, if nothing begins inside the segment.
    #[inline(always)]
    pub fn field<'s>(&self, fields: &'s mut [Slot; 4]) -> Option<&'s mut Slot> {
        fields.get_mut(usize::from(self.field))
    }

    /// Whether another one is the same text with the same meaning.
    fn is(&self, other: &Segment) -> bool {
        (self.meaning, self.boundary, self.length, self.text)
            == (other.meaning, other.boundary, other.length, other.text)
    }

    /// Whether its blocks from the second on stand at `at`.
    #[inline(always)]
    fn goes_on<S: Simd>(&self, simd: S, window: &[u8], at: usize) -> bool {
        for (block, from) in self.text[1..self.blocks].iter().zip((at..).step_by(BLOCK)) {
            let found = window.get(from..).and_then(<[u8]>::first_chunk);
            if !found.is_some_and(|found| block.is(simd, found)) {
                return false;
            }
        }
        true
    }
}

/// The segments of a document.
#[derive(Debug)]
pub struct Shapes {
    /// The first is empty: what follows it begins an entry.
    segments: Vec<Segment>,
    /// The declarations under which they were met.
    generation: u32,
    /// The names of the elements around the values, the entry's and the image's: what may close is then known from what
    /// comes next.
    names: [Box<str>; 2],
    /// Names of elements of items that are skipped with the elements inside.
    skipped: Vec<Box<str>>,
    miss_budget: u32,
    /// How many more boundaries are learned.
    boundaries: u32,
    /// How many entries were recognised.
    #[cfg(test)]
    pub recognised: u64,
}

impl Default for Shapes {
    fn default() -> Self {
        Shapes {
            segments: Vec::new(),
            generation: 0,
            names: Default::default(),
            skipped: Vec::new(),
            miss_budget: MISS_BUDGET,
            boundaries: MAX_BOUNDARIES,
            #[cfg(test)]
            recognised: 0,
        }
    }
}

impl Shapes {
    /// Knows nothing, and learns nothing.
    #[cfg(test)]
    pub fn none() -> Self {
        Shapes { miss_budget: 0, ..Shapes::default() }
    }

    /// Entries were recognised of late, or there were too few to tell.
    pub fn has_miss_budget(&self) -> bool {
        self.miss_budget > 0
    }

    /// Whether an entry under these declarations may be recognised.
    #[inline(always)]
    pub fn has(&self, generation: u32) -> bool {
        self.generation == generation && !self.segments.is_empty()
    }

    /// The empty one, which the first segment of an entry follows.
    #[inline(always)]
    pub fn first(&self) -> Option<&Segment> {
        self.segments.first()
    }

    /// The segment at `at`, if it has followed the one `before`. Only a walk from one entry to the next takes boundaries.
    #[inline(always)]
    pub fn next<S: Simd, const TAKES_BOUNDARIES: bool>(
        &self,
        simd: S,
        before: &Segment,
        window: &[u8],
        at: usize,
    ) -> Option<&Segment> {
        // A whole block is compared at once, so the last entries of a window are left to the parser.
        let found = window.get(at..)?.first_chunk::<BLOCK>()?;
        for number in before.next {
            let segment = self.segments.get(usize::from(number))?;
            let is_wanted = TAKES_BOUNDARIES || segment.boundary.is_none();
            let is_short = || segment.simple != NONE || segment.blocks <= 1;
            if is_wanted && segment.text[0].is(simd, found) && (is_short() || segment.goes_on(simd, window, at + BLOCK))
            {
                return Some(segment);
            }
        }
        None
    }

    /// So many entries were recognised.
    #[inline(always)]
    pub fn succeed(&mut self, entries: usize) {
        if entries > 0 {
            self.miss_budget = MISS_BUDGET;
        }
        #[cfg(test)]
        {
            self.recognised += entries as u64;
        }
    }

    /// Whether to learn from an entry of this name, which then begins.
    pub fn begin(&mut self, generation: u32, name: &str) -> bool {
        if self.miss_budget == 0 {
            return false;
        }
        self.miss_budget -= 1;
        if !self.has(generation) {
            self.segments.clear();
            self.keep(Segment::new(b"", Meaning::of(Target::End)));
            self.generation = generation;
            self.boundaries = MAX_BOUNDARIES;
            self.names = [name.into(), "".into()];
            self.skipped.clear();
        }
        *self.names[0] == *name
    }

    /// Whether to learn from an image of this name.
    pub fn begin_image(&mut self, name: &str) -> bool {
        let known = &mut self.names[1];
        if known.is_empty() {
            *known = name.into();
        }
        **known == *name
    }

    /// The number of the skipped elements of this name. `None`: there are too many.
    pub fn begin_skipped(&mut self, name: &str) -> Option<u8> {
        let known = self.skipped.iter().position(|known| **known == *name);
        if known.is_none() && self.skipped.len() < MAX_SKIPPED {
            self.skipped.push(name.into());
            return Some(self.skipped.len() as u8);
        }
        Some(known? as u8 + 1)
    }

    /// Keeps a segment that has followed the one `before`, and returns its number. `None`: there are too many, or it is too long.
    pub fn learn(&mut self, before: usize, text: &[u8], meaning: Meaning) -> Option<usize> {
        if text.len() > BLOCK * MAX_BLOCKS {
            return None;
        }
        let segment = Segment::new(text, meaning);
        let number = match self.segments.iter().skip(1).position(|known| known.is(&segment)) {
            Some(position) => position + 1,
            None if self.segments.len() == MAX_SEGMENTS => return None,
            None => self.keep(segment),
        };
        let next = &mut self.segments[before].next;
        if !next.contains(&(number as u8)) {
            let free = next.iter().position(|number| *number == NONE).unwrap_or(MAX_NEXT - 1);
            next[free] = number as u8;
            // It begins as the segment before a plain text does, so it has to be tried first.
            if meaning.is_section {
                next[..=free].rotate_right(1);
            }
        }
        Some(number)
    }

    /// Whether another segment that reaches from one entry into the next can be learned.
    #[inline(always)]
    pub fn wants_boundary(&self) -> bool {
        self.boundaries > 0
    }

    /// Learns that what stands between the last value of an entry and the first of the next one is written like this: it is
    /// then compared at once. The next entry begins at `start`.
    #[cold]
    pub fn learn_boundary<S: Simd>(&mut self, simd: S, window: &[u8], ending: Ending, start: Option<usize>) {
        self.boundaries -= 1;
        let Ending { before, segment } = ending;
        let Some(start) = start.filter(|start| is_blank(window, segment.end..*start)) else { return };
        let Some(first) = self.first().and_then(|none| self.next::<S, false>(simd, none, window, start)) else {
            return;
        };
        let text = &window[segment.start..start + first.length];
        if first.field == NONE || self.segments.len() == MAX_SEGMENTS || text.len() > BLOCK * MAX_BLOCKS {
            return;
        }
        let boundary = Some(EntryBoundary { end: segment.len(), start: start - segment.start, first: first.number });
        let segment = Segment { boundary, simple: NONE, ..Segment::new(text, first.meaning) };
        let next = self.segments[usize::from(before)].next;
        let is_known =
            next.iter().filter_map(|number| self.segments.get(usize::from(*number))).any(|known| known.is(&segment));
        // None of those that follow is forgotten for it.
        if is_known || next[MAX_NEXT - 1] != NONE {
            return;
        }
        let number = self.keep(segment);
        // It begins as the end of an entry does, so it has to be tried first.
        let next = &mut self.segments[usize::from(before)].next;
        next.rotate_right(1);
        next[0] = number as u8;
    }

    /// The segment by which the entry behind a boundary begins.
    #[inline(always)]
    pub fn first_of(&self, boundary: EntryBoundary) -> Option<&Segment> {
        self.segments.get(usize::from(boundary.first))
    }

    fn keep(&mut self, segment: Segment) -> usize {
        let number = self.segments.len();
        self.segments.push(Segment { number: number as u8, ..segment });
        number
    }
}
