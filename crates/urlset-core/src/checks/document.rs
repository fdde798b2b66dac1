//! The checks of a document as a whole: its root, its number of entries and its bytes.

use std::ops::Range;

use crate::diagnostic::{Findings, Note, catalogue};
use crate::limits::Limits;
use crate::read::Kind;
use crate::read::entry::Entry;
use crate::read::entry_run::EntryRun;
use crate::read::sink::{Root, Sink, Summary};

/// What to do about a document that has too many entries or bytes.
pub const SPLIT: &str = "split it, which `urlset publish` does";

/// Checks one document while it is read.
#[derive(Debug)]
pub struct DocumentChecks {
    limits: Option<Limits>,
    takes_feeds: bool,
    entries: u64,
}

impl DocumentChecks {
    /// Checks that a document keeps to these limits, if there are any.
    pub fn new(limits: Option<Limits>) -> Self {
        DocumentChecks { limits, takes_feeds: true, entries: 0 }
    }

    /// The same for a consumer that takes feeds or does not.
    pub fn with_feeds(mut self, takes_feeds: bool) -> Self {
        self.takes_feeds = takes_feeds;
        self
    }

    /// Checks of a later part, which judge nothing that depends on what comes before.
    pub fn fork(&self) -> Self {
        DocumentChecks { limits: None, takes_feeds: self.takes_feeds, entries: 0 }
    }

    /// Whether nothing would have been reported of the entries that a fork has seen.
    pub fn can_join(&self, fork: &DocumentChecks) -> bool {
        let is_passed = |most| self.entries <= most && self.entries + fork.entries > most;
        !self.limits.is_some_and(|limits| is_passed(limits.entries))
    }

    /// Counts the entries that a fork has seen.
    pub fn join(&mut self, fork: &DocumentChecks) {
        self.entries += fork.entries;
    }

    /// Entries so far.
    pub fn entries(&self) -> u64 {
        self.entries
    }
}

impl Sink for DocumentChecks {
    const TAKES_RUNS: bool = true;

    fn root(&mut self, root: &Root<'_>, notes: &mut Vec<Note>) {
        super::namespaces::check(root, self.takes_feeds, notes);
    }

    #[inline(always)]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        self.entries += 1;
        if self.limits.is_some_and(|limits| self.entries == limits.entries + 1) {
            too_many(entry, self.entries - 1, notes);
        }
    }

    #[inline(always)]
    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        // Of those that are too many, only the first is reported.
        let left = self.limits.and_then(|limits| limits.entries.checked_sub(self.entries));
        left.map_or(0, |left| run.bit(left))
    }

    #[inline(always)]
    fn push_run(&mut self, _run: &EntryRun<'_>, entries: Range<usize>) {
        self.entries += entries.len() as u64;
    }

    /// LIM002. Source: sitemaps.org protocol, "Sitemap file": 50 MB before compression.
    fn end(&mut self, summary: &Summary, findings: &mut Findings) {
        let bytes = summary.bytes;
        if let Some(most) = self.limits.map(|limits| limits.bytes).filter(|most| bytes > *most) {
            let message = format!("{bytes} bytes before compression; one document may have {most}");
            findings.report_on_document(&catalogue::LIM002, message, Some(SPLIT));
        }
    }
}

/// LIM001 and LIM003. Source: sitemaps.org protocol, "Sitemap file" and "Sitemap index file": 50,000 entries.
#[cold]
fn too_many(entry: &Entry<'_>, most: u64, notes: &mut Vec<Note>) {
    let rule = if entry.document == Kind::Sitemapindex { &catalogue::LIM003 } else { &catalogue::LIM001 };
    let message = format!("more than the {most} entries that one document may have");
    notes.push(Note::new(rule, entry.start..entry.start + 1, message).with_help(SPLIT));
}
