//! What is written between the values of entries, as it was met before.
//!
//! A generator writes all its entries alike. From one value to the next, the same text stands there again and again: a
//! closing tag, blanks, an opening tag. Such a text is a segment. The segments that were met, and which followed which, are
//! learned from entries that the parser has read; a comparison with one of them then proves what it has proved.

use wide::u8x16;

use super::element::{Element, Field};
use super::slots::Slot;

/// Segments that are kept: an entry with all of its fields has a dozen.
const MOST: usize = 64;
/// Segments that are kept as those that follow one.
const MOST_NEXT: usize = 4;
/// The number that no segment has, and no field.
const NONE: u8 = u8::MAX;
/// Bytes of a segment that are compared at once, and how often at most.
const BLOCK: usize = 32;
const MOST_BLOCKS: usize = 4;
/// Entries that are learned from without one being recognised, before the document is taken for one without a pattern.
const PATIENCE: u32 = 64;

/// What follows a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The text of a field of the entry.
    Field(Field),
    /// The text of a field of its last image.
    ImageField(Element),
    /// An attribute's value of its last link.
    Hreflang,
    Href,
    /// What comes after the entry.
    End,
}

/// What begins inside a segment, and at which byte of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    Nothing,
    Image(usize),
    Link(usize),
}

/// What a segment means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    pub target: Target,
    pub begins: Begins,
    /// Where in it the values of attributes stand that are the same for all links: `rel` and `media`.
    pub rel: Option<(usize, usize)>,
    pub media: Option<(usize, usize)>,
}

impl Meaning {
    pub fn of(target: Target) -> Self {
        Meaning { target, begins: Begins::Nothing, rel: None, media: None }
    }
}

type Block = [u8x16; 2];

#[inline(always)]
fn block(bytes: &[u8; BLOCK]) -> Block {
    let [low, high] = bytes.as_chunks::<16>().0 else { unreachable!("a block has two halves") };
    [u8x16::new(*low), u8x16::new(*high)]
}

/// Whether two blocks are equal where it counts.
#[inline(always)]
fn equal(found: Block, known: Block, counts: Block) -> bool {
    let differs = ((found[0] ^ known[0]) & counts[0]) | ((found[1] ^ known[1]) & counts[1]);
    differs.simd_eq(u8x16::ZERO).to_bitmask() == 0xffff
}

/// Text that was met between two values.
#[derive(Debug)]
pub struct Segment {
    pub meaning: Meaning,
    /// Something begins inside it, or it holds a value: what a segment between two fields never does.
    pub holds_more: bool,
    /// The number of the field whose text follows, or `NONE`: told faster than from the meaning.
    field: u8,
    pub length: usize,
    blocks: usize,
    bytes: [Block; MOST_BLOCKS],
    /// Of what counts in these.
    masks: [Block; MOST_BLOCKS],
    /// The segments that followed it, by their numbers, and `NONE` behind them.
    next: [u8; MOST_NEXT],
}

impl Segment {
    fn new(text: &[u8], meaning: Meaning) -> Self {
        let (mut bytes, mut masks) = ([[u8x16::ZERO; 2]; MOST_BLOCKS], [[u8x16::ZERO; 2]; MOST_BLOCKS]);
        for (part, (bytes, mask)) in text.chunks(BLOCK).zip(bytes.iter_mut().zip(&mut masks)) {
            let (mut known, mut counts) = ([0; BLOCK], [0; BLOCK]);
            known[..part.len()].copy_from_slice(part);
            counts[..part.len()].fill(0xff);
            (*bytes, *mask) = (block(&known), block(&counts));
        }
        let (length, blocks) = (text.len(), text.len().div_ceil(BLOCK));
        let holds_more = meaning != Meaning::of(meaning.target);
        let field = if let Target::Field(field) = meaning.target { field as u8 } else { NONE };
        Segment { meaning, holds_more, field, length, blocks, bytes, masks, next: [NONE; MOST_NEXT] }
    }

    /// The place of the field whose text follows, if one does.
    #[inline(always)]
    pub fn field<'s>(&self, fields: &'s mut [Slot; 4]) -> Option<&'s mut Slot> {
        fields.get_mut(usize::from(self.field))
    }

    /// Whether its blocks from the second on stand at `at`.
    #[inline(always)]
    fn goes_on(&self, window: &[u8], at: usize) -> bool {
        let blocks = &window[at..].as_chunks::<BLOCK>().0;
        let Some(blocks) = blocks.get(..self.blocks - 1) else { return false };
        let mut known = blocks.iter().zip(&self.bytes[1..]).zip(&self.masks[1..]);
        known.all(|((found, bytes), mask)| equal(block(found), *bytes, *mask))
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
    patience: u32,
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
            patience: PATIENCE,
            #[cfg(test)]
            recognised: 0,
        }
    }
}

impl Shapes {
    /// Knows nothing, and learns nothing.
    #[cfg(test)]
    pub fn none() -> Self {
        Shapes { patience: 0, ..Shapes::default() }
    }

    /// Entries were recognised of late, or there were too few to tell.
    #[cfg(test)]
    pub fn is_patient(&self) -> bool {
        self.patience > 0
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

    /// The segment at `at`, if it has followed the one `before`.
    #[inline(always)]
    pub fn next(&self, before: &Segment, window: &[u8], at: usize) -> Option<&Segment> {
        // A whole block is compared at once, so the last entries of a window are left to the parser.
        let found = window.get(at..)?.first_chunk::<BLOCK>()?;
        let found = block(found);
        for number in before.next {
            let segment = self.segments.get(usize::from(number))?;
            if equal(found, segment.bytes[0], segment.masks[0])
                && (segment.blocks <= 1 || segment.goes_on(window, at + BLOCK))
            {
                return Some(segment);
            }
        }
        None
    }

    /// An entry was recognised.
    #[inline(always)]
    pub fn succeed(&mut self) {
        self.patience = PATIENCE;
        #[cfg(test)]
        {
            self.recognised += 1;
        }
    }

    /// Whether to learn from an entry of this name, which then begins.
    pub fn begin(&mut self, generation: u32, name: &str) -> bool {
        if self.patience == 0 {
            return false;
        }
        self.patience -= 1;
        if !self.has(generation) {
            self.segments.clear();
            self.segments.push(Segment::new(b"", Meaning::of(Target::End)));
            self.generation = generation;
            self.names = [name.into(), "".into()];
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

    /// Keeps a segment that has followed the one `before`, and returns its number. `None`: there are too many, or it is too long.
    pub fn learn(&mut self, before: usize, text: &[u8], meaning: Meaning) -> Option<usize> {
        if text.len() > BLOCK * MOST_BLOCKS {
            return None;
        }
        let segment = Segment::new(text, meaning);
        let is_it = |known: &Segment| {
            (known.meaning, known.length, known.bytes) == (segment.meaning, segment.length, segment.bytes)
        };
        let number = match self.segments.iter().skip(1).position(is_it) {
            Some(position) => position + 1,
            None if self.segments.len() == MOST => return None,
            None => {
                self.segments.push(segment);
                self.segments.len() - 1
            }
        };
        let next = &mut self.segments[before].next;
        if !next.contains(&(number as u8)) {
            let free = next.iter().position(|number| *number == NONE);
            next[free.unwrap_or(MOST_NEXT - 1)] = number as u8;
        }
        Some(number)
    }
}
