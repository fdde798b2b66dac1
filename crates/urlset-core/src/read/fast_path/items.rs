//! Items of feeds that are written as earlier ones were: only their values are read, and the text between them is compared.

use std::ops::Range;

use fearless_simd::{Simd, dispatch, prelude::*, u8x64};

use super::odd_value::{odd_attribute, odd_text};
use crate::diagnostic::Notebook;
use crate::read::document::Document;
use crate::read::entries::meaning::{HrefState, Meaning, Target};
use crate::read::entries::sink::Sink;
use crate::read::entries::slots::{EntrySlots, ItemSlots, Slot};
use crate::read::grammar::content::{Content, is_padded, stripped_scratch};
use crate::read::index::structural_index::StructuralIndex;
use crate::read::index::window::is_blank;
use crate::read::lexer::attribute_cache::value_end;
use crate::read::lexer::markup::{SECTION_END, SECTION_START};
use crate::read::namespaces::element::Field;
use crate::read::stop::Stop;

impl Document {
    /// Takes the items of a feed for as long as they are written as earlier ones.
    pub fn shaped_items(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        let level = self.content.level;
        while let Some(range) = dispatch!(level, simd => self.content.shaped_item(simd, window, *at)) {
            self.hand_out_shaped(range, window, at, sink, notebook)?;
        }
        Ok(())
    }
}

impl Content {
    /// Fills the slots from the item at or after `at` and returns its range, if all of it is there and it is written as
    /// earlier ones.
    #[inline(always)]
    fn shaped_item<S: Simd>(&mut self, simd: S, window: &str, at: usize) -> Option<Range<usize>> {
        let bytes = window.as_bytes();
        let start = self.index.markup(bytes, at)?;
        let is_text = self.tags.keeps_unread && !is_blank(bytes, at..start);
        if is_text || self.index.has_section_end_in(bytes, at..start) {
            return None;
        }
        self.slots.clear();
        self.slots.item = ItemSlots::default();
        let end = self.item_values(simd, window, start);
        // Without a link its id may be one, of which the parser knows more.
        if end.is_none() || self.slots.loc().is_empty() {
            self.passed_over.clear();
            return None;
        }
        self.shapes.succeed(1);
        Some(start..end?)
    }

    /// Fills the slots from an item and returns where it ends, if that can be told from its shape.
    #[inline(always)]
    fn item_values<S: Simd>(&mut self, simd: S, window: &str, start: usize) -> Option<usize> {
        let Content { shapes, slots, index, passed_over, .. } = self;
        let (mut segment, mut at) = (shapes.first()?, start);
        // Of the link of Atom whose tag has not ended yet.
        let mut address = Slot::default();
        loop {
            segment = shapes.next::<S, false>(simd, segment, window.as_bytes(), at)?;
            at += segment.length;
            let Meaning { target, is_section, ends_link, counted, .. } = segment.meaning;
            if let Some(place) = counted {
                passed_over.push(place);
            }
            // The first link to the page that has an address counts.
            if ends_link && !slots.loc().is_present() && !address.is_empty() {
                slots.fields[Field::Loc as usize] = address;
            }
            at = match target {
                Target::End => return Some(at),
                Target::FeedLink(link) => {
                    let (value, end) = attribute(simd, window, at, &mut slots.scratch)?;
                    if link.href == HrefState::Follows {
                        address = value;
                    }
                    end
                }
                Target::SkippedValue(_) => attribute(simd, window, at, &mut slots.scratch)?.1,
                Target::Skipped(_) if is_section => section_end_at(simd, window.as_bytes(), at)?,
                Target::Skipped(_) => text(index, window, at, &mut slots.scratch)?.1,
                _ => {
                    let (value, end) = match is_section {
                        true => section(window, at..section_end_at(simd, window.as_bytes(), at)?, &mut slots.scratch)?,
                        false => text(index, window, at, &mut slots.scratch)?,
                    };
                    slots.keep_of_item(target, value)?;
                    end
                }
            };
        }
    }
}

