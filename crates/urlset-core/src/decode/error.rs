//! What is wrong with the bytes of a document, and with the header that came with them.

use std::error::Error;
use std::fmt;

use crate::diagnostic::{Rule, grammar};
use crate::read::FaultKind;

/// Why decoding ended early. It becomes the fault of the document's reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    pub kind: FaultKind,
    pub rule: &'static Rule,
    pub message: String,
}

impl DecodeError {
    /// The document exceeds a bound of the budget.
    #[cold]
    pub fn limit(message: String) -> Self {
        DecodeError { kind: FaultKind::Limit, rule: &grammar::LIM007, message }
    }

    /// The bytes are in a format of another kind.
    #[cold]
    pub fn foreign(what: &str) -> Self {
        DecodeError { kind: FaultKind::NotASitemap, rule: &grammar::XML008, message: what.to_owned() }
    }

    /// The compressed data cannot be unpacked any further.
    #[cold]
    pub fn malformed(message: String) -> Self {
        DecodeError { kind: FaultKind::Malformed, rule: &grammar::XML001, message }
    }

    /// The bytes end before the compressed data does.
    #[cold]
    pub fn truncated(message: String) -> Self {
        DecodeError { kind: FaultKind::Truncated, rule: &grammar::XML001, message }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Error for DecodeError {}

/// A token of a `Content-Encoding` header that names no known content coding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownCoding {
    pub token: String,
}

impl fmt::Display for UnknownCoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = &self.token;
        write!(formatter, "content_encoding names {token:?}; known are gzip, x-gzip, deflate, br, zstd and identity")
    }
}

impl Error for UnknownCoding {}
