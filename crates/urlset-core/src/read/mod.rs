//! The incremental reader: text in pieces of any size goes in, entries and findings come out.
//!
//! The contract is h11's: feed it and it hands entries to a [`Sink`], waits for more, or stops with a [`Fault`] that
//! has a position. How the text was cut makes no difference: an entry is read only when all of it is there, and what
//! is not complete waits in a carry that doubles before it is looked at again, so the work stays linear.

pub mod entry;
pub mod index;
pub mod namespace;
pub mod place;
pub mod tag;
pub mod text;

mod content;
mod document;
mod misc;
mod name;

use std::ops::Range;

use document::Document;
use entry::Sink;
use place::{Place, Places, Snippet};

use crate::limits::Budget;
use crate::lint::catalogue::{self, Rule};
use crate::value::is_xml_blank;

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Urlset,
    Sitemapindex,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Urlset => "urlset",
            Kind::Sitemapindex => "sitemapindex",
        }
    }
}

/// Why the parse of a piece cannot go on. Small, because every step of the parser returns one or a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    NeedData,
    Problem(Box<Problem>),
}

/// What is wrong with the document; `at` is an offset of the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    kind: FaultKind,
    at: usize,
    rule: &'static Rule,
    message: String,
}

impl Stop {
    fn problem(kind: FaultKind, at: usize, rule: &'static Rule, message: impl Into<String>) -> Self {
        Stop::Problem(Box::new(Problem { kind, at, rule, message: message.into() }))
    }

    #[cold]
    fn malformed(at: usize, message: impl Into<String>) -> Self {
        Stop::problem(FaultKind::Malformed, at, &catalogue::XML001, message)
    }

    #[cold]
    fn limit(at: usize, message: impl Into<String>) -> Self {
        Stop::problem(FaultKind::Limit, at, &catalogue::XML001, message)
    }

    #[cold]
    fn not_a_sitemap(at: usize, message: impl Into<String>) -> Self {
        Stop::problem(FaultKind::NotASitemap, at, &catalogue::XML008, message)
    }

    #[cold]
    fn text(start: usize, fault: text::Fault) -> Self {
        let rule = if fault.illegal_character { &catalogue::XML007 } else { &catalogue::XML001 };
        Stop::problem(FaultKind::Malformed, start + fault.at, rule, fault.message)
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
        let shown = window[written.clone()].lines().next().unwrap_or_default();
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

/// Whose fault it is that reading ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    NotASitemap,
    Malformed,
    /// The text ended before the document did.
    Truncated,
    /// A bound of ours was met.
    Limit,
}

/// The end of reading before the end of the document. What was read before it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    pub finding: Finding,
}

/// Bytes taken from the next piece of text at first, to complete what waits in the carry.
const STITCH: usize = 4096;
/// Shown after the place of a fault at most, so that the text is the same however the document was cut.
const FAULT_SNIPPET: usize = 64;

/// Reads one document.
#[derive(Debug)]
pub struct Reader {
    document: Document,
    places: Places,
    carry: String,
    /// The carry's length below which looking again would be in vain.
    retry: usize,
    fault: Option<Fault>,
    /// There is a fault, to be told once the line it stands on can be shown.
    is_pending: bool,
    has_ended: bool,
    is_mended: bool,
    bytes: u64,
}

impl Reader {
    pub fn new(budget: Budget) -> Self {
        Reader {
            document: Document::new(budget),
            places: Places::default(),
            carry: String::new(),
            retry: 0,
            fault: None,
            is_pending: false,
            has_ended: false,
            is_mended: false,
            bytes: 0,
        }
    }

    /// What the root says the document is, once it was read.
    pub fn kind(&self) -> Option<Kind> {
        self.document.kind
    }

    /// Decoded bytes fed so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Findings of reading itself: the namespace of the root.
    pub fn findings(&self) -> &[Finding] {
        &self.document.findings
    }

    /// Why reading ended early, if it did. Nothing more is taken then.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Ends reading for a reason that lies before the text, such as bytes that are no UTF-8 after all that was fed.
    pub fn refuse(&mut self, kind: FaultKind, rule: &'static Rule, message: String, sink: &mut impl Sink) {
        if self.fault.is_some() {
            return;
        }
        self.has_ended = true;
        let carry = std::mem::take(&mut self.carry);
        let consumed = self.run(&carry, sink);
        let rest = &carry[consumed..];
        if self.fault.is_none() {
            self.set_fault(kind, rule, message, rest, rest.len(), rest.len());
        }
    }

    /// Says something about the place right after all text fed so far. `mended` says that the document is not
    /// well-formed for it, and is read on as if it were.
    pub fn remark(&mut self, rule: &'static Rule, message: String, mended: bool) {
        if self.fault.is_some() {
            return;
        }
        self.is_mended |= mended;
        if self.document.findings.len() < self.document.content.budget.findings {
            let end = self.carry.len();
            let finding = Finding::new(rule, message, &self.carry, 0, end..end, end, &mut self.places);
            self.document.findings.push(finding);
        }
    }

