//! Runs: rows as bytes, in most cases sorted. Of each loc, only what differs from the loc before it is written.
//!
//! A run is read by the process that wrote it, and is gone with it, so its form has no version.

use std::io::{self, Read, Write};

use super::row::{StoredRow, said};
use crate::write::layout::NamespacesUsed;

/// Bytes that are read at once.
const CHUNK: u64 = 1 << 17;
/// More bytes than a row can have: no entry is larger than a document.
const MAX_ROW_BYTES: u64 = 1 << 30;
/// Bytes of the largest number, of which each holds seven bits.
const MAX_DIGITS: usize = 10;

/// Writes rows as a run.
///
/// A row is the number of its bytes, then numbers (how much of its loc is that of the loc before it, the lengths of its
/// loc, its lastmod, its other XML and its news, its index, its size, its namespaces, its shard, when it was first seen, and
/// the lengths of its extras), and then its texts.
#[derive(Debug)]
pub struct RunWriter<W> {
    out: W,
    before: String,
    numbers: Vec<u8>,
    length: Vec<u8>,
}

impl<W: Write> RunWriter<W> {
    pub fn new(out: W) -> RunWriter<W> {
        RunWriter { out, before: String::new(), numbers: Vec::new(), length: Vec::new() }
    }

    /// Add a row.
    pub fn push(&mut self, row: &StoredRow<'_>) -> io::Result<()> {
        let shared = shared(&self.before, row.loc);
        let rest = &row.loc[shared..];
        let texts = [row.lastmod, row.after_lastmod, row.news].map(Option::unwrap_or_default);
        let lengths = texts.map(str::len);
        let mut bytes = rest.len() + lengths.iter().sum::<usize>();
        self.numbers.clear();
        for length in [shared, row.loc.len()].into_iter().chain(lengths) {
            push_number(length as u64, &mut self.numbers);
        }
        let numbers = [row.row, row.size.into(), row.namespaces.0.into(), row.shard.into(), row.first_seen];
        for number in numbers {
            push_number(number, &mut self.numbers);
        }
        for extra in row.extras() {
            let length = extra.map_or(0, str::len);
            push_number(length as u64, &mut self.numbers);
            bytes += length;
        }
        self.length.clear();
        push_number((self.numbers.len() + bytes) as u64, &mut self.length);
        self.out.write_all(&self.length)?;
        self.out.write_all(&self.numbers)?;
        for text in [rest].into_iter().chain(texts).chain(row.extras().flatten()) {
            self.out.write_all(text.as_bytes())?;
        }
        self.before.truncate(shared);
        self.before.push_str(rest);
        Ok(())
    }

    /// End the run.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Return how many bytes two texts begin with alike, up to the end of a character.
fn shared(one: &str, other: &str) -> usize {
    let mut bytes = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    while !other.is_char_boundary(bytes) {
        bytes -= 1;
    }
    bytes
}

/// Add a number, seven bits in a byte, the lowest first. The eighth bit says that more follow.
fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Take a number from the beginning of `bytes`; None if it does not end there.
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(MAX_DIGITS).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

/// Reads a run, row by row.
#[derive(Debug)]
pub struct RunReader<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    row: Row,
}

impl<R: Read> RunReader<R> {
    /// A run of rows with so many extras, before its first row.
    pub fn new(input: R, extras: usize) -> RunReader<R> {
        let row = Row { lengths: vec![0; 4 + extras], ..Row::default() };
        RunReader { input, buffer: Vec::new(), at: 0, row }
    }

    /// Go to the next row. Returns false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        loop {
            let rest = &self.buffer[self.at..];
            let mut bytes = rest;
            if let Some(length) = take_number(&mut bytes) {
                if length > MAX_ROW_BYTES {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                if let Some((row, after)) = bytes.split_at_checked(length as usize) {
                    self.at = self.buffer.len() - after.len();
                    return self.row.read(row).map(|()| true).ok_or_else(|| io::ErrorKind::InvalidData.into());
                }
            }
            let is_over = rest.is_empty();
            if self.fetch()? == 0 {
                return if is_over { Ok(false) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        }
    }

    /// Read more bytes. Returns how many.
    fn fetch(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.input.by_ref().take(CHUNK).read_to_end(&mut self.buffer)
    }

    /// What rows are sorted by: the shard and the loc of the row at hand.
    pub fn key(&self) -> (u32, &str) {
        (self.row.shard, &self.row.texts[..self.row.lengths[0] as usize])
    }

    /// The row at hand.
    pub fn row(&self) -> StoredRow<'_> {
        self.row.stored()
    }
}

/// The row at hand: its texts one behind the other, and their lengths: of its loc, its lastmod, its other XML, its news, and
/// its extras.
#[derive(Debug, Default)]
struct Row {
    texts: String,
    lengths: Vec<u32>,
    row: u64,
    size: u32,
    namespaces: NamespacesUsed,
    shard: u32,
    first_seen: u64,
}

impl Row {
    /// Replace the row by the next one; None if that is damaged.
    fn read(&mut self, mut row: &[u8]) -> Option<()> {
        let shared = take_number(&mut row)? as usize;
        if shared > self.lengths[0] as usize || !self.texts.is_char_boundary(shared) {
            return None;
        }
        let (entry, extras) = self.lengths.split_at_mut(4);
        for length in entry {
            *length = take_number(&mut row)?.try_into().ok()?;
        }
        self.row = take_number(&mut row)?;
        self.size = take_number(&mut row)?.try_into().ok()?;
        self.namespaces = NamespacesUsed(take_number(&mut row)?.try_into().ok()?);
        self.shard = take_number(&mut row)?.try_into().ok()?;
        self.first_seen = take_number(&mut row)?;
        for length in extras {
            *length = take_number(&mut row)?.try_into().ok()?;
        }
        self.texts.truncate(shared);
        self.texts.push_str(simdutf8::basic::from_utf8(row).ok()?);
        let mut end = 0;
        let is_whole = self.lengths.iter().all(|length| {
            end += *length as usize;
            self.texts.is_char_boundary(end)
        });
        (is_whole && end == self.texts.len()).then_some(())
    }

    fn stored(&self) -> StoredRow<'_> {
        let mut rest = self.texts.as_str();
        let [loc, lastmod, after_lastmod, news] = std::array::from_fn(|at| {
            let (text, after) = rest.split_at(self.lengths[at] as usize);
            rest = after;
            text
        });
        StoredRow {
            row: self.row,
            loc,
            lastmod: said(lastmod),
            after_lastmod: said(after_lastmod),
            news: said(news),
            namespaces: self.namespaces,
            size: self.size,
            shard: self.shard,
            first_seen: self.first_seen,
            extras: rest,
            lengths: &self.lengths[4..],
        }
    }
}
