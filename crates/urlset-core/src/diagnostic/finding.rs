//! Findings: what is reported of a document, each with its position.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::catalogue::COUNT;
use super::fix::{Fix, Safety};
use super::note::Note;
use super::position::{Position, Positions, Snippet};
use super::rule::{Rule, Severity};
use super::selection::Selection;
use crate::limits::Budget;

/// One thing that is reported of a document, with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub message: String,
    pub help: Option<String>,
    pub position: Position,
    /// Code points of what it is about, on its first line; at least one.
    pub width: u32,
    pub snippet: Snippet,
    /// How it can be fixed, in offsets of the whole text.
    pub fix: Option<Box<Fix>>,
    /// Further findings of the rule that are counted but not kept. Set on the last finding that is kept.
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
        positions: &mut Positions,
    ) -> Self {
        // A note that knows only where something begins may end inside a character.
        let shown = window.get(written.clone()).and_then(|text| text.lines().next()).unwrap_or_default();
        Finding {
            rule,
            severity: rule.severity,
            message,
            help: None,
            fix: None,
            more: 0,
            position: positions.position(window, floor, written.start),
            width: (shown.chars().count() as u32).max(1),
            snippet: positions.snippet(window, written.start, end),
        }
    }

    /// A finding about the document as a whole, which is reported at its beginning.
    fn of_document(rule: &'static Rule, message: String, help: Option<String>) -> Self {
        Finding {
            rule,
            severity: rule.severity,
            message,
            help,
            position: Position { offset: 0, line: 1, column: 1 },
            width: 1,
            snippet: Snippet { text: String::new(), column: 1 },
            fix: None,
            more: 0,
        }
    }
}

/// Notes that are reported once a document and are remembered. Only hostile input has more, and those are reported again.
const MAX_ONCE: usize = 4_096;

/// Fixes that are collected. Further ones are found again when the document is read after these were applied.
const MAX_FIXES: usize = 1 << 20;

/// A fix that may be applied, in offsets of the whole text.
#[derive(Debug)]
struct Collected {
    rule: &'static Rule,
    fix: Fix,
    /// It makes something well-formed that is not.
    is_repair: bool,
}

/// The findings of one document. All findings of selected rules are counted; the first ones are kept.
#[derive(Debug)]
pub struct Findings {
    selection: Selection,
    /// Kept at most: in all, and of each rule.
    most: usize,
    most_of_rule: u32,
    kept: Vec<Finding>,
    kept_of_rule: [u32; COUNT],
    counts: BTreeMap<&'static str, u64>,
    reported_once: BTreeSet<(&'static str, String)>,
    /// Every fix, if fixes are to be applied.
    fixes: Option<Vec<Collected>>,
    /// Other readers may read other characters: the charset is not safe to fix.
    is_charset_doubtful: bool,
}

impl Default for Findings {
    /// Every rule is selected, and as many findings are kept as the default budget allows.
    fn default() -> Self {
        Findings::new(Selection::default(), Budget::DEFAULT.findings)
    }
}

impl Findings {
    /// An empty collection that keeps at most so many findings of the selected rules.
    pub fn new(selection: Selection, most: usize) -> Self {
        Findings {
            selection,
            most,
            most_of_rule: u32::MAX,
            kept: Vec::new(),
            kept_of_rule: [0; COUNT],
            counts: BTreeMap::new(),
            reported_once: BTreeSet::new(),
            fixes: None,
            is_charset_doubtful: false,
        }
    }

    /// Makes every fix of the charset unsafe.
    pub fn doubt_charset(&mut self) {
        self.is_charset_doubtful = true;
    }

    fn safety(&self, fix: &Fix) -> Safety {
        if self.is_charset_doubtful && fix.is_of_charset() { Safety::Unsafe } else { fix.safety }
    }

    /// The same, keeping at most so many findings of each rule.
    pub fn with_most_of_rule(mut self, most: u32) -> Self {
        self.most_of_rule = most;
        self
    }

