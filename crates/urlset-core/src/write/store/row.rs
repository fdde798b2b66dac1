//! Rows as a store holds them, of whatever kind.

use std::fmt::Debug;

use crate::compact::{push_number, take_number};

/// A row as a store holds it. It is sorted by its shard and its loc; what else it says is bytes that only its kind reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Record<'r> {
    /// The number of its shard; 0 as long as rows have none.
    pub shard: u32,
    pub loc: &'r [u8],
    pub rest: &'r [u8],
}

/// A kind of rows that a store can hold.
pub trait RowKind: Debug {
    /// A row, as it is added and as it is read.
    type Row<'r>;
    /// What is known of all rows of a store before they are sorted.
    type Facts: Debug + Default;

    /// What a row is sorted by: the number of its shard, and its loc.
    fn key<'a>(row: &'a Self::Row<'_>) -> (u32, &'a str);
    /// Write what a row says beside that.
    fn write(row: &Self::Row<'_>, out: &mut Vec<u8>);
    /// Return the row of a record; None if that is damaged.
    fn read(record: Record<'_>) -> Option<Self::Row<'_>>;
    /// Add a row that takes so many bytes of memory.
    fn count(row: &Self::Row<'_>, bytes: usize, facts: &mut Self::Facts);
}

/// Write texts: how many there are without those at the end that are absent, the length of each plus one, or a zero if it is
/// absent, and the texts.
pub fn push_texts<'t>(texts: impl Iterator<Item = Option<&'t str>> + Clone, out: &mut Vec<u8>) {
    let count = texts.clone().enumerate().filter(|(_, text)| text.is_some()).last().map_or(0, |(last, _)| last + 1);
    push_number(count as u64, out);
    for text in texts.clone().take(count) {
        push_number(text.map_or(0, |text| text.len() as u64 + 1), out);
    }
    for text in texts.flatten() {
        out.extend_from_slice(text.as_bytes());
    }
}

/// Texts that were written, of which some may be absent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts<'t> {
    lengths: &'t [u8],
    text: &'t str,
}

impl<'t> Texts<'t> {
    /// Read all that `push_texts` has written; None if that is damaged.
    pub fn read(mut bytes: &'t [u8]) -> Option<Texts<'t>> {
        let count = take_number(&mut bytes)?;
        let (lengths, mut end) = (bytes, 0_u64);
        // A boundary between characters is not looked for before the text is known to be one.
        for _ in 0..count {
            end = end.checked_add(take_number(&mut bytes)?.saturating_sub(1))?;
        }
        let lengths = &lengths[..lengths.len() - bytes.len()];
        let text = simdutf8::basic::from_utf8(bytes).ok()?;
        let texts = Texts { lengths, text };
        (end == text.len() as u64 && texts.are_whole()).then_some(texts)
    }

    /// Whether each text ends where a character does.
    fn are_whole(self) -> bool {
        let (mut lengths, mut end) = (self.lengths, 0);
        while let Some(length) = take_number(&mut lengths) {
            end += length.saturating_sub(1) as usize;
            if !self.text.is_char_boundary(end) {
                return false;
            }
        }
        true
    }

    /// Take the next text; None if it is absent.
    pub fn take(&mut self) -> Option<&'t str> {
        let length = take_number(&mut self.lengths)?.checked_sub(1)?;
        let (text, rest) = self.text.split_at(length as usize);
        self.text = rest;
        Some(text)
    }

    /// Whether no text is left.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }
}
