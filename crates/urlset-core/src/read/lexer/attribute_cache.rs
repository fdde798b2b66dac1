//! Tags with attributes that have the form of an earlier one: the same names, quotes and blanks around other values.
//!
//! A generator writes all its links alike. Comparing what stands between the values with what stood there the last time is
//! several times as fast as parsing it, and proves the same: that the tag is well-formed, and what it means.

use fearless_simd::{Simd, prelude::*, u8x32};
use wide::u8x16;

use super::tag::{Attribute, LONGEST_KEY, Tag, TagKind, chunk};
use super::tag_cache::first_bytes;
use crate::read::index::structural_index::StructuralIndex;
use crate::read::namespaces::element::Element;

/// Forms that are kept: a sitemap has one or two, an entry of a feed up to six.
const MAX_FORMS: usize = 8;
/// Bytes of a tag that is worth keeping.
const LONGEST: usize = 1_024;
/// Forms that are kept without one being used again, before the cache stops keeping new ones.
const PATIENCE: u32 = 256;

/// What stands between values or around them, as compared with what is written.
#[derive(Debug)]
struct Literal {
    bytes: Box<[u8]>,
    /// Its first bytes, up to 16 of them, and a mask of these.
    first: u128,
    mask: u128,
}

impl Literal {
    fn new(bytes: &[u8]) -> Self {
        let mut first = [0; LONGEST_KEY];
        let length = bytes.len().min(LONGEST_KEY);
        first[..length].copy_from_slice(&bytes[..length]);
        Literal { bytes: bytes.into(), first: u128::from_le_bytes(first), mask: first_bytes(length) }
    }

    /// Where it ends, if it stands at `at`.
    #[inline(always)]
    fn end(&self, window: &[u8], at: usize) -> Option<usize> {
        let end = at + self.bytes.len();
        let is_here = match chunk(window, at) {
            // Most are short, and a comparison takes less time than a call.
            Some(chunk) if (chunk ^ self.first) & self.mask != 0 => false,
            Some(_) if self.bytes.len() <= LONGEST_KEY => true,
            _ => window.get(at..end)? == &*self.bytes,
        };
        is_here.then_some(end)
    }
}

/// What stands before a value, up to its opening quote, and where in it the attribute's name stands.
#[derive(Debug)]
struct Part {
    before: Literal,
    name_start: usize,
    name_end: usize,
    quote: u8,
}

#[derive(Debug)]
struct Template {
    generation: u32,
    kind: TagKind,
    element: Element,
    name_start: usize,
    name_end: usize,
    parts: Vec<Part>,
    /// What stands after the last value.
    after: Literal,
    /// The place of the form that came after it the last time: entries are alike, so it comes again.
    next: usize,
}

/// The forms that were met, and which came after which.
#[derive(Debug, Default)]
pub struct AttributeCache {
    kept: Vec<Template>,
    /// The place of the one that was met last.
    last: usize,
    /// Where the next new one is kept, once there is no more room.
    oldest: usize,
    in_vain: u32,
}

impl AttributeCache {
    /// The tag at `at`, if it has a form that is known under the same declarations and its values are plain; its
    /// attributes are then those.
    #[inline]
    pub fn find(
        &mut self,
        window: &[u8],
        at: usize,
        index: &StructuralIndex,
        generation: u32,
        attributes: &mut Vec<Attribute>,
    ) -> Option<Tag> {
        let fit = |template: &Template, attributes: &mut Vec<Attribute>| match template.generation == generation {
            true => template.fit(window, at, index, attributes),
            false => None,
        };
        let expected = self.kept.get(self.last)?.next;
        let found = match self.kept.get(expected).and_then(|template| fit(template, attributes)) {
            Some(tag) => (expected, tag),
            None => {
                let mut others = self.kept.iter().enumerate().filter(|(place, _)| *place != expected);
                others.find_map(|(place, template)| Some((place, fit(template, attributes)?)))?
            }
        };
        self.met(found.0);
        self.in_vain = 0;
        Some(found.1)
    }

    /// The form at this place was met.
    #[inline(always)]
    fn met(&mut self, place: usize) {
        self.kept[self.last].next = place;
        self.last = place;
    }

