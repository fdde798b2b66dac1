//! The children of an index, which are followed instead of being rows.

use crate::checks::values;
use crate::diagnostic::Note;
use crate::read::entry::{Entry, EntryKind};
use crate::read::entry_run::EntryRun;
use crate::read::sink::Sink;
use crate::value::relative::Base;

/// One `<sitemap>` of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    pub loc: String,
    /// What the index says of it, as text and as microseconds since the epoch: None if that is not a date.
    pub lastmod_raw: Option<String>,
    pub lastmod: Option<i64>,
    pub line: u32,
}

/// Collects the `<sitemap>` entries of one document, and reports the problems of their locs and lastmods.
#[derive(Debug, Default)]
pub struct Children {
    /// What relative locs are relative to.
    base: Option<Base>,
    pub found: Vec<Child>,
}

impl Children {
    /// For the document at `location`.
    pub fn new(location: Option<&str>) -> Self {
        Children { base: location.and_then(Base::new), found: Vec::new() }
    }
}

impl Sink for Children {
    const TAKES_RUNS: bool = true;

    /// No entry of an entry run is a `<sitemap>`.
    #[inline(always)]
    fn slow_mask(&mut self, _run: &EntryRun<'_>) -> u64 {
        0
    }

    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        if entry.kind != EntryKind::Sitemap {
            return;
        }
        let loc = values::loc(entry, self.base.as_ref(), notes).unwrap_or_default().into_owned();
        let written = entry.text(*entry.slots.lastmod());
        let lastmod = written.and_then(|_| values::lastmod(entry, notes));
        self.found.push(Child { loc, lastmod_raw: written.map(str::to_owned), lastmod, line: entry.line });
    }
}
