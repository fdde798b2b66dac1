//! Recovery: one broken child of the root is made well-formed, so that the one parser of entries can read it.
//!
//! Recovery knows tags and how entries are built, not what their fields mean. It decides only by what precedes a position
//! and takes only whole pieces, so the split of a document cannot change its result.

mod implied;
mod lexer;
mod output;
mod roles;
mod silence;
mod structure;
mod text;

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use memchr::memmem;

use super::index::window::starts;
use super::lexer::markup::instruction;
use super::lexer::tag::TagKind;
use super::lexer::unclosed::{self, Unclosed};
use super::namespaces::namespace::Scopes;
use super::stop::Stop;
use super::text::Context;
use crate::diagnostic::{Note, grammar};
use crate::limits::Budget;
use crate::xml::is_xml_blank;
pub use output::Output;
pub use roles::{Around, Outer};
use roles::{Role, same_name};
use silence::Silence;

/// A piece of the window, made well-formed.
#[derive(Debug)]
pub struct Recovered {
    pub out: Output,
    /// What was wrong, with offsets in the window.
    pub notes: Vec<Note>,
    /// Where in the window what follows the piece begins.
    pub end: usize,
    /// The piece ended with a tag of what stands around the entries.
    pub outer: Option<Outer>,
}

#[derive(Debug)]
struct Open<'w> {
    name: Cow<'w, str>,
    /// That is a name of XML.
    is_name: bool,
    role: Role,
    /// Its tags are in the output; else they were dropped, and only its text counts.
    kept: bool,
    /// It was never opened, only meant: its closing tag is not missing.
    implied: bool,
    /// It declares a namespace.
    scoped: bool,
    /// Its opening tag in the output.
    tag: Range<usize>,
    /// Where its own text begins in the output.
    text_at: usize,
}

impl Open<'_> {
    fn written(&self) -> &str {
        written(&self.name, self.is_name)
    }
}

/// What a tag is called in what is made of it.
fn written(name: &str, is_name: bool) -> &str {
    if is_name { name } else { "_" }
}

pub struct Recoverer<'w> {
    window: &'w str,
    /// Those in force, and on top of them those of the elements that are open.
    scopes: &'w mut Scopes,
    scopes_before: usize,
    around: Around<'w>,
    budget: Budget,
    out: Output,
    /// Text of elements inside a field, for fields that have none of their own.
    inner: Output,
    /// Where a link inside a field points.
    href: Output,
    notes: Vec<Note>,
    stack: Vec<Open<'w>>,
    has_loc: bool,
    /// Text of the entry itself, which may be its URL, and whether it is at its end.
    own: Output,
    has_own: bool,
    /// How much of the output was looked at to see whether an element is blank.
    silence: Cell<Silence>,
    /// What was looked for in vain, where nothing will close what is open.
    unclosed: Option<&'w mut Unclosed>,
}

enum Next {
    /// Go on behind this.
    At(usize),
    /// The piece ends before this.
    End(usize, Option<Outer>),
}

impl<'w> Recoverer<'w> {
    /// For a piece inside of what stands `around` it, whose namespaces are in force.
    pub fn new(window: &'w str, scopes: &'w mut Scopes, around: Around<'w>, budget: Budget) -> Self {
        Recoverer {
            window,
            scopes_before: scopes.depth(),
            scopes,
            around,
            budget,
            out: Output::default(),
            inner: Output::default(),
            href: Output::default(),
            notes: Vec::new(),
            stack: Vec::new(),
            has_loc: false,
            own: Output::default(),
            has_own: false,
            silence: Cell::default(),
            unclosed: None,
        }
    }

    /// The same, in the memory of a piece before.
    pub fn in_memory_of(self, mut out: Output) -> Self {
        out.clear();
        Recoverer { out, ..self }
    }

    /// The child of the root that begins at `at`, text before it included.
    ///
    /// With `unclosed`, what nothing closes ends where it must have ended.
    pub fn child(mut self, at: usize, unclosed: Option<&'w mut Unclosed>) -> Result<Recovered, Stop> {
        self.unclosed = unclosed;
        let ended = self.steps(at);
        self.scopes.truncate(self.scopes_before);
        ended.map(|(end, outer)| self.ended(end, outer))
    }

