//! The notebook of one document: notes become findings with a position once their piece is done with.

use std::collections::VecDeque;

use super::catalogue;
use super::finding::{Finding, Findings};
use super::fix::{Fix, Safety};
use super::note::Note;
use super::position::Positions;
use super::rule::Rule;

/// Notes that wait for their offset to be read. Only hostile input has more, and those are counted at once.
const MAX_DEFERRED: usize = 65_536;

/// A note about an offset of the text that has not been read yet.
#[derive(Debug)]
struct Deferred {
    offset: u64,
    rule: &'static Rule,
    message: String,
    is_repair: bool,
    fix: Option<Box<Fix>>,
}

/// What is recorded while a document is read: the position that was reached, and the findings.
#[derive(Debug)]
pub struct Notebook {
    pub positions: Positions,
    pub findings: Findings,
    /// Something was not well-formed, and was repaired.
    pub is_recovered: bool,
    /// Where in the text the name in the root's tag ends.
    pub root: u64,
    /// The document is a list of lines, which has a rule of its own about its charset.
    pub is_text: bool,
    deferred: VecDeque<Deferred>,
}

impl Notebook {
    /// An empty notebook that keeps its findings in `findings`.
    pub fn new(findings: Findings) -> Self {
        Notebook {
            positions: Positions::default(),
            findings,
            is_recovered: false,
            root: 0,
            is_text: false,
            deferred: VecDeque::new(),
        }
    }

    /// Keeps a note about an `offset` of the text until that has been read. If it never is, nothing is reported.
    pub fn defer(&mut self, offset: u64, rule: &'static Rule, message: String, is_repair: bool, fix: Option<Fix>) {
        if self.deferred.len() < MAX_DEFERRED {
            let fix = fix.map(Box::new);
            self.deferred.push_back(Deferred { offset, rule, message, is_repair, fix });
        } else {
            self.is_recovered |= is_repair;
            self.findings.count(rule);
        }
    }

    /// Whether no note waits for its offset.
    pub fn has_nothing_deferred(&self) -> bool {
        self.deferred.is_empty()
    }

    /// Whether nothing was found at all.
    pub fn is_blank(&self) -> bool {
        self.deferred.is_empty() && !self.is_recovered && self.findings.counts().is_empty()
    }

    /// Whether there is nothing to record about a piece with these notes.
    #[inline(always)]
    pub fn is_idle(&self, notes: &[Note]) -> bool {
        notes.is_empty() && self.deferred.is_empty()
    }

    /// Turns the notes of a piece that spans `floor` to `end`, and those deferred to it, into findings.
    pub fn record(&mut self, notes: &mut Vec<Note>, window: &str, floor: usize, end: usize) {
        self.record_before(self.positions.base() + end as u64, notes, window, floor, end);
    }

    /// Turns every deferred note that is left into a finding, because the text has ended with the window.
    pub fn record_rest(&mut self, window: &str) {
        self.record_before(u64::MAX, &mut Vec::new(), window, 0, window.len());
    }

    fn record_before(&mut self, offset: u64, notes: &mut Vec<Note>, window: &str, floor: usize, end: usize) {
        let base = self.positions.base();
        while self.deferred.front().is_some_and(|deferred| deferred.offset < offset)
            && let Some(deferred) = self.deferred.pop_front()
        {
            let at = deferred.offset.saturating_sub(base) as usize;
            let is_of_text = self.is_text && deferred.rule.code == catalogue::XML002.code;
            let rule = if is_of_text { &catalogue::TXT002 } else { deferred.rule };
            let note = Note::new(rule, at..at + 1, deferred.message);
            notes.push(Note { is_repair: deferred.is_repair, fix: deferred.fix, ..note });
        }
        notes.sort_by_key(|note| note.written.start);
        if notes.iter().any(|note| note.is_repair) {
            weigh_fixes(notes);
        }
        for note in notes.drain(..) {
            self.is_recovered |= note.is_repair;
            self.findings.collect_fix(&note, base, self.root);
            if self.findings.is_new(&note) && self.findings.takes(note.rule) {
                let Note { rule, written, message, help, fix, .. } = note;
                let floor = floor.max(written.start);
                let finding =
                    Finding::new(rule, message.into_owned(), window, floor, written, end, &mut self.positions);
                let fix = fix.map(|fix| Box::new(fix.in_document(base, self.root)));
                self.findings.keep(Finding { help, fix, ..finding });
            }
        }
    }
}

/// Keeps the fixes of a piece that is not well-formed only if together they make it so: to fix a part of what is broken
/// may change how the rest of it is read.
fn weigh_fixes(notes: &mut [Note]) {
    let broken = || notes.iter().filter(|note| note.is_repair).map(|note| note.fix.as_deref());
    let is_hopeless = broken().any(|fix| fix.is_none());
    let is_safe = broken().flatten().all(|fix| fix.safety == Safety::Safe);
    // The charset in which a text is written changes nothing in the text.
    for note in notes.iter_mut().filter(|note| !note.fix.as_ref().is_some_and(|fix| fix.is_of_charset())) {
        if is_hopeless {
            note.fix = None;
        } else if let Some(fix) = &mut note.fix
            && !is_safe
            && fix.safety == Safety::Safe
        {
            fix.safety = Safety::Unsafe;
        }
    }
}
