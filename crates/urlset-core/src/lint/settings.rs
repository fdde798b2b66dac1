//! What the linter has to know about a document and its consumer.

use crate::limits::{LOC_CHARS, Limits};
use crate::value::zone::Zone;

/// What differs from one consumer to the next, and what the caller knows.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Microseconds since the epoch; nothing here reads a clock.
    pub now: i64,
    /// Of times that state none.
    pub zone: Option<Zone>,
    /// Most characters of a loc, and most bytes.
    pub loc_chars: usize,
    pub loc_bytes: Option<usize>,
    /// Most bytes of lastmod, changefreq and priority.
    pub tag_bytes: Option<usize>,
    /// Whether indexes and extensions are taken at all, and elements of other namespaces right under the root.
    pub indexes: bool,
    pub extensions: bool,
    pub foreign_children: bool,
    /// Entries and bytes that a document may have.
    pub limits: Limits,
    /// Hosts whose robots.txt names this document: it may list their pages.
    pub proven_hosts: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            now: i64::MAX,
            zone: None,
            loc_chars: LOC_CHARS - 1,
            loc_bytes: None,
            tag_bytes: None,
            indexes: true,
            extensions: true,
            foreign_children: true,
            limits: Limits::PROTOCOL,
            proven_hosts: Vec::new(),
        }
    }
}
