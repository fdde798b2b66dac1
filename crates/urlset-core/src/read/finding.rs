//! What is worth saying about a document: notes while a piece is read, findings once it is done with.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use super::place::{Place, Places, Snippet};
use crate::lint::Selection;
use crate::lint::catalogue::{self, COUNT, Rule, Severity};
use crate::lint::fix::{Fix, Safety};

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
    /// How it can be mended, in places of the window.
    pub fix: Option<Box<Fix>>,
}

impl Note {
    /// Something that XML, or the charset, forbids.
    pub fn mended(rule: &'static Rule, at: usize, message: impl Into<String>) -> Self {
        Note { rule, written: at..at + 1, message: message.into(), help: None, mended: true, once: None, fix: None }
    }

    /// Something that is odd in a well-formed document.
    pub fn odd(rule: &'static Rule, written: Range<usize>, message: impl Into<String>) -> Self {
        Note { rule, written, message: message.into(), help: None, mended: false, once: None, fix: None }
    }

    /// Takes a note about what the mender has made of a piece back to where that was written.
    pub fn bring_back(&mut self, copy: &str, window: &str, origin: impl Fn(usize) -> usize) {
        self.written = origin(self.written.start)..origin(self.written.end);
        self.fix = self.fix.take().and_then(|fix| fix.brought_back(copy, window, origin)).map(Box::new);
    }

    pub fn once(mut self, about: impl Into<String>) -> Self {
        self.once = Some(about.into());
        self
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(Box::new(fix));
        self
    }
}

/// One thing worth saying about a document, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub message: String,
    pub help: Option<String>,
    pub place: Place,
    /// Code points of the thing itself, on its first line; at least one.
    pub width: u32,
    pub snippet: Snippet,
    /// How it can be mended, in places of the whole text.
    pub fix: Option<Box<Fix>>,
    /// Further findings of the rule that are counted and not kept; told with the last one that is.
    pub more: u64,
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
            severity: rule.severity,
            message,
            help: None,
            fix: None,
            more: 0,
            place: places.place(window, floor, written.start),
            width: (shown.chars().count() as u32).max(1),
            snippet: places.snippet(window, written.start, end),
        }
    }

    /// About the document as a whole, which stands for it at its beginning.
    pub fn of_document(rule: &'static Rule, message: String, help: Option<String>) -> Self {
        Finding {
            rule,
            severity: rule.severity,
            message,
            help,
            place: Place { offset: 0, line: 1, column: 1 },
            width: 1,
            snippet: Snippet { text: String::new(), column: 1 },
            fix: None,
            more: 0,
        }
    }
}

