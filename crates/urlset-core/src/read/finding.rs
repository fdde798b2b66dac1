//! What is worth saying about a document: notes while a piece is read, findings once it is done with.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use super::place::{Place, Places, Snippet};
use crate::lint::Selection;
use crate::lint::catalogue::Rule;

/// Something odd about a piece that is being read; `written` is in the window. It becomes a [`Finding`] when the piece
/// is whole, and nothing when the piece has to be read again with more of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub rule: &'static Rule,
    pub written: Range<usize>,
    pub message: String,
    pub help: Option<String>,
    /// The document is not well-formed because of it.
    pub mended: bool,
    /// It has one cause and is said once a document: what it is about.
    pub once: Option<String>,
}

impl Note {
    /// Something that XML, or the charset, forbids.
    pub fn mended(rule: &'static Rule, at: usize, message: impl Into<String>) -> Self {
        Note { rule, written: at..at + 1, message: message.into(), help: None, mended: true, once: None }
    }

    /// Something that is odd in a well-formed document.
    pub fn odd(rule: &'static Rule, written: Range<usize>, message: impl Into<String>) -> Self {
        Note { rule, written, message: message.into(), help: None, mended: false, once: None }
    }

    pub fn once(mut self, about: impl Into<String>) -> Self {
        self.once = Some(about.into());
        self
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// One thing worth saying about a document, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: &'static Rule,
    pub message: String,
    pub help: Option<String>,
    pub place: Place,
    /// Code points of the thing itself, on its first line; at least one.
    pub width: u32,
    pub snippet: Snippet,
}

impl Finding {
    /// A finding about `written` in the window, inside a piece that spans `floor` to `end`.
    pub fn new(
        rule: &'static Rule,
        message: String,
        window: &str,
        floor: usize,
        written: Range<usize>,
        end: usize,
        places: &mut Places,
    ) -> Self {
        // An end inside a character is one of a note that knows only where something begins.
        let shown = window.get(written.clone()).and_then(|text| text.lines().next()).unwrap_or_default();
        Finding {
            rule,
            message,
            help: None,
            place: places.place(window, floor, written.start),
            width: (shown.chars().count() as u32).max(1),
            snippet: places.snippet(window, written.start, end),
        }
    }

    pub fn with_help(mut self, help: String) -> Self {
        self.help = Some(help);
        self
    }
}

/// Things said once a document that are remembered; past it, which only hostile input reaches, they are said again.
const MOST_SAID: usize = 4_096;

/// The findings of one document: the first of them whole, all of them counted, those of rules not asked for neither.
#[derive(Debug, Default)]
pub struct Findings {
    selection: Selection,
    most: usize,
    kept: Vec<Finding>,
    counts: BTreeMap<&'static str, u64>,
    said: BTreeSet<(&'static str, String)>,
}

impl Findings {
    /// Counts a finding of the rule, if that was asked for, and says whether there is room to keep it.
    fn takes(&mut self, rule: &'static Rule) -> bool {
        self.count(rule) && self.kept.len() < self.most
    }

    /// Adds one that is about the whole document; those are few, and are kept whatever its entries have filled.
    pub fn add_of_document(&mut self, finding: Finding) {
        if self.count(finding.rule) {
            self.kept.truncate(self.most.saturating_sub(1));
            self.kept.push(finding);
        }
    }

    /// Counts a finding of the rule, if that was asked for.
    fn count(&mut self, rule: &'static Rule) -> bool {
        let taken = self.selection.takes(rule);
        if taken {
            *self.counts.entry(rule.code).or_default() += 1;
        }
        taken
    }

    /// Whether a note that is said once a document is new; it is not any more afterwards.
    fn is_new(&mut self, note: &Note) -> bool {
        let Some(about) = &note.once else { return true };
        self.said.len() >= MOST_SAID || self.said.insert((note.rule.code, about.clone()))
    }

    /// Those that were kept, in the order of their places, however they came.
    pub fn sorted(&self) -> Vec<Finding> {
        let mut findings = self.kept.clone();
        findings.sort_by_key(|finding| finding.place.offset);
        findings
    }

    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }
}

/// Remarks that wait for their place to be read; past it, which only hostile input reaches, they are counted at once.
const MOST_REMARKS: usize = 65_536;

/// What is to be said about a place of the text that was not read yet.
#[derive(Debug)]
struct Remark {
    offset: u64,
    rule: &'static Rule,
    message: String,
    mended: bool,
}

/// What is written down while a document is read: where one is, and what was found.
#[derive(Debug)]
pub struct Notebook {
    pub places: Places,
    pub findings: Findings,
    /// Something was not well-formed, and was mended.
    pub is_mended: bool,
    remarks: VecDeque<Remark>,
}

impl Notebook {
    pub fn new(selection: Selection, most: usize) -> Self {
        Notebook {
            places: Places::default(),
            findings: Findings { selection, most, ..Findings::default() },
            is_mended: false,
            remarks: VecDeque::new(),
        }
    }

    /// Keeps something about the place at `offset` of the text, for when that is read: what is never read is not told.
    pub fn remark(&mut self, offset: u64, rule: &'static Rule, message: String, mended: bool) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push_back(Remark { offset, rule, message, mended });
        } else {
            self.is_mended |= mended;
            self.findings.count(rule);
        }
    }

    /// Whether nothing is there to be told of a piece with these notes.
    #[inline(always)]
    pub fn is_silent(&self, notes: &[Note]) -> bool {
        notes.is_empty() && self.remarks.is_empty()
    }

    /// Turns the notes of a piece that spans `floor` to `end`, and the remarks about it, into findings.
    pub fn tell(&mut self, notes: &mut Vec<Note>, window: &str, floor: usize, end: usize) {
        self.tell_before(self.places.base() + end as u64, notes, window, floor, end);
    }

    /// Turns every remark that is left into a finding, for the text has ended with the window.
    pub fn tell_rest(&mut self, window: &str) {
        self.tell_before(u64::MAX, &mut Vec::new(), window, 0, window.len());
    }

    fn tell_before(&mut self, offset: u64, notes: &mut Vec<Note>, window: &str, floor: usize, end: usize) {
        let base = self.places.base();
        while let Some(remark) = self.remarks.front().filter(|remark| remark.offset < offset) {
            let at = remark.offset.saturating_sub(base) as usize;
            notes.push(Note { mended: remark.mended, ..Note::odd(remark.rule, at..at + 1, remark.message.clone()) });
            self.remarks.pop_front();
        }
        notes.sort_by_key(|note| note.written.start);
        for note in notes.drain(..) {
            self.is_mended |= note.mended;
            if self.findings.is_new(&note) && self.findings.takes(note.rule) {
                let Note { rule, written, message, help, .. } = note;
                let floor = floor.max(written.start);
                let finding = Finding::new(rule, message, window, floor, written, end, &mut self.places);
                self.findings.kept.push(Finding { help, ..finding });
            }
        }
    }
}