impl EntrySlots {
    /// Keeps a value of an item. `None`: the item has one already, and the parser decides between them.
    #[inline(always)]
    fn keep_of_item(&mut self, target: Target, value: Slot) -> Option<()> {
        match target {
            Target::Field(field) => self.fields[field as usize].keep(value),
            Target::FeedId => self.item.id.keep(value),
            Target::FeedDate(rank) => {
                if !self.lastmod().is_present() || rank < self.item.date_rank {
                    self.fields[Field::Lastmod as usize] = value;
                    self.item.date_rank = rank;
                }
                Some(())
            }
            // Of an entry of a sitemap.
            _ => None,
        }
    }
}

/// The text at `at`, and where it ends.
#[inline(always)]
fn text(index: &StructuralIndex, window: &str, at: usize, scratch: &mut String) -> Option<(Slot, usize)> {
    let bytes = window.as_bytes();
    let end = index.stop(at)?;
    // Texts that are empty or padded, or hold a reference, need a closer look.
    let (value, end) = match bytes[end] == b'<' && at < end && bytes[at] > b' ' && bytes[end - 1] > b' ' {
        true => (Slot::window(at, end), end),
        false => odd_text(index, window, at..end, scratch)?,
    };
    (!index.has_section_end_in(bytes, at..end)).then_some((value, end))
}

/// The text of a CDATA section, which is all that its element holds, and where it ends.
#[inline(never)]
fn section(window: &str, text: Range<usize>, scratch: &mut String) -> Option<(Slot, usize)> {
    // Line ends have to be normalised.
    if window.as_bytes()[text.clone()].contains(&b'\r') {
        return None;
    }
    let start = scratch.len();
    scratch.push_str(&window[text.clone()]);
    let written = text.start - SECTION_START.len()..text.end + SECTION_END.len();
    Some((stripped_scratch(scratch, start, window, written), text.end))
}

/// The value of the attribute at `at`, and where it ends.
#[inline(always)]
fn attribute<S: Simd>(simd: S, window: &str, at: usize, scratch: &mut String) -> Option<(Slot, usize)> {
    let end = value_end(simd, window.as_bytes(), at)?;
    match window.as_bytes()[end] == b'"' && !is_padded(window.as_bytes(), at..end) {
        true => Some((Slot::window(at, end), end)),
        false => odd_attribute(window, at, scratch),
    }
}

/// The first `]]>` at or after `at`. `None`: the window ends before it, or shortly after.
#[inline(always)]
fn section_end_at<S: Simd>(simd: S, window: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let bytes = u8x64::from_slice(simd, window.get(at..)?.first_chunk::<64>()?);
        let mut brackets = bytes.simd_eq(b']').to_bitmask();
        while brackets != 0 {
            let end = at + brackets.trailing_zeros() as usize;
            if window[end..].starts_with(SECTION_END.as_bytes()) {
                return Some(end);
            }
            brackets &= brackets - 1;
        }
        at += 64;
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;
    use crate::read::tests::levels::levels;

    #[test]
    fn every_level_finds_the_end_of_a_section_as_a_search_would() {
        let pieces = ["]]>", "]", "]]", ">", "a", "of-sixteen-bytes", "of a few more bytes than sixteen"];
        let find = |level: Level, window: &[u8], at| dispatch!(level, simd => section_end_at(simd, window, at));
        for seed in 1..500 {
            let mut numbers = crate::tests::Numbers(seed);
            let text: String = (0..numbers.below(20)).map(|_| pieces[numbers.below(7) as usize]).collect();
            let window = format!("{text}{}", "x".repeat(64));
            for level in levels() {
                for start in 0..text.len() {
                    let end = text[start..].find("]]>").map(|offset| start + offset);
                    assert_eq!(find(level, window.as_bytes(), start), end, "{level:?} {start} {text}");
                }
            }
        }
    }
}