    /// Whether the document is not well-formed, and was read on all the same.
    pub fn is_mended(&self) -> bool {
        self.is_mended
    }

    /// Takes the next piece of text, of any size.
    pub fn feed(&mut self, mut chunk: &str, sink: &mut impl Sink) {
        self.bytes += chunk.len() as u64;
        self.document.content.plain &= text::is_plain(chunk.as_bytes());
        while !self.carry.is_empty() && !chunk.is_empty() && self.fault.is_none() {
            let carried = self.carry.len();
            let take = ceil_boundary(chunk, self.retry.saturating_sub(carried).max(STITCH));
            self.carry.push_str(&chunk[..take]);
            if self.carry.len() < self.retry {
                return;
            }
            let mut carry = std::mem::take(&mut self.carry);
            let consumed = self.run(&carry, sink);
            if consumed >= carried {
                // All that was carried is done with: the rest is read where it stands, without a copy.
                chunk = &chunk[consumed - carried..];
                carry.clear();
            } else {
                chunk = &chunk[take..];
                carry.drain(..consumed);
            }
            self.carry = carry;
            self.wait();
        }
        if self.fault.is_none() && !chunk.is_empty() {
            let consumed = self.run(chunk, sink);
            self.carry.push_str(&chunk[consumed..]);
            self.wait();
        }
    }

    /// Says that the text has ended. A document that has not is at fault.
    pub fn finish(&mut self, sink: &mut impl Sink) {
        if self.fault.is_some() {
            return;
        }
        self.has_ended = true;
        let carry = std::mem::take(&mut self.carry);
        let consumed = self.run(&carry, sink);
        let rest = &carry[consumed..];
        if self.fault.is_some() || (self.document.is_complete() && rest.bytes().all(is_xml_blank)) {
            self.sort();
            return;
        }
        let blank = rest.bytes().take_while(|byte| is_xml_blank(*byte)).count();
        let (kind, rule, message) = if self.document.is_before_root() && blank == rest.len() {
            (FaultKind::NotASitemap, &catalogue::XML008, "it is empty")
        } else if blank == rest.len() {
            (FaultKind::Truncated, &catalogue::XML001, "the document ends before its root is closed")
        } else {
            (FaultKind::Truncated, &catalogue::XML001, "the document ends inside what begins here")
        };
        self.set_fault(kind, rule, message.into(), rest, blank, blank);
    }

    /// Reads what is complete in the window and says how much that was.
    fn run(&mut self, window: &str, sink: &mut impl Sink) -> usize {
        self.document.content.index.build(window.as_bytes());
        let mut at = 0;
        let stop = loop {
            if let Err(stop) = self.document.step(window, &mut at, sink, &mut self.places) {
                break stop;
            }
        };
        self.is_pending = false;
        if let Stop::Problem(problem) = stop {
            let Problem { kind, at: place, rule, message } = *problem;
            let shown = &window.as_bytes()[place..];
            if self.has_ended || shown.len() >= FAULT_SNIPPET || shown.contains(&b'\n') {
                self.set_fault(kind, rule, message, window, at, place);
                // What was remarked of the text after it depends on how far that had been fed.
                let told = self.fault.as_ref().map_or(0, |fault| fault.finding.place.offset);
                self.document.findings.retain(|finding| finding.place.offset <= told);
            } else {
                self.is_pending = true;
            }
        }
        self.places.consume(window, &self.document.content.index, at);
        at
    }

    fn set_fault(
        &mut self,
        kind: FaultKind,
        rule: &'static Rule,
        message: String,
        window: &str,
        floor: usize,
        at: usize,
    ) {
        let end = ceil_boundary(window, at + FAULT_SNIPPET);
        let finding = Finding::new(rule, message, window, floor, at..at, end, &mut self.places);
        self.fault = Some(Fault { kind, finding });
        self.sort();
    }

    fn sort(&mut self) {
        self.document.findings.sort_by_key(|finding| finding.place.offset);
    }

    /// Decides how much longer the carry has to be before another look, and gives up on it past the budget.
    fn wait(&mut self) {
        self.retry = if self.is_pending { self.carry.len() + FAULT_SNIPPET } else { self.carry.len() * 2 };
        if let Err(Stop::Problem(problem)) = self.document.content.check_length(0, self.carry.len()) {
            let carry = std::mem::take(&mut self.carry);
            if self.fault.is_none() {
                self.set_fault(problem.kind, problem.rule, problem.message, &carry, 0, 0);
            }
        }
    }
}

/// The next character boundary at or after `at`, or the end.
fn ceil_boundary(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
