//! A finished document.

/// The XML of a finished document, and how many entries it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub xml: Vec<u8>,
    pub entries: u64,
}
