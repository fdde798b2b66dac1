//! The incremental reader: text in pieces of any size goes in, entries and findings come out.
//!
//! The contract is h11's: feed it, and it hands entries to a [`Sink`], waits for more, or stops with a [`Fault`] that
//! has a position. How the text was cut makes no difference: an entry is read only when all of it is there, and what
//! is not complete waits in a carry that doubles before it is looked at again, so the work stays linear.

use std::collections::BTreeMap;

#[cfg(test)]
use fearless_simd::Level;

use super::document::Document;
use super::document::opening::names_robots;
#[cfg(test)]
use super::entries::shapes::Shapes;
use super::entries::sink::{Sink, Summary};
use super::fault::{Fault, FaultKind, Problem};
use super::index::window::{ceil_boundary, floor_boundary};
use super::kind::Kind;
use super::stop::Stop;
use crate::diagnostic::{Finding, Findings, Fix, Notebook, Rule, grammar};
use crate::limits::Budget;
use crate::xml::is_xml_blank;

/// Bytes taken from the next piece of text at first, to complete what waits in the carry.
const STITCH: usize = 4096;
/// Characters shown after the position of a fault at most, so that the text is the same however the document was cut.
const FAULT_SNIPPET: usize = 64;
/// How many pieces that are longer than one may be are closed: each is looked at whole, however little of it is read.
const MAX_CLOSED: u32 = 64;

/// Reads one document.
#[derive(Debug)]
pub struct Reader {
    pub(super) document: Document,
    pub(super) notebook: Notebook,
    pub(super) carry: String,
    /// The carry's length below which looking again would be in vain.
    retry: usize,
    fault: Option<Fault>,
    /// There is a fault, which is reported once its line can be shown.
    is_pending: bool,
    /// Decoded bytes that were fed.
    pub(super) fed: u64,
    /// Where reading ended, if it ended early.
    ended_at: Option<u64>,
    pub(super) work: u64,
    /// Pieces too long that were closed where they must have ended.
    closed: u32,
    encoding: Encoding,
}

/// What came before the text, for the sinks that look at it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Encoding {
    /// The layers of compression that no header names.
    pub layers: usize,
    /// The mark of UTF-8.
    pub has_mark: bool,
}

impl Reader {
    /// A reader within the budget that adds what it finds to `findings`.
    pub fn new(budget: Budget, findings: Findings) -> Self {
        Reader {
            document: Document::new(budget),
            notebook: Notebook::new(findings),
            carry: String::new(),
            retry: 0,
            fault: None,
            is_pending: false,
            fed: 0,
            ended_at: None,
            work: 0,
            closed: 0,
            encoding: Encoding::default(),
        }
    }

    /// The same for the document at `location`: what has no mark of its own is a robots.txt if that says so.
    pub fn at_location(mut self, location: Option<&str>) -> Self {
        self.document.is_named_robots = location.is_some_and(names_robots);
        self
    }

    /// A reader that has every entry parsed, and each text checked as if it might hold anything, to compare with.
    #[cfg(test)]
    pub fn without_shapes(mut self) -> Self {
        self.document.content.shapes = Shapes::none();
        self.document.content.plain = false;
        self
    }

    /// A reader that uses this level of SIMD for what is recognised by its shape.
    #[cfg(test)]
    pub fn at_level(mut self, level: Level) -> Self {
        self.document.content.level = level;
        self
    }

    /// Whether the entries of late were recognised by their shape.
    #[cfg(test)]
    pub fn recognises_shapes(&self) -> bool {
        self.document.content.shapes.has_miss_budget()
    }

    /// How many entries were recognised by their shape.
    #[cfg(test)]
    pub fn recognised(&self) -> u64 {
        self.document.content.shapes.recognised
    }

    /// What came before the text; decoding keeps it up to date.
    pub fn encoding(&mut self) -> &mut Encoding {
        &mut self.encoding
    }

    /// The text may differ from what other readers get, because they go by the declaration: a fix of the charset changes
    /// what they read.
    pub fn doubt_charset(&mut self) {
        self.notebook.findings.doubt_charset();
    }

    /// The fixes that can be applied, if they were collected.
    pub fn into_fixes(self) -> Vec<(&'static Rule, Fix)> {
        self.notebook.findings.into_fixes(self.notebook.is_recovered)
    }

    /// The kind of the document, once that is known.
    pub fn kind(&self) -> Option<Kind> {
        self.document.kind
    }

    /// Decoded bytes fed so far; where reading ended early, those before the position at which it did.
    pub fn bytes(&self) -> u64 {
        self.ended_at.unwrap_or(self.fed)
    }

    /// Decoded bytes fed so far, with those behind the position at which reading ended.
    pub fn fed(&self) -> u64 {
        self.fed
    }

    /// Bytes looked at so far, those that were looked at again included: what the reading has cost, without a clock.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The findings, in the order of their positions.
    pub fn findings(&self) -> Vec<Finding> {
        self.notebook.findings.sorted()
    }

