//! Bytes that are written one behind the other, and read again from anywhere.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes of records in memory until they are written.
const MAX_HELD: usize = if cfg!(test) { 3_000 } else { 16 << 20 };

/// Appends to a file, and reads from it.
#[derive(Debug)]
pub struct Spool<F> {
    file: F,
    end: u64,
    /// Whether the file was read since it was last written.
    is_read: bool,
}

impl<F: Read + Write + Seek> Spool<F> {
    /// An empty file.
    pub fn new(file: F) -> Spool<F> {
        Spool { file, end: 0, is_read: false }
    }

    /// Write bytes at the end, and return where that is.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        if std::mem::take(&mut self.is_read) {
            self.file.seek(SeekFrom::Start(self.end))?;
        }
        self.file.write_all(bytes)?;
        let start = self.end;
        self.end += bytes.len() as u64;
        Ok(start)
    }

    /// Read so many bytes from there, behind those that are in `found`.
    pub fn read(&mut self, start: u64, bytes: usize, found: &mut Vec<u8>) -> io::Result<()> {
        self.is_read = true;
        self.file.seek(SeekFrom::Start(start))?;
        let begin = found.len();
        found.resize(begin + bytes, 0);
        self.file.read_exact(&mut found[begin..])
    }
}

/// Records by the number of their bucket. Those that memory has no room for wait in a file.
#[derive(Debug)]
pub struct Buckets<F> {
    held: Vec<Vec<u8>>,
    /// How many bytes are held.
    bytes: usize,
    written: Spool<F>,
    /// Where the written records of each bucket are.
    extents: Vec<Vec<(u64, usize)>>,
}

impl<F: Read + Write + Seek> Buckets<F> {
    /// No records yet, and an empty file for those that come.
    pub fn new(file: F) -> Buckets<F> {
        Buckets { held: Vec::new(), bytes: 0, written: Spool::new(file), extents: Vec::new() }
    }

    /// Add a record. Its size is known to the compiler, so that it is not copied by a call.
    pub fn push<const BYTES: usize>(&mut self, bucket: usize, record: [u8; BYTES]) -> io::Result<()> {
        if self.held.len() <= bucket {
            self.held.resize_with(bucket + 1, Vec::new);
            self.extents.resize_with(bucket + 1, Vec::new);
        }
        self.held[bucket].extend_from_slice(&record);
        self.bytes += BYTES;
        if self.bytes > MAX_HELD { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        for (held, extents) in self.held.iter_mut().zip(&mut self.extents) {
            if !held.is_empty() {
                extents.push((self.written.append(held)?, held.len()));
                held.clear();
            }
        }
        self.bytes = 0;
        Ok(())
    }

    /// Whether a bucket has no record.
    pub fn is_empty(&self, bucket: usize) -> bool {
        self.held.get(bucket).is_none_or(Vec::is_empty) && self.extents.get(bucket).is_none_or(Vec::is_empty)
    }

    /// The records of a bucket, in the order in which they came.
    pub fn get(&mut self, bucket: usize) -> io::Result<Vec<u8>> {
        let mut found = Vec::new();
        for (start, bytes) in self.extents.get(bucket).into_iter().flatten() {
            self.written.read(*start, *bytes, &mut found)?;
        }
        found.extend_from_slice(self.held.get(bucket).map_or(&[], Vec::as_slice));
        Ok(found)
    }
}
