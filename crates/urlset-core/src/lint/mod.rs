//! The rules, in the reading pass: a [`Sink`] that looks at every entry as it was written.

pub mod catalogue;
pub mod rules;

use std::collections::BTreeMap;

use crate::limits::{BYTES_PER_DOCUMENT, ENTRIES_PER_DOCUMENT};
use crate::read::entry::{Entry, Sink};
use crate::read::place::{Place, Places, Snippet};
use crate::read::{FaultKind, Finding, Reader};
use crate::value::loc;
use catalogue::Rule;

/// Which rules are asked. A code stands for itself or, as in `LOC`, for all that begin so.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// None selects every rule.
    pub select: Option<Vec<String>>,
    pub ignore: Vec<String>,
}

impl Selection {
    pub fn takes(&self, rule: &Rule) -> bool {
        let named = |codes: &[String]| codes.iter().any(|code| rule.code.starts_with(code.as_str()));
        self.select.as_deref().is_none_or(named) && !named(&self.ignore)
    }
}

/// What the rules say of one document.
#[derive(Debug)]
pub struct Linter {
    selection: Selection,
    /// Of the document's own location, to compare with those of its locs.
    host: Option<String>,
    findings: Vec<Finding>,
    counts: BTreeMap<&'static str, u64>,
    most: usize,
    entries: u64,
    over_limit: Option<(Place, Snippet)>,
}

impl Linter {
    /// Rules for the document at `location`, which decides which hosts are foreign; no more than `most` findings are
    /// kept, all are counted.
    pub fn new(selection: Selection, location: Option<&str>, most: usize) -> Self {
        Linter {
            selection,
            host: location.and_then(loc::host_name).map(str::to_owned),
            findings: Vec::new(),
            counts: BTreeMap::new(),
            most,
            entries: 0,
            over_limit: None,
        }
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// How often each code was found, kept or not.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    /// Adds what only the whole document shows, and hands out all findings in the order of their places. A fault
    /// that is a bound of ours is no finding: the caller has to say that the document could not be checked.
    pub fn finish(&mut self, reader: &Reader) -> Vec<Finding> {
        let mut of_document: Vec<Finding> = reader.findings().to_vec();
        if let Some((place, snippet)) = self.over_limit.take() {
            let message =
                format!("{} entries in one document; the protocol allows {ENTRIES_PER_DOCUMENT}", self.entries);
            of_document.push(too_much(&catalogue::LIM001, message, place, snippet));
        }
        if reader.bytes() > BYTES_PER_DOCUMENT {
            let message =
                format!("{} bytes before compression; the protocol allows {BYTES_PER_DOCUMENT}", reader.bytes());
            let place = Place { offset: 0, line: 1, column: 1 };
            of_document.push(too_much(&catalogue::LIM002, message, place, Snippet { text: String::new(), column: 1 }));
        }
        of_document.retain(|finding| self.selection.takes(finding.rule));
        // Whatever rules were asked for: what could not be read was not checked by them.
        of_document
            .extend(reader.fault().filter(|fault| fault.kind != FaultKind::Limit).map(|fault| fault.finding.clone()));
        for finding in &of_document {
            *self.counts.entry(finding.rule.code).or_default() += 1;
        }
        let mut findings = std::mem::take(&mut self.findings);
        // Those of the whole document are few, and are kept whatever its entries have filled.
        findings.truncate(self.most.saturating_sub(of_document.len()));
        findings.extend(of_document);
        findings.sort_by_key(|finding| finding.place.offset);
        findings
    }

    /// Counts a finding of an entry, and keeps it if there is room.
    fn add(&mut self, finding: Finding) {
        if self.selection.takes(finding.rule) {
            *self.counts.entry(finding.rule.code).or_default() += 1;
            if self.findings.len() < self.most {
                self.findings.push(finding);
            }
        }
    }
}

/// The finding of a document that is over one of the protocol's limits.
fn too_much(rule: &'static Rule, message: String, place: Place, snippet: Snippet) -> Finding {
    let help = Some("split it, which `urlset publish` does".to_owned());
    Finding { rule, message, help, place, width: 1, snippet }
}

impl Sink for Linter {
    fn entry(&mut self, entry: &Entry<'_>, places: &mut Places) {
        self.entries += 1;
        if self.entries == ENTRIES_PER_DOCUMENT + 1 {
            let place = places.place(entry.window, entry.start, entry.start);
            self.over_limit = Some((place, places.snippet(entry.window, entry.start, entry.end)));
        }
        let mut found = Vec::new();
        rules::entry(entry, self.host.as_deref(), &mut |rule, message, written, help| {
            found.push((rule, message, written, help));
        });
        for (rule, message, written, help) in found {
            let mut finding = Finding::new(rule, message, entry.window, entry.start, written, entry.end, places);
            finding.help = help;
            self.add(finding);
        }
    }
}
