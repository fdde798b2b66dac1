//! Tags without attributes that were read before, recognised by comparing 16 bytes at once.

use super::tag::{LONGEST_KEY, Tag, TagKind, chunk};
use crate::read::namespaces::element::Element;

const SLOTS: usize = 64;
/// A tag without attributes that was seen before under the same declarations.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The bytes of its name and the `>`, the first lowest, and a mask of them: what the window has to have there.
    bytes: u128,
    mask: u128,
    /// The same of its closing tag; no mask where that is too long.
    close: u128,
    close_mask: u128,
    length: usize,
    generation: u32,
    element: Element,
    /// The slot of the tag that came after it the last time: entries are alike, so it comes again.
    next: usize,
}

impl Known {
    #[inline(always)]
    fn is_at(&self, chunk: u128, generation: u32) -> bool {
        (chunk ^ self.bytes) & self.mask == 0 && self.generation == generation
    }
}

/// The tags that were met, each in the slot of its name, and which came after which.
#[derive(Debug)]
pub struct TagCache {
    /// In a place of its own: the reader of a tiny document is moved more often than a tag of it is looked up.
    known: Box<[Known; SLOTS]>,
    /// The slot of the one that was met last.
    last: usize,
}

impl Default for TagCache {
    fn default() -> Self {
        // Nothing is met under this generation, so an empty slot is never found.
        let nothing = Known {
            bytes: 0,
            mask: 0,
            close: 0,
            close_mask: 0,
            length: 0,
            generation: u32::MAX,
            element: Element::Other,
            next: 0,
        };
        TagCache { known: Box::new([nothing; SLOTS]), last: 0 }
    }
}

impl TagCache {
    /// The tag whose `<` is at `at`, if it is an open tag without attributes that was met under the same declarations.
    #[inline(always)]
    pub fn find(&mut self, window: &[u8], at: usize, generation: u32) -> Option<Tag> {
        let chunk = chunk(window, at + 1)?;
        let mut found = self.known[self.last].next;
        if !self.known[found].is_at(chunk, generation) {
            found = slot(short_name(chunk)?.0);
            if !self.known[found].is_at(chunk, generation) {
                return None;
            }
            self.known[self.last].next = found;
        }
        self.last = found;
        let known = &self.known[found];
        Some(Tag {
            kind: TagKind::Open,
            element: known.element,
            start: at,
            name_start: at + 1,
            name_end: at + 1 + known.length,
            end: at + 2 + known.length,
            scoped: false,
            close: known.close,
            close_mask: known.close_mask,
        })
    }

    /// Remembers an open tag that was read, if its name is short enough.
    pub fn remember(&mut self, window: &[u8], tag: &Tag, generation: u32) {
        let Some(chunk) = chunk(window, tag.start + 1) else { return };
        let Some((name, length)) = short_name(chunk) else { return };
        let slot = slot(name);
        let bytes = name | (b'>' as u128) << (8 * length);
        let fits = length <= LONGEST_KEY - "</>".len();
        self.known[slot] = Known {
            bytes,
            mask: first_bytes(length + 1),
            close: if fits { bytes << 16 | u128::from(u16::from_le_bytes(*b"</")) } else { 0 },
            close_mask: if fits { first_bytes(length + 3) } else { 0 },
            length,
            generation,
            element: tag.element,
            next: self.known[slot].next,
        };
    }
}

/// The 1 to 15 bytes before the first `>` of a chunk, and how many they are; `None` where they are more.
#[inline]
fn short_name(chunk: u128) -> Option<(u128, usize)> {
    const ONES: u128 = u128::from_le_bytes([1; 16]);
    const HIGHS: u128 = u128::from_le_bytes([0x80; 16]);
    // A byte of `zeros` is zero exactly where the tag has `>`; the trick finds the lowest such byte without a loop.
    let zeros = chunk ^ (ONES * b'>' as u128);
    let found = zeros.wrapping_sub(ONES) & !zeros & HIGHS;
    let length = (found.trailing_zeros() / 8) as usize;
    if found == 0 || length == 0 {
        return None;
    }
    Some((chunk & !(u128::MAX << (8 * length)), length))
}

/// A mask of the first bytes of a chunk, 1 to 16 of them.
pub(super) const fn first_bytes(count: usize) -> u128 {
    u128::MAX >> (8 * (LONGEST_KEY - count))
}

/// The slot of a name. The factor was drawn until the usual names of sitemaps, images, news and feeds had a slot each: two
/// of them that share one would be read anew in each entry.
#[inline]
fn slot(key: u128) -> usize {
    let folded = (key as u64) ^ ((key >> 64) as u64).rotate_left(32);
    (folded.wrapping_mul(0x1049_294c_f024_01ad) >> 58) as usize
}
