//! A later part of a document, read before what comes before it: two threads can then read one document.
//!
//! A document is cut behind an entry, or so it seems: nobody knows what stands before the cut until that has been read.
//! A fork reads on from there as if it were so. Once the reader itself has come to the cut, it knows whether the fork has
//! begun in its own state, and only then the two are joined. What depends on all that came before is not guessed: a fork
//! that reported anything is not joined, and its text is read again.

use super::document::{Document, DocumentState};
use super::kind::Kind;
use super::reader::Reader;
use crate::limits::{EMPTY_ENTRIES, SITEMAPS};

impl Reader {
    /// Whether it can be forked: it reads the entries of a urlset, and collects no fixes.
    pub fn can_fork(&self) -> bool {
        let is_among_entries = self.fault().is_none() && self.document.is_among_entries();
        is_among_entries && self.kind() == Some(Kind::Urlset) && !self.notebook.findings.collects_fixes()
    }

    /// A reader of a later part of the text, which is supposed to begin behind an entry of the same root.
    pub fn fork(&self) -> Option<Reader> {
        if !self.can_fork() {
            return None;
        }
        let mut fork = Reader::new(self.document.content.budget, self.notebook.findings.fork());
        fork.document.begin_like(&self.document);
        Some(fork)
    }

    /// Whether a fork has read what comes next just as this reader would, and reported nothing.
    pub fn can_join(&self, fork: &Reader) -> bool {
        self.is_between_entries()
            && fork.is_between_entries()
            && fork.notebook.is_blank()
            && self.document.can_join(&fork.document)
    }

    /// All text so far is done with, and the next child of the root may begin.
    fn is_between_entries(&self) -> bool {
        let is_done = self.fault().is_none() && self.carry.is_empty() && self.notebook.has_nothing_deferred();
        is_done && self.document.is_among_entries()
    }

    /// Goes on where a fork has ended that it can join. Returns how many lines come before those that the fork counted.
    pub fn join(&mut self, fork: &Reader) -> u32 {
        self.fed += fork.fed;
        self.work += fork.work;
        self.notebook.positions.join(&fork.notebook.positions);
        self.document.join(&fork.document)
    }
}

impl Document {
    /// Inside the root, and inside nothing else that is open. So where two readers are, they are in the same place: of roots
    /// inside roots, each could have closed the same one.
    fn is_among_entries(&self) -> bool {
        self.state == DocumentState::Root && self.channel.is_none() && self.nested_roots == 0
    }

    /// Begins behind an entry of the same root, in the text that follows.
    fn begin_like(&mut self, other: &Document) {
        self.kind = other.kind;
        self.state = DocumentState::Root;
        self.root.clone_from(&other.root);
        self.has_been_feed = other.has_been_feed;
        self.content.tags.scopes = other.content.tags.scopes.clone();
    }

    /// Whether another one began as this one ends, and both together are within the bounds.
    fn can_join(&self, other: &Document) -> bool {
        let (scopes, others) = (&self.content.tags.scopes, &other.content.tags.scopes);
        scopes.is_like(others)
            && (self.kind, self.has_been_feed) == (other.kind, other.has_been_feed)
            && self.root == other.root
            && self.entries + other.entries <= self.content.budget.entries
            && self.empty_entries + other.empty_entries <= EMPTY_ENTRIES
            && self.sitemaps + other.sitemaps <= SITEMAPS
    }

    /// Goes on where the other one has ended. Returns how many lines come before those that it counted.
    fn join(&mut self, other: &Document) -> u32 {
        self.entries += other.entries;
        self.empty_entries += other.empty_entries;
        self.sitemaps += other.sitemaps;
        self.content.plain &= other.content.plain;
        self.content.count_extensions(&other.content.extensions);
        self.entry_line.join(&other.entry_line)
    }
}