    fn steps(&mut self, mut at: usize) -> Result<(usize, Option<Outer>), Stop> {
        loop {
            match self.step(at)? {
                Next::At(next) if !self.stack.is_empty() => at = next,
                Next::At(end) => return Ok((end, None)),
                Next::End(end, outer) => return Ok((end, outer)),
            }
        }
    }

    /// One tag alone, such as the root's.
    pub fn tag(mut self, at: usize) -> Result<Option<Recovered>, Stop> {
        let Some(tag) = lexer::tag(self.window, at, |_| true, self.budget.attributes, &mut self.notes)? else {
            return Ok(None);
        };
        self.emit_tag(&tag);
        Ok(Some(self.ended(tag.end, None)))
    }

    fn ended(self, end: usize, outer: Option<Outer>) -> Recovered {
        Recovered { out: self.out, notes: self.notes, end, outer }
    }

    fn step(&mut self, at: usize) -> Result<Next, Stop> {
        let bytes = self.window.as_bytes();
        let less = at + memchr::memchr(b'<', &bytes[at..]).ok_or(Stop::NeedData)?;
        let text = &self.window[at..less];
        let is_loc = self.stack.last().is_some_and(|open| open.kept && open.role == Role::Loc);
        if is_loc && text.trim_ascii_end().ends_with("]]>") && starts(self.window, less, "</")? {
            // The end of a CDATA section whose beginning is lost: no URL has these characters.
            let marks = at + text.trim_ascii_end().len() - "]]>".len();
            self.take_text(at..marks);
            self.note(marks, "`]]>` at the end of a loc that no CDATA section ends with: it is left out");
        } else {
            self.take_text(at..less);
        }
        match bytes.get(less + 1).ok_or(Stop::NeedData)? {
            b'!' => return self.declaration(less).map(Next::At),
            b'?' => return self.instruction(less).map(Next::At),
            _ => {}
        }
        let known = |name: &str| self.role(name) != Role::Other;
        let mut notes = Vec::new();
        let Some(tag) = lexer::tag(self.window, less, known, self.budget.attributes, &mut notes)? else {
            self.note(less, "`<` in a text: write `&lt;`");
            self.take_text(less..less + 1);
            return Ok(Next::At(less + 1));
        };
        let next = match tag.kind {
            TagKind::Close => self.close(&tag)?,
            _ => self.open(&tag)?,
        };
        // A tag before which the piece ends is read again, and reported then.
        if matches!(next, Next::At(at) | Next::End(at, _) if at > less) {
            self.notes.append(&mut notes);
        }
        Ok(next)
    }

    fn instruction(&mut self, at: usize) -> Result<usize, Stop> {
        let (end, message) = unclosed::instruction_end(self.window, at, self.unclosed.as_deref_mut())?;
        if let Some(message) = message {
            self.note(at, message);
        } else if let Err(Stop::Problem(problem)) = instruction(self.window, at) {
            self.notes.push(Note::repair(problem.rule, problem.at, problem.message));
        }
        Ok(end)
    }

    /// A comment, a CDATA section, or a declaration that cannot stand here.
    fn declaration(&mut self, at: usize) -> Result<usize, Stop> {
        let bytes = self.window.as_bytes();
        if starts(self.window, at, "<!--")? {
            return self.comment(at);
        }
        if is_cdata(self.window, at)? {
            let (end, next) = self.section_end(at)?;
            if !self.window[at..].starts_with("<![CDATA[") {
                self.note(at, "CDATA has to be in upper case");
            }
            let (window, mut notes) = (self.window, std::mem::take(&mut self.notes));
            let mut nothing = Output::default();
            let out = self.target().unwrap_or(&mut nothing);
            out.push("<![CDATA[", at);
            text::text(window, at + 9..end, Context::Cdata, out, &mut notes);
            out.push("]]>", end);
            self.notes = notes;
            return Ok(next);
        }
        self.note(at, "a declaration inside an element");
        memchr::memchr(b'>', &bytes[at..]).map(|length| at + length + 1).ok_or(Stop::NeedData)
    }