    /// How often each code was found, kept or not.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        self.notebook.findings.counts()
    }

    /// The document was not well-formed, and was recovered.
    pub fn is_recovered(&self) -> bool {
        self.notebook.is_recovered
    }

    /// Elements inside entries that were passed over, by namespace.
    pub fn extensions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.document.content.extensions.iter().filter(|(_, count)| *count > 0).map(|(uri, count)| (&**uri, *count))
    }

    /// Why reading ended early, if it did. Nothing more is taken then.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Notes something about the offset right after all text fed so far. `is_repair` means that the document is not
    /// well-formed because of it, and is read as if it were.
    pub fn defer_note(&mut self, rule: &'static Rule, message: String, is_repair: bool, fix: Option<Fix>) {
        if self.fault.is_none() {
            self.notebook.defer(self.fed, rule, message, is_repair, fix);
        }
    }

    /// Ends reading for a reason that lies before the text, such as gzip data that break off after all that was fed.
    pub fn refuse(&mut self, kind: FaultKind, rule: &'static Rule, message: String, sink: &mut impl Sink) {
        if self.fault.is_some() {
            return;
        }
        // Lines before this offset are whole only if they have ended; nothing else that is incomplete is read.
        let carry = std::mem::take(&mut self.carry);
        let consumed = self.run(&carry, sink);
        let rest = &carry[consumed..];
        if self.fault.is_none() {
            self.set_fault(Problem { kind, at: rest.len(), rule, message: message.into() }, rest, rest.len());
        }
    }

    /// Takes the next piece of text, of any size.
    pub fn feed(&mut self, mut chunk: &str, sink: &mut impl Sink) {
        if self.fault.is_some() {
            return;
        }
        self.fed += chunk.len() as u64;
        sink.text(chunk);
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

    /// Returns that the text has ended. A document that has not is at fault.
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
        let is_blank = rest.bytes().all(is_xml_blank);
        if is_blank && self.document.is_named_robots && self.document.is_unread() {
            // RFC 9309, section 2.2: a robots.txt has any number of lines.
            self.document.begin_lines(Kind::Robots, 0, &mut self.notebook);
        }
        if self.document.is_complete()
            && is_blank
            && self.document.entries == 0
            && let Some(finding) = self.document.other_root.take()
        {
            // Another format that has an element of such a name in it, rather than a sitemap that something stands around.
            self.document.kind = None;
            self.fault = Some(Fault { kind: FaultKind::NotASitemap, finding: *finding });
            return;
        }
        if self.document.is_complete() && is_blank {
            self.notebook.record_rest(rest);
            let Encoding { layers, has_mark } = self.encoding;
            let summary = Summary { kind: self.kind(), bytes: self.fed, layers, has_mark };
            return sink.end(&summary, &mut self.notebook.findings);
        }
        let at = rest.bytes().take_while(|byte| is_xml_blank(*byte)).count();
        let (kind, rule, message) = if self.document.is_before_root() && at == rest.len() {
            (FaultKind::NotASitemap, &grammar::XML008, "it is empty")
        } else if at == rest.len() {
            (FaultKind::Truncated, &grammar::XML001, "the document ends before its root is closed")
        } else {
            (FaultKind::Truncated, &grammar::XML001, "the document ends inside what begins here")
        };
        self.set_fault(Problem { kind, at, rule, message: message.into() }, rest, at);
        // All of the text is there, so its deferred notes are the same however it was cut.
        self.notebook.record_rest(rest);
    }

    /// Reads what is complete in the window and returns how much that was.
    ///
    /// It is looked at in parts as long as one piece may be: what is not complete in all of such a part is too long,
    /// and is so however much of it lay in one window.
    fn run<S: Sink>(&mut self, window: &str, sink: &mut S) -> usize {
        self.document.content.tags.keeps_unread = S::WANTS_UNREAD && !self.document.has_been_feed;
        let (most, has_ended) = (self.document.content.budget.piece_bytes, self.document.has_ended);
        let mut at = 0;
        loop {
            let rest = &window[at..];
            let part = &rest[..floor_boundary(rest, most)];
            let is_last = part.len() == rest.len();
            self.document.has_ended = has_ended && is_last;
            let (read, stop) = self.run_part(part, is_last, sink);
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
            let Document { entry_line, content, .. } = &mut self.document;
            let line = entry_line.consume(&content.index, read);
            self.notebook.positions.consume(rest, read, line, content.index.is_ascii());
            at += read;
            if is_over {
                return at;
            }
        }
    }

    /// Reads what is complete in a part of the window, and returns how much that was and why it stopped.
    ///
    /// Where it ends inside of something that will not be closed, that is closed where it must have ended.
    fn run_part(&mut self, part: &str, is_last: bool, sink: &mut impl Sink) -> (usize, Stop) {
        self.work += part.len() as u64;
        self.document.content.plain &= self.document.content.index.build(part);
        let mut at = 0;
        let stop = self.steps(part, &mut at, sink);
        let will_not_close = match is_last {
            true => self.document.has_ended && !self.document.is_complete(),
            false => at == 0 && self.closed < MAX_CLOSED,
        };
        if stop != Stop::NeedData || !will_not_close {
            return (at, stop);
        }
        self.closed += u32::from(!is_last);
        self.document.close_open();
        let stop = self.steps(part, &mut at, sink);
        self.document.closes_open = false;
        (at, stop)
    }

    fn steps(&mut self, part: &str, at: &mut usize, sink: &mut impl Sink) -> Stop {
        loop {
            if let Err(stop) = self.document.step(part, at, sink, &mut self.notebook) {
                return stop;
            }
        }
    }

    fn set_fault(&mut self, problem: Problem, window: &str, floor: usize) {
        let Problem { kind, at, rule, message } = problem;
        let end = ceil_boundary(window, at + FAULT_SNIPPET);
        // Notes about the text after it depend on how much of that was fed, and are dropped.
        self.notebook.record(&mut Vec::new(), window, floor.min(at), at);
        let finding =
            Finding::new(rule, message.into_owned(), window, floor, at..at, end, &mut self.notebook.positions);
        if kind != FaultKind::Truncated {
            // How much more was fed depends on how the text was cut.
            self.ended_at = Some(self.notebook.positions.base() + at as u64);
        }
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
    Problem { kind: FaultKind::Limit, at: 0, rule: &grammar::LIM007, message: message.into() }
}
