//! One entry as it was written: slices of the window, or of a scratch text where references had to be resolved.

use std::ops::Range;

use super::slots::{EntrySlots, Slot};
use crate::diagnostic::removal::whole_lines;
use crate::diagnostic::{Fix, Safety};
use crate::read::kind::Kind;
use crate::xml::escaped;

/// Which of the two entries it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Url,
    Sitemap,
}

/// A complete entry, lent to a [`Sink`](super::sink::Sink) for as long as one call lasts.
#[derive(Debug)]
pub struct Entry<'a> {
    pub kind: EntryKind,
    /// Of the document it is in.
    pub document: Kind,
    pub window: &'a str,
    /// Where what belongs to it begins, with the blanks before it.
    pub piece: usize,
    /// Of its opening `<`, and after its closing `>`.
    pub start: usize,
    pub end: usize,
    pub line: u32,
    pub slots: &'a EntrySlots,
}

impl<'a> Entry<'a> {
    /// All of it, with the line that it begins: what has to be removed to drop it.
    pub fn whole(&self) -> Range<usize> {
        if self.document == Kind::Text && self.piece == self.start {
            // What ends the line before it may not be in the window. Its own end is.
            let end = match self.window.as_bytes()[self.end..] {
                [b'\r', b'\n', ..] => 2,
                [b'\r' | b'\n', ..] => 1,
                _ => 0,
            };
            return self.start..self.end + end;
        }
        whole_lines(self.window, self.piece, self.start..self.end)
    }

    /// Replaces the text of a value, escaped as this document needs it.
    pub fn fixed_value(&self, written: Range<usize>, safety: Safety, text: &str) -> Fix {
        let text = match self.document {
            Kind::Text | Kind::Robots => text.to_owned(),
            _ => escaped(text),
        };
        Fix::replace(safety, written, text)
    }

    /// Where its loc is written; the beginning of the entry if it has no loc, or takes it from elsewhere.
    pub fn loc_range(&self) -> Range<usize> {
        let slot = *self.slots.loc();
        if slot.is_present() { slot.written() } else { self.start..self.start + 1 }
    }

    /// The value of a slot, references resolved and outer blanks stripped; an empty one is absent.
    #[inline(always)]
    pub fn text(&self, slot: Slot) -> Option<&'a str> {
        self.part(&slot).map(|(whole, range)| &whole[range])
    }

    /// The same as bytes. A text would have to be asked whether it begins and ends with a character.
    #[inline(always)]
    pub fn bytes(&self, slot: &Slot) -> Option<&'a [u8]> {
        let (whole, range) = self.part(slot)?;
        whole.as_bytes().get(range)
    }

    /// The value of a slot as a part of a longer text.
    #[inline(always)]
    pub fn part(&self, slot: &Slot) -> Option<(&'a str, Range<usize>)> {
        slot.part_of(self.window, &self.slots.scratch).filter(|(_, range)| !range.is_empty())
    }
}
