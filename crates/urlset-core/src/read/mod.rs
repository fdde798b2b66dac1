//! The incremental reader: text in pieces of any size goes in, entries and findings come out.
//!
//! The contract is h11's: feed it and it hands entries to a [`Sink`], waits for more, or stops with a [`Fault`] that
//! has a position. How the text was cut makes no difference: an entry is read only when all of it is there, and what
//! is not complete waits in a carry that doubles before it is looked at again, so the work stays linear.

pub mod element;
pub mod entry;
pub mod finding;
pub mod namespace;
pub mod news;
pub mod place;
pub mod text;
pub mod video;

mod content;
mod declaration;
mod document;
mod epilog;
mod fault;
mod feed;
mod image;
mod index;
mod known;
mod lines;
mod mend;
mod misc;
mod name;
mod prolog;
mod root;
mod skip;
mod tag;
mod template;
pub mod values;

use std::collections::BTreeMap;

use document::Document;
pub use document::SPLIT;
use entry::Sink;
use fault::Problem;
pub use fault::{Fault, FaultKind, Stop};
pub use finding::Finding;
use finding::Notebook;

use crate::limits::{Budget, Limits};
use crate::lint::Selection;
use crate::lint::catalogue::{self, Rule};
use crate::lint::fix::Fix;
use crate::value::is_xml_blank;

/// What is asked of elements that reading passes over, where somebody asks.
#[derive(Debug, Clone, Copy)]
pub struct ElementRules {
    /// Whether the consumer takes feeds, extensions, and elements of other namespaces right under the root.
    pub feeds: bool,
    pub extensions: bool,
    pub foreign_children: bool,
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Urlset,
    Sitemapindex,
    /// A list of URLs, one a line.
    Text,
    /// RSS 2.0, its forerunners, and RSS 1.0.
    Rss,
    /// Atom 1.0 and 0.3.
    Atom,
    /// The `Sitemap:` lines of a robots.txt.
    Robots,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Urlset => "urlset",
            Kind::Sitemapindex => "sitemapindex",
            Kind::Text => "text",
            Kind::Rss => "rss",
            Kind::Atom => "atom",
            Kind::Robots => "robots",
        }
    }

    pub const fn is_feed(self) -> bool {
        matches!(self, Kind::Rss | Kind::Atom)
    }
}

/// Bytes taken from the next piece of text at first, to complete what waits in the carry.
const STITCH: usize = 4096;
/// Shown after the place of a fault at most, so that the text is the same however the document was cut.
const FAULT_SNIPPET: usize = 64;

/// Reads one document.
#[derive(Debug)]
pub struct Reader {
    document: Document,
    notebook: Notebook,
    carry: String,
    /// The carry's length below which looking again would be in vain.
    retry: usize,
    fault: Option<Fault>,
    /// There is a fault, to be told once the line it stands on can be shown.
    is_pending: bool,
    bytes: u64,
    work: u64,
    /// All of the text, where that is to be kept.
    text: Option<String>,
}

impl Reader {
    /// A reader within the budget, that tells of the rules selected.
    pub fn new(budget: Budget, selection: Selection) -> Self {
        Reader {
            document: Document::new(budget),
            notebook: Notebook::new(selection, budget.findings),
            carry: String::new(),
            retry: 0,
            fault: None,
            is_pending: false,
            bytes: 0,
            work: 0,
            text: None,
        }
    }

    /// The same, telling of a document that is over these limits, too.
    pub fn with_limits(mut self, limits: Option<Limits>) -> Self {
        self.document.limits = limits;
        self
    }

    /// The same, telling of elements that it passes over.
    pub fn with_elements(mut self, rules: ElementRules) -> Self {
        self.document.content.element_rules = Some(rules);
        self.document.content.tags.asks_attributes = true;
        self
    }

    /// The same, keeping no more than so many findings of a rule.
    pub fn with_fold(mut self, most_of_rule: u32) -> Self {
        self.notebook.findings.most_of_rule = most_of_rule;
        self
    }