    /// Keeps the form of a tag that was read, unless it is unlikely to come again.
    pub fn remember(&mut self, window: &[u8], tag: &Tag, generation: u32, attributes: &[Attribute]) {
        let is_usual = !attributes.is_empty() && attributes.iter().all(|attribute| attribute.is_plain);
        if tag.kind == TagKind::Close || tag.scoped || !is_usual || tag.end - tag.start > LONGEST {
            return;
        }
        if self.in_vain == PATIENCE {
            return;
        }
        self.in_vain += 1;
        let mut parts = Vec::with_capacity(attributes.len());
        let mut from = tag.start;
        for attribute in attributes {
            let (start, end) = (attribute.value.start, attribute.value.end);
            parts.push(Part {
                before: Literal::new(&window[from..start]),
                name_start: attribute.name.start - from,
                name_end: attribute.name.end - from,
                quote: window[start - 1],
            });
            from = end;
        }
        let (name_start, name_end) = (tag.name_start - tag.start, tag.name_end - tag.start);
        let after = Literal::new(&window[from..tag.end]);
        let (kind, element) = (tag.kind, tag.element);
        let template = Template { generation, kind, element, name_start, name_end, parts, after, next: 0 };
        let place = if self.kept.len() < MAX_FORMS { self.kept.len() } else { self.oldest };
        if place == self.kept.len() {
            self.kept.push(template);
        } else {
            self.kept[place] = template;
            self.oldest = (place + 1) % MAX_FORMS;
        }
        self.met(place);
    }
}

impl Template {
    #[inline]
    fn fit(&self, window: &[u8], at: usize, index: &StructuralIndex, attributes: &mut Vec<Attribute>) -> Option<Tag> {
        attributes.clear();
        let mut from = at;
        for part in &self.parts {
            let start = part.before.end(window, from)?;
            let end = plain_value(window, start, part.quote)?;
            let name = from + part.name_start..from + part.name_end;
            attributes.push(Attribute { name, value: start..end, is_plain: true });
            from = end;
        }
        let end = self.after.end(window, from)?;
        if index.stop(at + 1).is_some_and(|stop| stop < end) {
            return None;
        }
        Some(Tag::new(self.kind, self.element, at, at + self.name_start..at + self.name_end, end))
    }
}

/// Where the value that begins at `at` ends, if its quote comes before anything that needs a closer look. A value
/// that ends with the window is left to the slower path.
#[inline(always)]
pub fn plain_value(window: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    let (quotes, controls) = (u8x16::splat(quote), u8x16::splat(0x1f));
    loop {
        let chunk = u8x16::new(*window.get(at..)?.first_chunk::<16>()?);
        let found = (chunk.simd_eq(quotes) | chunk.simd_eq(chunk.min(controls))).to_bitmask();
        if found != 0 {
            let end = at + found.trailing_zeros() as usize;
            return (window[end] == quote).then_some(end);
        }
        at += 16;
    }
}

/// The first byte at or after `at` that ends the value of an attribute in `"` or needs a closer look: a reference, a `<`, or
/// a control character. `None`: the window ends before it, or shortly after.
#[inline(always)]
pub fn value_end<S: Simd>(simd: S, window: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let bytes = u8x32::from_slice(simd, window.get(at..)?.first_chunk::<32>()?);
        let markup = bytes.simd_eq(b'"') | bytes.simd_eq(b'<') | bytes.simd_eq(b'&');
        let found = (markup | bytes.simd_lt(0x20)).to_bitmask();
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += 32;
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;
    use crate::read::tests::levels::levels;

    fn value_end_at(level: Level, window: &[u8], at: usize) -> Option<usize> {
        dispatch!(level, simd => value_end(simd, window, at))
    }

    #[test]
    fn every_level_finds_the_end_of_a_value_as_a_search_would() {
        let stops = |byte: &u8| matches!(byte, b'"' | b'<' | b'&' | 0..0x20);
        for level in levels() {
            for byte in 0..=255 {
                for place in 0..96 {
                    let mut window = [b'x'; 128];
                    window[place] = byte;
                    for start in [0, 1, place, place + 1] {
                        let end = window[start..].iter().position(stops).map(|offset| start + offset);
                        assert_eq!(
                            value_end_at(level, &window, start),
                            end,
                            "{level:?} {byte} at {place} from {start}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn an_end_too_near_to_that_of_the_window_is_not_looked_for() {
        let window = [b'"'; 40];
        for level in levels() {
            let ends = [8, 9, 41].map(|at| value_end_at(level, &window, at));
            assert_eq!(ends, [Some(8), None, None], "{level:?}");
        }
    }
}
