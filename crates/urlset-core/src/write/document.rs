//! A finished document.

use std::borrow::Borrow;
use std::ops::Deref;

/// The XML of a finished document, and how many entries it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub xml: Vec<u8>,
    pub entries: u64,
}

/// A piece of a document in the memory in which it was written. What stands there before it means nothing.
#[derive(Debug)]
pub struct Piece {
    bytes: Vec<u8>,
    begin: usize,
}

impl Piece {
    pub fn new(bytes: Vec<u8>, begin: usize) -> Piece {
        Piece { bytes, begin }
    }

    /// Put bytes before it, as many as fit there at most.
    pub fn prepend(&mut self, bytes: &[u8]) {
        let begin = self.begin - bytes.len();
        self.bytes[begin..self.begin].copy_from_slice(bytes);
        self.begin = begin;
    }

    /// Return its memory, with what stands before it.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Deref for Piece {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }
}

impl Borrow<[u8]> for Piece {
    fn borrow(&self) -> &[u8] {
        self
    }
}