    /// The same, collecting every fix.
    pub fn with_fixes(mut self) -> Self {
        self.fixes = Some(Vec::new());
        self
    }

    /// Whether fixes are collected.
    pub fn collects_fixes(&self) -> bool {
        self.fixes.is_some()
    }

    /// An empty collection of the same rules, which keeps nothing.
    pub fn fork(&self) -> Self {
        Findings::new(self.selection, 0)
    }

    /// The fixes that were collected. While the document `is_recovered`, only the repairs and the charset are fixed: they
    /// may change what a value is.
    pub fn into_fixes(mut self, is_recovered: bool) -> Vec<(&'static Rule, Fix)> {
        let fixes = self.fixes.take().into_iter().flatten();
        let fixes = fixes.filter(|found| found.is_repair || !is_recovered || found.fix.is_of_charset());
        fixes.map(|found| (found.rule, Fix { safety: self.safety(&found.fix), ..found.fix })).collect()
    }

    /// Counts a finding of the rule, if that is selected, and returns whether there is room to keep it.
    pub(super) fn takes(&mut self, rule: &'static Rule) -> bool {
        self.count(rule) && self.kept.len() < self.most && self.kept_of_rule[rule.index] < self.most_of_rule
    }

    pub(super) fn keep(&mut self, finding: Finding) {
        self.kept_of_rule[finding.rule.index] += 1;
        let severity = self.selection.severity(finding.rule);
        self.kept.push(Finding { severity, ..finding });
    }

    /// Reports something about the document as a whole. There are few such findings, so they are kept even where the
    /// entries have used up the room.
    pub fn report_on_document(&mut self, rule: &'static Rule, message: String, help: Option<&str>) {
        if self.count(rule) {
            while self.kept.len() >= self.most.max(1)
                && let Some(last) = self.kept.pop()
            {
                self.kept_of_rule[last.rule.index] -= 1;
            }
            self.keep(Finding::of_document(rule, message, help.map(str::to_owned)));
        }
    }

    /// Counts a finding of the rule, if that is selected.
    pub(super) fn count(&mut self, rule: &'static Rule) -> bool {
        let is_selected = self.selection.takes(rule);
        if is_selected {
            *self.counts.entry(rule.code).or_default() += 1;
        }
        is_selected
    }

    /// Whether a note has to be reported: one that is reported once a document is new only the first time.
    pub(super) fn is_new(&mut self, note: &Note) -> bool {
        let Some(about) = &note.once else { return true };
        self.reported_once.len() >= MAX_ONCE || self.reported_once.insert((note.rule.code, about.clone()))
    }

    /// Collects the fix of a note, also of one that was reported before, if fixes are to be applied.
    pub(super) fn collect_fix(&mut self, note: &Note, base: u64, root: u64) {
        if let (Some(fixes), Some(fix)) = (&mut self.fixes, &note.fix)
            && fixes.len() < MAX_FIXES
            && self.selection.takes(note.rule)
        {
            let fix = fix.as_ref().clone().in_document(base, root);
            fixes.push(Collected { rule: note.rule, fix, is_repair: note.is_repair });
        }
    }

    /// The findings that were kept, in the order of their positions. The last one of a rule has the number of further ones.
    pub fn sorted(&self) -> Vec<Finding> {
        let mut findings = self.kept.clone();
        findings.sort_by_key(|finding| finding.position.offset);
        let mut is_last = [true; COUNT];
        for finding in findings.iter_mut().rev() {
            if let Some(fix) = &mut finding.fix {
                fix.safety = self.safety(fix);
            }
            let index = finding.rule.index;
            if std::mem::replace(&mut is_last[index], false) {
                let counted = self.counts.get(finding.rule.code).copied().unwrap_or(0);
                finding.more = counted - u64::from(self.kept_of_rule[index]);
            }
        }
        findings
    }

    /// How often each code was found, kept or not.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }
}
