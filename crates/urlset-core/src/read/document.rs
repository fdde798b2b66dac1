//! The document around the entries: prolog, root, what may follow it. One call of [`Document::step`] takes one piece.
//!
//! A piece is first read strictly, which is fast. Where that finds a fault, the piece is mended and read again; what
//! was wrong with it becomes a finding, and the document goes on.

use std::ops::Range;

use super::content::{Content, closed};
use super::element::Element;
use super::entry::{Entry, EntryKind, Sink};
use super::index::EntryLine;
use super::mend::{Around, Mended, Mender, Outer};
use super::misc::{comment, instruction, starts};
use super::name::split;
use super::tag::{Tag, TagKind};
use super::{Kind, Problem, Stop};
use crate::diagnostic::{Fix, Note, Notebook, Safety, catalogue};
use crate::limits::{Budget, Limits};
use crate::xml::is_xml_blank;

/// What to do about a document that is too much.
pub const SPLIT: &str = "split it, which `urlset publish` does";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing told yet: only here may an XML declaration stand.
    Beginning,
    Prolog,
    Root,
    Epilog,
    /// It is no markup, but a list of lines.
    Lines,
}

#[derive(Debug)]
pub struct Document {
    pub content: Content,
    pub kind: Option<Kind>,
    pub state: State,
    /// The text has ended: what the window has is all there will be.
    pub has_ended: bool,
    pub has_declaration: bool,
    pub has_doctype: bool,
    pub root: String,
    /// Roots that were opened inside the root, and have to close before it.
    nested_roots: u32,
    /// Inside the `<channel>` of RSS.
    pub in_channel: bool,
    /// What follows the root was told of.
    pub told_of_rest: bool,
    /// The line of the mended entry at hand.
    mended_line: u32,
    pub entry_line: EntryLine,
    entries: u64,
    pub limits: Option<Limits>,
}

impl Document {
    pub fn new(budget: Budget) -> Self {
        Document {
            content: Content::new(budget),
            kind: None,
            state: State::Beginning,
            has_ended: false,
            has_declaration: false,
            has_doctype: false,
            root: String::new(),
            nested_roots: 0,
            in_channel: false,
            told_of_rest: false,
            mended_line: 0,
            entry_line: EntryLine::default(),
            entries: 0,
            limits: None,
        }
    }

    /// The root has closed, or there is none that has to: nothing is missing.
    pub fn is_complete(&self) -> bool {
        matches!(self.state, State::Epilog | State::Lines)
    }

    /// Nothing was read but blanks, comments and instructions.
    pub fn is_before_root(&self) -> bool {
        matches!(self.state, State::Beginning | State::Prolog)
    }

    /// Takes pieces of the window from `at` on, which moves past each that is done with, until one changes what the
    /// document is about. On a stop nothing of the piece at `at` has changed, and it is to be read again from there.
    pub fn step(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        let next = match self.state {
            State::Root => return self.children(window, at, sink, notebook),
            State::Beginning => self.beginning(window, *at, notebook),
            State::Prolog => self.prolog(window, *at, notebook),
            State::Epilog => self.epilog(window, *at, notebook),
            State::Lines => self.line(window, *at, sink, notebook),
        };
        let next = next.inspect_err(|_| self.content.forget())?;
        self.record(window, *at, next, notebook);
        *at = next;
        Ok(())
    }

    /// Takes the children of the root until it closes.
    fn children(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        while self.state == State::Root {
            let scopes = self.content.tags.scopes.depth();
            let stop = match self.child(window, *at, sink) {
                Ok(next) => {
                    self.record(window, *at, next, notebook);
                    *at = next;
                    continue;
                }
                Err(stop) => stop,
            };
            self.content.tags.scopes.truncate(scopes);
            self.content.forget();
            let problem = match stop {
                Stop::NeedData => return Err(Stop::NeedData),
                Stop::Problem(problem) if problem.is_fatal() => return Err(Stop::Problem(problem)),
                Stop::Problem(problem) => Some(problem),
                Stop::Odd => None,
            };
            *at = self.mend(window, *at, problem, sink, notebook)?;
        }
        Ok(())
    }

