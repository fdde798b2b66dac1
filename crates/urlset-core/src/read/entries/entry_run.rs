//! Entries in a row that hold nothing but fields, which nearly all entries of most documents do. A sink can take them many
//! at once: value after value of one column, instead of column after column of one entry.

use std::ops::Range;

use super::slots::Slot;
use crate::read::index::structural_index::{EntryLine, StructuralIndex};
use crate::read::kind::Kind;
use crate::read::namespaces::element::Field;

/// Entries of an entry run at most: few enough to stay in the fastest cache, and to have a bit each in one word.
pub const MAX_RUN: usize = u64::BITS as usize;
/// Bytes of one of them at most, so that bounds of texts need to be checked once an entry run and not for each entry.
pub const ENTRY_BYTES: usize = 4096;

/// An entry that holds nothing but fields. At least its loc has a text.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainEntry {
    /// Of its opening `<`, and after its closing `>`.
    pub start: u32,
    pub end: u32,
    /// By the number of their `Field`.
    pub fields: [Slot; 4],
}

impl PlainEntry {
    /// From its opening `<` to its closing `>`.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A part of a document that is nothing but plain entries.
#[derive(Debug, Clone, Copy)]
pub struct EntryRun<'a> {
    /// Of the document they are in.
    pub document: Kind,
    /// What the values are parts of, as [`Slot::place`] counts them: nothing, the window, and the texts in which references
    /// were resolved.
    pub texts: [&'a str; 3],
    pub entries: &'a [PlainEntry],
    pub index: &'a StructuralIndex,
    pub line: &'a EntryLine,
}

impl<'a> EntryRun<'a> {
    /// Whether its entries are lines: each has a loc and no other field.
    #[inline(always)]
    pub fn is_of_lines(&self) -> bool {
        self.document == Kind::Text
    }

    /// The bit of the entry behind so many, if there is one.
    #[inline(always)]
    pub fn bit(&self, before: u64) -> u64 {
        if before < self.entries.len() as u64 { 1 << before } else { 0 }
    }

    /// The value of a field as a part of a longer text; an absent one is a part of no length.
    #[inline(always)]
    pub fn part(&self, entry: &PlainEntry, field: Field) -> (&'a str, Range<usize>) {
        let (text, range) = entry.fields[field as usize].place();
        (self.texts[text], range)
    }

    /// The value of a field as bytes; an empty one is absent.
    #[inline(always)]
    pub fn bytes(&self, entry: &PlainEntry, field: Field) -> Option<&'a [u8]> {
        let (whole, range) = self.part(entry, field);
        whole.as_bytes().get(range).filter(|bytes| !bytes.is_empty())
    }

    /// The entries that have a value, which is not empty: a bit for each.
    #[inline(always)]
    pub fn present(&self, field: Field) -> u64 {
        if self.is_of_lines() && field != Field::Loc {
            return 0;
        }
        let is_present = |entry: &PlainEntry| !entry.fields[field as usize].is_empty();
        self.entries.iter().rev().fold(0, |bits, entry| bits << 1 | u64::from(is_present(entry)))
    }

    /// The line on which an entry begins.
    #[inline(always)]
    pub fn line_of(&self, entry: &PlainEntry) -> u32 {
        self.line.of(self.index, entry.start as usize)
    }
}
