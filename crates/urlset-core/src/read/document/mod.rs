//! The document around the entries: prolog, root, what may follow it. One call of [`Document::step`] takes one piece.
//!
//! A piece is first read strictly, which is fast. If that fails, the piece is recovered and read again; what was wrong
//! with it becomes a finding, and the document goes on.

mod csv;
mod declaration;
mod epilog;
mod lines;
pub mod opening;
mod prolog;
mod recovery;
mod refusal;
mod root;
mod root_names;

use std::ops::Range;

use crate::diagnostic::{Finding, Notebook};
use crate::limits::{Budget, EMPTY_ENTRIES, SITEMAPS};
use crate::read::entries::entry::{Entry, EntryKind};
use crate::read::entries::sink::Sink;
use crate::read::grammar::content::Content;
use crate::read::index::structural_index::EntryLine;
use crate::read::kind::Kind;
use crate::read::lexer::Tags;
use crate::read::lexer::tag::{Tag, TagKind, closed};
use crate::read::lexer::unclosed::Unclosed;
use crate::read::namespaces::element::Element;
use crate::read::recover::Output;
use crate::read::stop::Stop;
use crate::robots::Grouping;
use root_names::wrong_case;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentState {
    /// Nothing has been read: only here may an XML declaration stand.
    Beginning,
    Prolog,
    Root,
    Epilog,
    /// A list of lines instead of markup.
    Lines,
}

#[derive(Debug)]
pub struct Document {
    pub content: Content,
    pub kind: Option<Kind>,
    pub state: DocumentState,
    /// The text has ended: what the window has is all there will be.
    pub has_ended: bool,
    /// Nothing that could close what is open will come: what was never closed ends where it must have ended.
    pub closes_open: bool,
    /// What was looked for in vain in the window at hand.
    pub unclosed: Unclosed,
    /// Its location is that of a robots.txt, which counts where its lines do not tell what it is.
    pub is_named_robots: bool,
    pub has_declaration: bool,
    /// What is wrong with the document if the root that was found inside another one has no entries.
    pub other_root: Option<Box<Finding>>,
    pub has_doctype: bool,
    pub root: String,
    /// Roots that were opened inside the root, and have to close before it.
    pub nested_roots: u32,
    /// The name of the `<channel>` of RSS that is open, with its prefix.
    pub channel: Option<Box<str>>,
    /// What follows the root was reported.
    pub has_reported_rest: bool,
    /// A root was that of a feed, which may hold any element and attribute.
    pub has_been_feed: bool,
    /// The line of the recovered entry at hand.
    recovered_line: u32,
    /// What the last recovered piece was made into: its memory serves the next one.
    recovered_memory: Output,
    pub entry_line: EntryLine,
    pub entries: u64,
    /// The groups of a robots.txt, as far as it is read.
    robots: Grouping,
    /// Those of them without a loc.
    pub empty_entries: u64,
    /// Sitemaps among the entries.
    pub sitemaps: u64,
}

impl Document {
    pub fn new(budget: Budget) -> Self {
        Document {
            content: Content::new(budget),
            kind: None,
            state: DocumentState::Beginning,
            has_ended: false,
            closes_open: false,
            unclosed: Unclosed::default(),
            is_named_robots: false,
            has_declaration: false,
            other_root: None,
            has_doctype: false,
            root: String::new(),
            nested_roots: 0,
            channel: None,
            has_reported_rest: false,
            has_been_feed: false,
            recovered_line: 0,
            recovered_memory: Output::default(),
            entry_line: EntryLine::default(),
            entries: 0,
            robots: Grouping::default(),
            empty_entries: 0,
            sitemaps: 0,
        }
    }

    /// The root has closed, or the format has none: nothing is missing.
    pub fn is_complete(&self) -> bool {
        matches!(self.state, DocumentState::Epilog | DocumentState::Lines)
    }

    /// Nothing was read at all.
    pub fn is_unread(&self) -> bool {
        self.state == DocumentState::Beginning && !self.has_declaration
    }

    /// Nothing was read but blanks, comments and instructions.
    pub fn is_before_root(&self) -> bool {
        matches!(self.state, DocumentState::Beginning | DocumentState::Prolog)
    }