    fn child(&mut self, window: &str, at: usize, sink: &mut impl Sink) -> Result<usize, Stop> {
        let next = self.content.text_between(window, at, at)?;
        if let Some(end) = self.content.piece_end(window, next)? {
            return Ok(end);
        }
        self.content.piece_start = at;
        let tag = match self.content.tags.known(window, next) {
            Some(tag) => tag,
            None => self.content.tags.read(window, next)?,
        };
        if tag.kind == TagKind::Close {
            return self.close(window, &tag);
        }
        self.entry(window, &tag, sink)
    }

    /// The closing tag of the root, or of the channel inside it.
    fn close(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        if self.in_channel && tag.name(window) == "channel" {
            self.in_channel = false;
            return Ok(tag.end);
        }
        let end = closed(&self.root, window, tag)?;
        self.content.tags.notes.extend(wrong_case(tag, tag.name(window)));
        if self.nested_roots > 0 {
            self.nested_roots -= 1;
            return Ok(end);
        }
        if self.in_channel {
            return Err(Stop::malformed(tag.start, "`<channel>` is not closed"));
        }
        self.state = State::Epilog;
        Ok(end)
    }

    /// Hands an entry to the sink; any other element is skipped whole.
    fn entry(&mut self, window: &str, tag: &Tag, sink: &mut impl Sink) -> Result<usize, Stop> {
        let document = self.kind.unwrap_or(Kind::Urlset);
        let kind = match tag.element {
            Element::Item if document.is_feed() => EntryKind::Url,
            Element::Channel if document == Kind::Rss && !self.in_channel => {
                // Only what it holds counts; what it declares stays in force for it.
                self.in_channel = tag.kind == TagKind::Open;
                return Ok(tag.end);
            }
            Element::Url if !document.is_feed() => EntryKind::Url,
            Element::Sitemap if !document.is_feed() => EntryKind::Sitemap,
            Element::Loc | Element::Urlset | Element::Sitemapindex
                if !self.content.is_mended && !document.is_feed() =>
            {
                return Err(Stop::Odd);
            }
            _ => {
                self.content.foreign_child(window, tag);
                return self.content.skip(window, tag);
            }
        };
        let end = self.content.entry(window, tag)?;
        self.content.check_texts(tag.start, end)?;
        if !self.content.tags.notes.is_empty() {
            self.content.add_renaming(window, tag.start..end);
        }
        // A mended piece is not the window that lines are counted in: whoever mended it knows the line.
        let line = match self.content.is_mended {
            true => self.mended_line,
            false => self.entry_line.advance(&self.content.index, tag.start),
        };
        self.hand_out(window, tag.start..end, line, kind, sink)?;
        Ok(end)
    }

    /// Gives the entry in the slots to the sink.
    pub fn hand_out(
        &mut self,
        window: &str,
        range: Range<usize>,
        line: u32,
        kind: EntryKind,
        sink: &mut impl Sink,
    ) -> Result<(), Stop> {
        self.entries += 1;
        let most = self.content.budget.entries;
        if self.entries > most {
            return Err(Stop::limit(range.start, format!("more than {most} entries in one document")));
        }
        let document = self.kind.unwrap_or(Kind::Urlset);
        if self.limits.is_some_and(|limits| self.entries == limits.entries + 1) {
            let message = format!("more than the {} entries that one document may have", self.entries - 1);
            let is_index = document == Kind::Sitemapindex;
            let rule = if is_index { &catalogue::LIM003 } else { &catalogue::LIM001 };
            let note = Note::new(rule, range.start..range.start + 1, message);
            self.content.tags.notes.push(note.with_help(SPLIT));
        }
        let Content { slots, tags, piece_start, .. } = &mut self.content;
        let Range { start, end } = range;
        let entry = Entry { kind, document, window, piece: (*piece_start).min(start), start, end, line, slots };
        sink.entry(&entry, &mut tags.notes);
        self.content.settle();
        Ok(())
    }

    /// Turns the notes of a piece that is done with into findings.
    #[inline(always)]
    pub fn record(&mut self, window: &str, at: usize, end: usize, notebook: &mut Notebook) {
        let notes = &mut self.content.tags.notes;
        if !notebook.is_idle(notes) {
            notebook.record(notes, window, at, end);
        }
    }