/// Keeps the fixes of a piece that is not well-formed only if together they make it so: to mend a part of what is broken
/// may change how the rest of it is read.
fn weigh_fixes(notes: &mut [Note]) {
    let broken = || notes.iter().filter(|note| note.mended).map(|note| note.fix.as_deref());
    let is_hopeless = broken().any(|fix| fix.is_none());
    let is_safe = broken().flatten().all(|fix| fix.safety == Safety::Safe);
    // In which charset a text is written changes nothing of it.
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

/// Things said once a document that are remembered; past it, which only hostile input reaches, they are said again.
const MOST_SAID: usize = 4_096;

/// Fixes that wait to be made; what is past it is found again when these are made.
const MOST_FIXES: usize = 1 << 20;

/// The findings of one document: the first of them whole, all of them counted, those of rules not asked for neither.
#[derive(Debug)]
pub struct Findings {
    selection: Selection,
    /// Kept in all, and of each rule.
    most: usize,
    pub most_of_rule: u32,
    kept: Vec<Finding>,
    kept_of_rule: [u32; COUNT],
    counts: BTreeMap<&'static str, u64>,
    said: BTreeSet<(&'static str, String)>,
    /// Every fix, in places of the whole text, where they are to be made, and whether it is of something that is not
    /// well-formed.
    pub fixes: Option<Vec<(&'static Rule, Fix, bool)>>,
}

impl Findings {
    fn new(selection: Selection, most: usize) -> Self {
        Findings {
            selection,
            most,
            most_of_rule: u32::MAX,
            kept: Vec::new(),
            kept_of_rule: [0; COUNT],
            counts: BTreeMap::new(),
            said: BTreeSet::new(),
            fixes: None,
        }
    }

    /// Counts a finding of the rule, if that was asked for, and says whether there is room to keep it.
    fn takes(&mut self, rule: &'static Rule) -> bool {
        self.count(rule) && self.kept.len() < self.most && self.kept_of_rule[rule.place] < self.most_of_rule
    }

    fn keep(&mut self, finding: Finding) {
        self.kept_of_rule[finding.rule.place] += 1;
        let severity = self.selection.severity(finding.rule);
        self.kept.push(Finding { severity, ..finding });
    }

    /// Adds one that is about the whole document; those are few, and are kept whatever its entries have filled.
    pub fn add_of_document(&mut self, finding: Finding) {
        if self.count(finding.rule) {
            while self.kept.len() >= self.most.max(1)
                && let Some(last) = self.kept.pop()
            {
                self.kept_of_rule[last.rule.place] -= 1;
            }
            self.keep(finding);
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

    /// Remembers the fix of a note, also of one that is said already, if fixes are made.
    fn collect_fix(&mut self, note: &Note, base: u64, root: u64) {
        if let (Some(fixes), Some(fix)) = (&mut self.fixes, &note.fix)
            && fixes.len() < MOST_FIXES
            && self.selection.takes(note.rule)
        {
            fixes.push((note.rule, fix.as_ref().clone().placed(base, root), note.mended));
        }
    }

    /// Those that were kept, in the order of their places, however they came. The last one of a rule says how many more
    /// there are.
    pub fn sorted(&self) -> Vec<Finding> {
        let mut findings = self.kept.clone();
        findings.sort_by_key(|finding| finding.place.offset);
        let mut is_last = [true; COUNT];
        for finding in findings.iter_mut().rev() {
            let place = finding.rule.place;
            if std::mem::replace(&mut is_last[place], false) {
                let counted = self.counts.get(finding.rule.code).copied().unwrap_or(0);
                finding.more = counted - u64::from(self.kept_of_rule[place]);
            }
        }
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
    fix: Option<Box<Fix>>,
}

/// What is written down while a document is read: where one is, and what was found.
#[derive(Debug)]
pub struct Notebook {
    pub places: Places,
    pub findings: Findings,
    /// Something was not well-formed, and was mended.
    pub is_mended: bool,
    /// Where in the text the name in the root's tag ends.
    pub root: u64,
    /// The document is a list of lines, which has a rule of its own about its charset.
    pub is_text: bool,
    remarks: VecDeque<Remark>,
}

impl Notebook {
    pub fn new(selection: Selection, most: usize) -> Self {
        Notebook {
            places: Places::default(),
            findings: Findings::new(selection, most),
            is_mended: false,
            root: 0,
            is_text: false,
            remarks: VecDeque::new(),
        }
    }

    /// Keeps something about the place at `offset` of the text, for when that is read: what is never read is not told.
    pub fn remark(&mut self, offset: u64, rule: &'static Rule, message: String, mended: bool, fix: Option<Box<Fix>>) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push_back(Remark { offset, rule, message, mended, fix });
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
            let is_of_text = self.is_text && remark.rule.code == catalogue::XML002.code;
            let rule = if is_of_text { &catalogue::TXT002 } else { remark.rule };
            let note = Note::odd(rule, at..at + 1, remark.message.clone());
            notes.push(Note { mended: remark.mended, fix: remark.fix.clone(), ..note });
            self.remarks.pop_front();
        }
        notes.sort_by_key(|note| note.written.start);
        if notes.iter().any(|note| note.mended) {
            weigh_fixes(notes);
        }
        for note in notes.drain(..) {
            self.is_mended |= note.mended;
            self.findings.collect_fix(&note, base, self.root);
            if self.findings.is_new(&note) && self.findings.takes(note.rule) {
                let Note { rule, written, message, help, fix, .. } = note;
                let floor = floor.max(written.start);
                let finding = Finding::new(rule, message, window, floor, written, end, &mut self.places);
                let fix = fix.map(|fix| Box::new(fix.placed(base, self.root)));
                self.findings.keep(Finding { help, fix, ..finding });
            }
        }
    }
}
