//! Runs: records one behind the other, in most cases sorted. Of each loc, only what differs from the loc before it is
//! written.

use std::io::{self, Read, Write};
use std::mem;
use std::ops::Range;

use super::code::Code;
use super::row::Record;
use crate::compact::{push_number, shared, take_number};

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// More bytes than a record can have: no entry is larger than a document.
const MAX_RECORD_BYTES: u64 = 1 << 30;

/// Writes records as a run.
///
/// A record is numbers (how much of its loc is that of the loc before it, the lengths of what else is in its loc and of the
/// rest, and its shard), and then what these lengths are of.
#[derive(Debug)]
pub struct RunWriter<W> {
    out: W,
    before: Vec<u8>,
    numbers: Vec<u8>,
}

impl<W: Write> RunWriter<W> {
    pub fn new(out: W) -> RunWriter<W> {
        RunWriter { out, before: Vec::new(), numbers: Vec::new() }
    }

    /// Add a record.
    pub fn push(&mut self, record: Record<'_>) -> io::Result<()> {
        let Record { shard, loc, rest } = record;
        let shared = shared(&self.before, loc);
        let end = &loc[shared..];
        self.numbers.clear();
        for number in [shared as u64, end.len() as u64, rest.len() as u64, shard.into()] {
            push_number(number, &mut self.numbers);
        }
        for bytes in [&self.numbers, end, rest] {
            self.out.write_all(bytes)?;
        }
        self.before.truncate(shared);
        self.before.extend_from_slice(end);
        Ok(())
    }

    /// End the run.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads a run, record by record.
#[derive(Debug)]
pub struct RunReader<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    shard: u32,
    loc: Vec<u8>,
    /// Where the rest of the record at hand is in the buffer.
    rest: Range<usize>,
    code: Code,
}

impl<R: Read> RunReader<R> {
    /// A run before its first record.
    pub fn new(input: R) -> RunReader<R> {
        RunReader { input, buffer: Vec::new(), at: 0, shard: 0, loc: Vec::new(), rest: 0..0, code: Code::START }
    }

    /// Go to the next record. Returns false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        loop {
            if self.next()? {
                return Ok(true);
            }
            let is_over = self.at == self.buffer.len();
            if self.fetch()? == 0 {
                return if is_over { Ok(false) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        }
    }

    /// Go to the next record if all of it is in the buffer.
    fn next(&mut self) -> io::Result<bool> {
        let mut bytes = &self.buffer[self.at..];
        let mut numbers = [0; 4];
        for number in &mut numbers {
            let Some(found) = take_number(&mut bytes) else { return Ok(false) };
            *number = found;
        }
        let [shared, end, rest, shard] = numbers;
        if shared > self.loc.len() as u64 || end > MAX_RECORD_BYTES || rest > MAX_RECORD_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let (start, end, rest) = (self.buffer.len() - bytes.len(), end as usize, rest as usize);
        let Some(end) = bytes.get(..end + rest).map(|bytes| &bytes[..end]) else { return Ok(false) };
        self.loc.truncate(shared as usize);
        self.loc.extend_from_slice(end);
        let before = mem::replace(&mut self.shard, shard.try_into().map_err(|_| io::ErrorKind::InvalidData)?);
        self.rest = start + end.len()..start + end.len() + rest;
        self.at = self.rest.end;
        self.code = Code::of(self.record(), before, shared as usize);
        Ok(true)
    }

    /// Read more bytes. Returns how many.
    fn fetch(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.at);
        self.at = 0;
        // Hundreds of runs are read at once, and a buffer that doubled would be empty by half.
        self.buffer.reserve_exact(CHUNK);
        let held = self.buffer.len();
        self.buffer.resize(held + CHUNK, 0);
        let read = read_some(&mut self.input, &mut self.buffer[held..]);
        self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
        read
    }

    /// How the record at hand differs from the one before it; the first one, from a record without anything.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The record at hand.
    pub fn record(&self) -> Record<'_> {
        Record { shard: self.shard, loc: &self.loc, rest: &self.buffer[self.rest.clone()] }
    }
}

/// Read by one call, as it may have to open a file; again only if a signal came. Returns 0 at the end.
fn read_some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