    /// The same, keeping the text and every fix, so that they can be made.
    pub fn with_fixes(mut self) -> Self {
        self.notebook.findings.fixes = Some(Vec::new());
        self.text = Some(String::new());
        self
    }

    /// All of the text, and the fixes that can be made, where they were asked for. While the document is not well-formed,
    /// nothing else of it is mended but its charset: what a value is may change with it.
    pub fn into_fixes(self) -> Option<(String, Vec<(&'static Rule, Fix)>)> {
        let is_mended = self.is_mended();
        let is_made = |(_, fix, of_form): &(_, Fix, bool)| *of_form || !is_mended || fix.is_of_charset();
        let fixes = self.notebook.findings.fixes?.into_iter().filter(is_made);
        Some((self.text?, fixes.map(|(rule, fix, _)| (rule, fix)).collect()))
    }

    /// What the document is, once that was told.
    pub fn kind(&self) -> Option<Kind> {
        self.document.kind
    }

    /// Decoded bytes fed so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes looked at so far, those that were looked at again included: what the reading has cost, without a clock.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// What was found, in the order of the places.
    pub fn findings(&self) -> Vec<Finding> {
        self.notebook.findings.sorted()
    }

    /// What the document should keep to, if it is asked.
    pub fn limits(&self) -> Option<Limits> {
        self.document.limits
    }

    /// How often each code was found, kept or not.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        self.notebook.findings.counts()
    }

    /// The document was not well-formed, and was mended.
    pub fn is_mended(&self) -> bool {
        self.notebook.is_mended
    }