    fn comment(&mut self, at: usize) -> Result<usize, Stop> {
        let mut unclosed = self.unclosed.take();
        let ended = unclosed::comment_end(self.window, at, unclosed.as_deref_mut(), |name| self.is_known(name));
        self.unclosed = unclosed;
        let (end, message) = ended?;
        let inside = at + 4..end;
        match message {
            Some(message) => self.note(at, message),
            None => {
                if let Some(dashes) = memmem::find(&self.window.as_bytes()[at + 4..end - 2], b"--") {
                    self.note(at + 4 + dashes, "`--` inside a comment");
                }
            }
        }
        text::text(self.window, inside, Context::Cdata, &mut Output::default(), &mut self.notes);
        Ok(end)
    }

    /// Whether a tag of this name begins or ends something that is open or may be meant here.
    fn is_known(&self, name: &str) -> bool {
        let is_open = || same_name(name, self.around.root) || self.stack.iter().any(|open| same_name(name, &open.name));
        self.role(name) != Role::Other || is_open()
    }

    /// Where the text of the CDATA section at `at` ends, and where what follows it begins. One that is never closed ends
    /// with the element that it is in, or, if that is the root, before a tag that is known.
    fn section_end(&mut self, at: usize) -> Result<(usize, usize), Stop> {
        let start = at + "<![CDATA[".len();
        let missing = self.unclosed.as_deref_mut().map(|unclosed| &mut unclosed.sections);
        if let Some(end) = unclosed::find(self.window, start, "]]>", missing) {
            return Ok((end, end + 3));
        }
        if self.unclosed.is_none() {
            return Err(Stop::NeedData);
        }
        let Some(innermost) = self.stack.last() else {
            let end = unclosed::known_tag(self.window, start, |name| self.is_known(name)).ok_or(Stop::NeedData)?;
            self.note(at, "a CDATA section that is not closed: write `]]>`");
            return Ok((end, end));
        };
        let closing = format!("</{}", innermost.name);
        let end = unclosed::find(self.window, start, &closing, None).ok_or(Stop::NeedData)?;
        self.note(at, format!("a CDATA section that is not closed: write `]]>` before `{closing}>`"));
        Ok((end, end))
    }

    fn note(&mut self, at: usize, message: impl Into<Cow<'static, str>>) {
        self.notes.push(Note::repair(&grammar::XML001, at, message));
    }

    /// Where the text of the innermost element goes, if it may mean something.
    fn target(&mut self) -> Option<&mut Output> {
        match self.stack.as_slice() {
            [] => None,
            [entry] => (entry.role == Role::Entry && !self.has_own).then_some(&mut self.own),
            [.., innermost] => Some(if innermost.kept { &mut self.out } else { &mut self.inner }),
        }
    }

    fn take_text(&mut self, range: Range<usize>) {
        let is_between = self.stack.len() <= 1 && self.own.text.is_empty();
        // The text of an entry begins with something, and what is before an entry means nothing.
        if range.is_empty() || is_between && self.window.as_bytes()[range.clone()].iter().copied().all(is_xml_blank) {
            return;
        }
        let (window, mut notes) = (self.window, std::mem::take(&mut self.notes));
        let mut nothing = Output::default();
        let out = self.target().unwrap_or(&mut nothing);
        text::text(window, range, Context::Content, out, &mut notes);
        self.notes = notes;
    }
}

/// Whether a CDATA section begins at `at`, in letters of any case.
fn is_cdata(window: &str, at: usize) -> Result<bool, Stop> {
    const OPENING: &[u8] = b"<![CDATA[";
    let rest = &window.as_bytes()[at..];
    let length = rest.len().min(OPENING.len());
    if !rest[..length].eq_ignore_ascii_case(&OPENING[..length]) {
        return Ok(false);
    }
    if length < OPENING.len() { Err(Stop::NeedData) } else { Ok(true) }
}
