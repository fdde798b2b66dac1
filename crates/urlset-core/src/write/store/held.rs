//! The rows in memory, one behind the other in one text.
//!
//! All of a row stands together, because rows are read in another order than they came, and each place that is looked at
//! has to be fetched from far away.

use super::row::{Rendered, StoredRow, said};
use crate::write::layout::NamespacesUsed;

/// Rows whose memory is fetched at once.
pub const FETCHED: usize = 32;
/// Bytes that the processor fetches at once.
const LINE: usize = 64;

/// Rows in the order in which they came.
///
/// A row is the length of its loc, its loc, further numbers (the lengths of its lastmod, of its other XML and of its news,
/// its index, its size, its namespaces and when it was first seen), and then the texts of these lengths and its extras.
#[derive(Debug, Default)]
pub struct HeldRows {
    text: String,
    starts: Vec<usize>,
    shards: Vec<u32>,
    /// How many extras a row has, and their lengths, row by row.
    extras: usize,
    lengths: Vec<u32>,
}

impl HeldRows {
    /// No rows, of which each has so many extras.
    pub fn new(extras: usize) -> HeldRows {
        HeldRows { extras, ..HeldRows::default() }
    }

    /// Add a row. Returns whether it has any extra.
    pub fn push(&mut self, row: &Rendered<'_>, extras: &[Option<&str>]) -> bool {
        self.starts.push(self.text.len());
        self.shards.push(row.shard);
        let text = &mut self.text;
        push_number(row.loc.len() as u64, text);
        text.push_str(row.loc);
        let lengths = [row.lastmod, row.after_lastmod, row.news].map(|text| text.len() as u64);
        let numbers = [row.row, row.size as u64, u64::from(row.namespaces.0), row.first_seen];
        for number in lengths.into_iter().chain(numbers) {
            push_number(number, text);
        }
        for one in [row.lastmod, row.after_lastmod, row.news] {
            text.push_str(one);
        }
        let mut has_extra = false;
        for at in 0..self.extras {
            // An empty text says as little as none.
            let extra = extras.get(at).copied().flatten().unwrap_or_default();
            text.push_str(extra);
            self.lengths.push(extra.len() as u32);
            has_extra |= !extra.is_empty();
        }
        has_extra
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Bytes of memory that they take.
    pub fn size(&self) -> usize {
        self.text.len() + size_of_val(&*self.starts) + size_of_val(&*self.shards) + size_of_val(&*self.lengths)
    }

    /// The number of the shard of a row.
    pub fn shard(&self, place: usize) -> u32 {
        self.shards[place]
    }

    /// The loc of a row.
    pub fn loc(&self, place: usize) -> &str {
        let mut rest = Rest { text: &self.text, at: self.starts[place] };
        let length = rest.number();
        rest.text(length)
    }

    /// A row.
    pub fn row(&self, place: usize) -> StoredRow<'_> {
        let mut rest = Rest { text: &self.text, at: self.starts[place] };
        let length = rest.number();
        let loc = rest.text(length);
        let [lastmod, after_lastmod, news, row, size, namespaces, first_seen] = std::array::from_fn(|_| rest.number());
        StoredRow {
            row,
            loc,
            lastmod: said(rest.text(lastmod)),
            after_lastmod: said(rest.text(after_lastmod)),
            news: said(rest.text(news)),
            namespaces: NamespacesUsed(namespaces as u8),
            size: size as u32,
            shard: self.shards[place],
            first_seen,
            extras: &self.text[rest.at..],
            lengths: &self.lengths[place * self.extras..(place + 1) * self.extras],
        }
    }

    /// Look at rows that are about to be read: the processor then fetches all of them at once, and not one after the other.
    pub fn fetch(&self, places: impl Iterator<Item = u32>) {
        let bytes = self.text.as_bytes();
        let seen = places.fold(0, |seen, place| {
            let start = self.starts[place as usize];
            seen ^ bytes[start] ^ bytes.get(start + LINE).copied().unwrap_or_default()
        });
        std::hint::black_box(seen);
    }

    /// Remove all rows, and keep their memory for others.
    pub fn clear(&mut self) {
        self.text.clear();
        self.starts.clear();
        self.shards.clear();
        self.lengths.clear();
    }

    /// Give back the memory of rows that were removed.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.shards.shrink_to_fit();
        self.lengths.shrink_to_fit();
    }
}

/// Add a number as characters of six bits each, the lowest first. The seventh bit says that more follow.
fn push_number(mut number: u64, text: &mut String) {
    while number >= 0x40 {
        text.push(char::from(number as u8 & 0x3f | 0x40));
        number >>= 6;
    }
    text.push(char::from(number as u8));
}

/// What of the text was not read yet.
struct Rest<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Rest<'t> {
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            self.at += 1;
            number |= u64::from(byte & 0x3f) << shift;
            shift += 6;
            if byte & 0x40 == 0 {
                break;
            }
        }
        number
    }

    fn text(&mut self, length: u64) -> &'t str {
        let begin = self.at;
        self.at += length as usize;
        &self.text[begin..self.at]
    }
}
