//! The rules for one document, judged in the reading pass: a [`Sink`] that sees every entry as it was written.

mod date;
mod document_rules;
mod dropped;
mod entry_run;
mod example_hosts;
mod extensions;
mod fast_path;
mod image;
mod known_origins;
mod loc;
mod loc_index;
mod location;
#[cfg(test)]
mod media_tests;
mod order;
mod origin;
mod robots;
mod rules;
mod settings;
mod site;
mod spelling;
mod unintended;
mod unread;

use std::ops::Range;

use crate::diagnostic::{Findings, Note, Rule, Selection, catalogue};
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind};
use crate::read::entry_run::EntryRun;
use crate::read::sink::{Sink, Summary};
use crate::read::unread::Unread;
use crate::value::hrefs::Hrefs;
use document_rules::DocumentRules;
use entry_run::RunValues;
use example_hosts::ExampleHosts;
use fast_path::{FastPath, FastValues};
use origin::Origins;
pub use settings::Settings;
use site::Site;

/// The rules that see one document, as a sink of the reader that keeps their findings.
#[derive(Debug)]
pub struct Linter {
    selection: Selection,
    settings: Settings,
    /// Where the document lives, if that is known.
    site: Option<Site>,
    fast_path: FastPath,
    /// Of the run that was looked at last.
    values: RunValues,
    origins: Origins,
    example_hosts: ExampleHosts,
    image_hrefs: Hrefs,
    video_hrefs: Hrefs,
    link_hrefs: Hrefs,
    document: DocumentRules,
}

impl Linter {
    /// Rules for the document at `location`, which decides what its locs may be.
    pub fn new(location: Option<&str>, selection: Selection, settings: Settings) -> Self {
        let site = location.and_then(Site::new);
        let document = DocumentRules::new(location);
        Linter {
            fast_path: FastPath::new(&selection, &settings, document.seed),
            document,
            values: RunValues::default(),
            selection,
            settings,
            site,
            origins: Origins::default(),
            example_hosts: ExampleHosts::default(),
            image_hrefs: Hrefs::default(),
            video_hrefs: Hrefs::default(),
            link_hrefs: Hrefs::default(),
        }
    }

    pub fn entries(&self) -> u64 {
        self.document.entries
    }

    /// How many entries have links to other languages.
    pub fn entries_with_alternates(&self) -> u64 {
        self.document.with_alternates
    }

    #[inline(always)]
    fn asks(&self, rule: &Rule) -> bool {
        self.selection.takes(rule)
    }
}

impl Sink for Linter {
    const WANTS_UNREAD: bool = true;
    const TAKES_RUNS: bool = true;

    #[inline(always)]
    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        self.fast_path.slow_mask(run, &self.document.locs, &mut self.values)
    }

    #[inline(always)]
    fn push_run(&mut self, run: &EntryRun<'_>, entries: Range<usize>) {
        self.document.push_run(run, &self.values, self.fast_path.compares_locs, entries);
    }

    fn unread(&mut self, unread: &[Unread], window: &str, notes: &mut Vec<Note>) {
        unread.iter().for_each(|unread| self.check_unread(unread, window, notes));
    }

    fn end(&mut self, summary: &Summary, findings: &mut Findings) {
        self.document.report(&self.selection, &self.settings, summary, findings);
        self.example_hosts.report(findings);
    }

    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        match self.fast_path.push(entry, &mut self.document.locs) {
            Some(FastValues { lastmod, priority }) => {
                if entry.slots.has_items() {
                    self.check_extensions(entry, notes);
                }
                self.check_element_order(entry, notes);
                self.document.entry(entry, lastmod, priority);
            }
            None => self.any_entry(entry, notes),
        }
    }
}

impl Linter {
    #[inline(never)]
    fn any_entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        if entry.document == Kind::Robots {
            self.check_robots(entry, notes);
        }
        self.check_kind(entry, notes);
        if let Some((loc, is_normalized)) = self.check_loc(entry, notes)
            && (self.asks(&catalogue::LOC014) || self.asks(&catalogue::IDX005))
        {
            self.document.repeated(entry, &loc, is_normalized, notes);
        }
        let lastmod = self.check_lastmod(entry, notes);
        let mut priority = None;
        if entry.kind == EntryKind::Url {
            priority = self.check_hints(entry, lastmod, notes);
            self.check_extensions(entry, notes);
        } else if entry.document == Kind::Sitemapindex {
            self.check_child(entry, notes);
        }
        self.check_element_order(entry, notes);
        self.document.entry(entry, lastmod, priority);
    }
}