    /// Elements inside entries that were passed over, by namespace.
    pub fn extensions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.document.content.extensions.iter().filter(|(_, count)| *count > 0).map(|(uri, count)| (&**uri, *count))
    }

    /// Why reading ended early, if it did. Nothing more is taken then.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Says something about the place right behind all text fed so far. `mended` says that the document is not
    /// well-formed for it, and is read on as if it were.
    pub fn remark(&mut self, rule: &'static Rule, message: String, mended: bool, fix: Option<Fix>) {
        if self.fault.is_none() {
            self.notebook.remark(self.bytes, rule, message, mended, fix.map(Box::new));
        }
    }

    /// Ends reading for a reason that lies before the text, such as gzip data that break off after all that was fed.
    pub fn refuse(&mut self, kind: FaultKind, rule: &'static Rule, message: String, sink: &mut impl Sink) {
        if self.fault.is_some() {
            return;
        }
        // Lines before the place are whole only if they have ended; what else is not whole is not read.
        let carry = std::mem::take(&mut self.carry);
        let consumed = self.run(&carry, sink);
        let rest = &carry[consumed..];
        if self.fault.is_none() {
            self.set_fault(Problem { kind, at: rest.len(), rule, message }, rest, rest.len());
        }
    }

    /// Takes the next piece of text, of any size.
    pub fn feed(&mut self, mut chunk: &str, sink: &mut impl Sink) {
        self.bytes += chunk.len() as u64;
        if let Some(text) = &mut self.text {
            text.push_str(chunk);
        }
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
        self.document.has_ended = true;
        let carry = std::mem::take(&mut self.carry);
        let consumed = self.run(&carry, sink);
        let rest = &carry[consumed..];
        if self.fault.is_some() {
            return;
        }
        if self.document.is_complete() && rest.bytes().all(is_xml_blank) {
            self.notebook.tell_rest(rest);
            return self.check_bytes();
        }
        let at = rest.bytes().take_while(|byte| is_xml_blank(*byte)).count();
        let (kind, rule, message) = if self.document.is_before_root() && at == rest.len() {
            (FaultKind::NotASitemap, &catalogue::XML008, "it is empty")
        } else if at == rest.len() {
            (FaultKind::Truncated, &catalogue::XML001, "the document ends before its root is closed")
        } else {
            (FaultKind::Truncated, &catalogue::XML001, "the document ends inside what begins here")
        };
        self.set_fault(Problem { kind, at, rule, message: message.into() }, rest, at);
        // All of the text is there: what was remarked of it is the same however it was cut.
        self.notebook.tell_rest(rest);
    }

    /// Says something about the document as a whole, once it has been read to its end.
    pub fn tell_of_document(&mut self, rule: &'static Rule, message: String, help: Option<&str>) {
        let finding = Finding::of_document(rule, message, help.map(str::to_owned));
        self.notebook.findings.add_of_document(finding);
    }

    /// Tells of a document that has more bytes than it should.
    fn check_bytes(&mut self) {
        let Some(most) = self.document.limits.map(|limits| limits.bytes).filter(|most| self.bytes > *most) else {
            return;
        };
        let message = format!("{} bytes before compression; one document may have {most}", self.bytes);
        self.tell_of_document(&catalogue::LIM002, message, Some(SPLIT));
    }

    /// Reads what is complete in the window and says how much that was.
    ///
    /// It is looked at in parts as long as one piece may be: what is not complete in all of such a part is too long,
    /// and is so however much of it lay in one window.
    fn run(&mut self, window: &str, sink: &mut impl Sink) -> usize {
        let (most, has_ended) = (self.document.content.budget.piece_bytes, self.document.has_ended);
        let mut at = 0;
        loop {
            let rest = &window[at..];
            let part = &rest[..floor_boundary(rest, most)];
            let is_last = part.len() == rest.len();
            self.document.has_ended = has_ended && is_last;
            let (read, stop) = self.run_part(part, sink);
            let problem = match stop {
                Stop::Problem(problem) => Some(*problem),
                _ if read == 0 && !is_last => Some(too_long(most)),
                _ => None,
            };
            let is_over = is_last || problem.is_some();
            self.is_pending = false;
            if let Some(problem) = problem {
                let shown = &rest.as_bytes()[problem.at..];
                if has_ended || shown.len() >= FAULT_SNIPPET || shown.contains(&b'\n') {
                    self.set_fault(problem, rest, read);
                } else {
                    self.is_pending = true;
                }
            }
            self.notebook.places.consume(rest, &self.document.content.index, read);
            at += read;
            if is_over {
                return at;
            }
        }
    }

    /// Reads what is complete in a part of the window, and says how much that was and why no more.
    fn run_part(&mut self, part: &str, sink: &mut impl Sink) -> (usize, Stop) {
        self.work += part.len() as u64;
        self.document.content.plain &= self.document.content.index.build(part.as_bytes());
        let mut at = 0;
        loop {
            if let Err(stop) = self.document.step(part, &mut at, sink, &mut self.notebook) {
                return (at, stop);
            }
        }
    }

    fn set_fault(&mut self, problem: Problem, window: &str, floor: usize) {
        let Problem { kind, at, rule, message } = problem;
        let end = ceil_boundary(window, at + FAULT_SNIPPET);
        // What was remarked of the text after it depends on how far that had been fed, and is not told.
        self.notebook.tell(&mut Vec::new(), window, floor.min(at), at);
        let finding = Finding::new(rule, message, window, floor, at..at, end, &mut self.notebook.places);
        self.fault = Some(Fault { kind, finding });
    }

    /// Decides how much longer the carry has to be before another look.
    fn wait(&mut self) {
        self.retry = if self.is_pending { self.carry.len() + FAULT_SNIPPET } else { self.carry.len() * 2 };
    }
}

#[cold]
fn too_long(most: usize) -> Problem {
    let message = format!("one piece of the document is longer than {most} bytes");
    Problem { kind: FaultKind::Limit, at: 0, rule: &catalogue::LIM007, message }
}

/// The last character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The next character boundary at or after `at`, or the end.
fn ceil_boundary(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