    /// What is open now will not be closed by anything in the window, and nothing else comes.
    pub fn close_open(&mut self) {
        self.closes_open = true;
        self.unclosed = Unclosed::default();
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
            DocumentState::Root => return self.children(window, at, sink, notebook),
            DocumentState::Lines => {
                return self.lines(window, at, sink, notebook).inspect_err(|_| self.content.forget());
            }
            DocumentState::Beginning => self.beginning(window, *at, notebook),
            DocumentState::Prolog => self.prolog(window, *at, sink, notebook),
            DocumentState::Epilog => self.epilog(window, *at, sink, notebook),
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
        while self.state == DocumentState::Root {
            let scopes = self.content.tags.scopes.depth();
            let read = match self.closes_open {
                // Strict reading would look for the end of each unclosed piece in all that follows.
                true => Err(Stop::NeedsRecovery),
                false => match self.shaped_children(window, at, sink, notebook) {
                    Ok(()) => self.child(window, *at, sink),
                    Err(stop) => Err(stop),
                },
            };
            let stop = match read {
                Ok(next) => {
                    self.hand_unread(window, sink);
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
                Stop::NeedsRecovery => None,
            };
            *at = self.recover(window, *at, problem, sink, notebook)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn child(&mut self, window: &str, at: usize, sink: &mut impl Sink) -> Result<usize, Stop> {
        let next = self.content.text_between(window, at, at)?;
        // A text of its own: recovery of what follows would begin its piece again, and forget the text.
        if !self.content.tags.unread.is_empty() {
            return Ok(next);
        }
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
        if self.channel.as_deref() == Some(tag.name(window)) {
            self.channel = None;
            return Ok(tag.end);
        }
        let end = closed(&self.root, window, tag)?;
        self.content.tags.notes.extend(wrong_case(tag, tag.name(window)));
        if self.nested_roots > 0 {
            self.nested_roots -= 1;
            return Ok(end);
        }
        if let Some(name) = &self.channel {
            return Err(Stop::malformed(tag.start, format!("`<{name}>` is not closed")));
        }
        self.state = DocumentState::Epilog;
        Ok(end)
    }

    /// Hands an entry to the sink; any other element is skipped whole.
    fn entry(&mut self, window: &str, tag: &Tag, sink: &mut impl Sink) -> Result<usize, Stop> {
        let document = self.kind.unwrap_or(Kind::Urlset);
        let kind = match tag.element {
            Element::Item if document.is_feed() => EntryKind::Url,
            Element::Channel if document == Kind::Rss && self.channel.is_none() => {
                // Only what it holds counts; what it declares stays in force for it.
                self.channel = (tag.kind == TagKind::Open).then(|| tag.name(window).into());
                return Ok(tag.end);
            }
            Element::Url if !document.is_feed() => EntryKind::Url,
            Element::Sitemap if !document.is_feed() => EntryKind::Sitemap,
            Element::Loc | Element::Urlset | Element::Sitemapindex
                if !self.content.is_recovered && !document.is_feed() =>
            {
                return Err(Stop::NeedsRecovery);
            }
            element => {
                if element.is_of_sitemaps() && !document.is_feed() {
                    self.content.note_misplaced(window, tag);
                }
                self.content.note_child_of_root(window, tag);
                return self.content.skip(window, tag);
            }
        };
        let end = self.content.entry(window, tag)?;
        self.finish_entry(window, tag.start..end, kind, sink)
    }

    /// Hands the entry in the slots to the sink, and returns where it ends.
    #[inline(always)]
    pub fn finish_entry(
        &mut self,
        window: &str,
        Range { start, end }: Range<usize>,
        kind: EntryKind,
        sink: &mut impl Sink,
    ) -> Result<usize, Stop> {
        self.content.check_texts(start, end)?;
        if !self.content.tags.notes.is_empty() {
            self.content.add_renaming(window, start..end);
        }
        // A recovered piece is not the window in which lines are counted: recovery keeps the line.
        let line = match self.content.is_recovered {
            true => self.recovered_line,
            false => self.entry_line.of(&self.content.index, start),
        };
        self.hand_out(window, start..end, line, kind, sink)?;
        Ok(end)
    }

    /// Counts an entry without a loc, which few bytes are enough for.
    #[cold]
    fn check_empty(&mut self, at: usize) -> Result<(), Stop> {
        let has_id = self.kind.is_some_and(Kind::is_feed) && !self.content.slots.item.id.is_empty();
        self.empty_entries += u64::from(!has_id);
        if self.empty_entries <= EMPTY_ENTRIES {
            return Ok(());
        }
        Err(Stop::limit(at, format!("more than {EMPTY_ENTRIES} entries without a loc in one document")))
    }

    /// An entry of an index or a robots.txt: each is held until it is read.
    #[cold]
    fn check_sitemaps(&mut self, at: usize) -> Result<(), Stop> {
        self.sitemaps += 1;
        if self.sitemaps <= SITEMAPS {
            return Ok(());
        }
        Err(Stop::limit(at, format!("more than {SITEMAPS} sitemaps in one document")))
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
        if self.content.slots.loc().is_empty() {
            self.check_empty(range.start)?;
        }
        if kind == EntryKind::Sitemap {
            self.check_sitemaps(range.start)?;
        }
        let Content { slots, tags, piece_start, .. } = &mut self.content;
        let Range { start, end } = range;
        let document = self.kind.unwrap_or(Kind::Urlset);
        let entry = Entry { kind, document, window, piece: (*piece_start).min(start), start, end, line, slots };
        sink.entry(&entry, &mut tags.notes);
        self.content.settle();
        Ok(())
    }

    /// Gives the sink what was passed over in the piece that was read last, if it looks at that.
    #[inline(always)]
    pub fn hand_unread<S: Sink>(&mut self, window: &str, sink: &mut S) {
        let Tags { unread, notes, .. } = &mut self.content.tags;
        if S::WANTS_UNREAD && !unread.is_empty() {
            sink.unread(unread, window, notes);
            unread.clear();
        }
    }

    /// Turns the notes of a piece that is done with into findings.
    #[inline(always)]
    pub fn record(&mut self, window: &str, at: usize, end: usize, notebook: &mut Notebook) {
        let notes = &mut self.content.tags.notes;
        if !notebook.is_idle(notes) {
            notebook.record(notes, window, at, end);
        }
    }
}