    /// Mends the child of the root that begins at `at`, which stopped with a problem or is merely odd, and reads what
    /// came of it.
    fn mend(
        &mut self,
        window: &str,
        at: usize,
        problem: Option<Box<Problem>>,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let is_feed = self.kind.is_some_and(Kind::is_feed);
        let around = Around { root: &self.root, in_channel: self.in_channel, is_feed };
        let mended = Mender::new(window, &mut self.content.tags.scopes, around, self.content.budget).child(at)?;
        let end = mended.end;
        match mended.outer {
            Some(Outer::Channel) => self.in_channel = false,
            Some(Outer::Nested) => self.nested_roots += 1,
            Some(Outer::Root) if self.nested_roots > 0 => self.nested_roots -= 1,
            Some(Outer::Root) => {
                self.in_channel = false;
                self.state = State::Epilog;
            }
            None => {}
        }
        self.mended_line = notebook.positions.position(window, at, at).line;
        self.read_mended(window, at, mended, problem, sink)?;
        notebook.record(&mut self.content.tags.notes, window, at, end);
        Ok(end)
    }

    /// Reads the entries of a mended piece; its notes are those of the mender and of what reading it had to say.
    fn read_mended(
        &mut self,
        window: &str,
        at: usize,
        mended: Mended,
        problem: Option<Box<Problem>>,
        sink: &mut impl Sink,
    ) -> Result<(), Stop> {
        let Mended { out, mut notes, end, .. } = mended;
        if let Some(Problem { at, rule, message, .. }) = problem.map(|problem| *problem)
            && !notes.iter().any(|note| note.is_repair)
        {
            // It may have been met behind what is mended now, and is then met again.
            notes.push(Note::repair(rule, at.min(end), message));
        }
        let mut index = std::mem::take(&mut self.content.spare_index);
        self.content.plain &= index.build(out.text.as_bytes());
        std::mem::swap(&mut self.content.index, &mut index);
        self.content.is_mended = true;
        let (mut next, mut counted) = (0, at);
        let mut result = Ok(());
        while out.text[next..].bytes().any(|byte| !is_xml_blank(byte)) {
            let less = next + out.text[next..].find('<').unwrap_or(0);
            let origin = out.origin(less);
            let passed = &window.as_bytes()[counted..origin.max(counted)];
            self.mended_line += memchr::memchr_iter(b'\n', passed).count() as u32;
            counted += passed.len();
            match self.child(&out.text, next, sink) {
                Ok(end) => next = end,
                Err(Stop::Problem(problem)) if problem.is_fatal() => {
                    result = Err(Stop::problem(problem.kind, out.origin(problem.at), problem.rule, problem.message));
                    break;
                }
                // What the mender makes is well-formed; were it not, the piece is lost, and is said to be.
                Err(_) => {
                    self.content.passed_over.clear();
                    notes.push(Note::repair(&catalogue::XML001, at, "a piece that could not be mended: it is lost"));
                    break;
                }
            }
        }
        self.content.is_mended = false;
        std::mem::swap(&mut self.content.index, &mut index);
        self.content.spare_index = index;
        let read = &mut self.content.tags.notes;
        for note in read.iter_mut() {
            note.bring_back(&out.text, window, |at| out.origin(at));
        }
        read.append(&mut notes);
        result
    }
}

/// The note of a root's tag whose name is not in lower case.
pub fn wrong_case(tag: &Tag, name: &str) -> Option<Note> {
    let local = split(name).1;
    if ["urlset", "sitemapindex", "rss", "feed", "RDF"].contains(&local) {
        return None;
    }
    let message = format!("`{local}` is written in the wrong case");
    let place = tag.name_end - local.len()..tag.name_end;
    let fix = Fix::replace(Safety::Safe, place, local.to_ascii_lowercase());
    Some(Note::new(&catalogue::XML011, tag.start..tag.name_end, message).once("case").with_fix(fix))
}

pub fn first_not_blank(window: &str, at: usize) -> Result<usize, Stop> {
    let blanks = window.as_bytes()[at..].iter().take_while(|byte| is_xml_blank(**byte)).count();
    if at + blanks == window.len() { Err(Stop::NeedData) } else { Ok(at + blanks) }
}

/// Where the comment or instruction at `at` ends, if it is one.
pub fn misc(window: &str, at: usize) -> Result<Option<usize>, Stop> {
    if starts(window, at, "<?")? {
        return instruction(window, at).map(Some);
    }
    if starts(window, at, "<!--")? {
        return comment(window, at).map(Some);
    }
    Ok(None)
}
