//! A finished document.

use std::ops::Deref;

/// The XML of a finished document, and how many entries it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub xml: Vec<u8>,
    pub entries: u64,
}

/// The XML of a document in the memory in which it was written. What stands there before it means nothing.
#[derive(Debug)]
pub struct OwnedXml {
    bytes: Vec<u8>,
    begin: usize,
}

impl OwnedXml {
    pub fn new(bytes: Vec<u8>, begin: usize) -> OwnedXml {
        OwnedXml { bytes, begin }
    }
}

impl Deref for OwnedXml {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }
}
