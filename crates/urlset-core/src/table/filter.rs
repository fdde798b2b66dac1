//! Which entries become rows, if the caller wants only some.

use std::borrow::Cow;
use std::sync::Arc;

use crate::checks::values;
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind};
use crate::value::lastmod;
use crate::value::pattern::Pattern;
use crate::value::relative::Base;

/// What the caller wants. Entries that name sitemaps are not judged: a filter of pages must not hide an index.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Kinds of documents; all if empty.
    pub kinds: Vec<Kind>,
    /// Patterns, of which one has to match the loc; without patterns, every loc matches.
    pub include: Vec<Pattern>,
    pub exclude: Vec<Pattern>,
    /// From this instant on, and before that one, in microseconds since the epoch.
    pub since: Option<i64>,
    pub before: Option<i64>,
    /// Of a window: what has no valid lastmod is not wanted.
    pub skips_unknown: bool,
}

/// Why something is not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Kinds,
    Include,
    Exclude,
    ModifiedSince,
    ModifiedBefore,
    UnknownLastmod,
    /// Its whole document is not.
    Document,
}

impl Reason {
    pub const ALL: [Reason; 7] = [
        Reason::Kinds,
        Reason::Include,
        Reason::Exclude,
        Reason::ModifiedSince,
        Reason::ModifiedBefore,
        Reason::UnknownLastmod,
        Reason::Document,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Reason::Kinds => "kinds",
            Reason::Include => "include",
            Reason::Exclude => "exclude",
            Reason::ModifiedSince => "modified_since",
            Reason::ModifiedBefore => "modified_before",
            Reason::UnknownLastmod => "unknown_lastmod",
            Reason::Document => "sitemaps",
        }
    }
}

impl Filter {
    /// Why an entry is not wanted; None if it is.
    fn skips_entry(&self, entry: &Entry<'_>, base: Option<&Base>) -> Option<Reason> {
        if !self.kinds.is_empty() && !self.kinds.contains(&entry.document) {
            return Some(Reason::Kinds);
        }
        let mut dropped = Vec::new();
        if !self.include.is_empty() || !self.exclude.is_empty() {
            let usual = values::usual_loc(entry).map(Cow::Borrowed);
            let loc = usual.or_else(|| values::loc(entry, base, &mut dropped)).unwrap_or_default();
            if let Some(reason) = self.skips_loc(&loc) {
                return Some(reason);
            }
        }
        if self.since.is_none() && self.before.is_none() {
            return None;
        }
        let text = entry.text(*entry.slots.lastmod());
        self.skips_lastmod(text, text.and_then(|_| values::lastmod(entry, &mut dropped)))
    }

    /// Why a loc is not wanted.
    pub fn skips_loc(&self, loc: &str) -> Option<Reason> {
        if self.exclude.iter().any(|pattern| pattern.matches(loc)) {
            return Some(Reason::Exclude);
        }
        let is_wanted = self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(loc));
        (!is_wanted).then_some(Reason::Include)
    }

    /// Why a lastmod is not wanted. A date is all of its day, so that one on which the window begins is in it.
    pub fn skips_lastmod(&self, text: Option<&str>, instant: Option<i64>) -> Option<Reason> {
        if self.since.is_none() && self.before.is_none() {
            return None;
        }
        let (Some(text), Some(start)) = (text, instant) else {
            return self.skips_unknown.then_some(Reason::UnknownLastmod);
        };
        if self.since.is_some_and(|since| lastmod::last(text, start) < since) {
            return Some(Reason::ModifiedSince);
        }
        self.before.is_some_and(|before| start >= before).then_some(Reason::ModifiedBefore)
    }
}

/// A filter at work: what it left out of the current document.
#[derive(Debug, Default)]
pub struct Filtering {
    filter: Arc<Filter>,
    pub is_whole_document: bool,
    skipped: [u64; Reason::ALL.len()],
}

impl Filtering {
    pub fn new(filter: Arc<Filter>) -> Self {
        Filtering { filter, ..Filtering::default() }
    }

    /// The same filter for a later part of the document.
    pub fn fork(&self) -> Self {
        Filtering { skipped: Default::default(), filter: self.filter.clone(), ..*self }
    }

    /// Counts what a fork left out.
    pub fn join(&mut self, fork: &Filtering) {
        for (count, more) in self.skipped.iter_mut().zip(fork.skipped) {
            *count += more;
        }
    }

    /// Whether an entry is left out; counts it if so.
    pub fn skips(&mut self, entry: &Entry<'_>, base: Option<&Base>) -> bool {
        if entry.kind == EntryKind::Sitemap {
            return false;
        }
        let reason = if self.is_whole_document { Some(Reason::Document) } else { self.filter.skips_entry(entry, base) };
        if let Some(reason) = reason {
            self.skipped[reason as usize] += 1;
        }
        reason.is_some()
    }

    /// What was left out of the document that ends.
    pub fn take(&mut self) -> Vec<(Reason, u64)> {
        self.is_whole_document = false;
        let skipped = std::mem::take(&mut self.skipped);
        Reason::ALL.into_iter().zip(skipped).filter(|(_, count)| *count > 0).collect()
    }
}
