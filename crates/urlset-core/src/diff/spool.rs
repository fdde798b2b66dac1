//! Bytes that are written one behind the other, and read again from anywhere.

use std::io::{self, Read, Seek, SeekFrom, Write};

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

    /// Read so many bytes from there.
    pub fn read(&mut self, start: u64, bytes: usize) -> io::Result<Vec<u8>> {
        self.is_read = true;
        self.file.seek(SeekFrom::Start(start))?;
        let mut found = vec![0; bytes];
        self.file.read_exact(&mut found)?;
        Ok(found)
    }
}
