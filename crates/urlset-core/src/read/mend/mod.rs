//! Mending: one broken child of the root, made well-formed, so that the one parser of entries can read it.
//!
//! The mender knows tags and how entries are built, not what their fields mean. It decides by what stands before a
//! place alone, takes whole pieces only, and so makes the same of a document however that was cut.

mod lexer;
mod output;
mod roles;
mod text;

use std::ops::Range;

use memchr::memmem;

use super::Stop;
use super::finding::Note;
use super::misc::{instruction, starts};
use super::tag::TagKind;
use super::text::Context;
use crate::limits::Budget;
use crate::lint::catalogue;
use crate::value::{is_xml_blank, strip_range};
use lexer::{LooseTag, is_name};
use output::Output;
use roles::{Role, Roles, same_name};

/// A piece of the window, made well-formed.
#[derive(Debug)]
pub struct Mended {
    pub out: Output,
    /// What was wrong, with places in the window.
    pub notes: Vec<Note>,
    /// Where in the window what follows the piece begins.
    pub end: usize,
    /// The piece ended with the closing tag of the root, or of what stands around the entries.
    pub closes: Option<Outer>,
}

/// What stands around the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outer {
    Root,
    Channel,
}

#[derive(Debug)]
struct Open {
    name: Range<usize>,
    role: Role,
    /// Its tags are in the output; else they were dropped, and only its text counts.
    kept: bool,
    /// It was never opened, only meant: nobody misses its closing tag.
    implied: bool,
    /// Where its own text begins in the output.
    text_at: usize,
}

pub struct Mender<'w> {
    window: &'w str,
    roles: Roles<'w>,
    budget: Budget,
    out: Output,
    /// Text of elements inside a field, for fields that have none of their own.
    inner: Output,
    notes: Vec<Note>,
    stack: Vec<Open>,
    has_loc: bool,
    /// A URL that stands in the entry itself.
    url: Option<Range<usize>>,
}

enum Next {
    /// Go on behind this.
    At(usize),
    /// The piece ends before this.
    End(usize, Option<Outer>),
}

impl<'w> Mender<'w> {
    /// For a document whose root is called `root`, with the channel open around its items or not.
    pub fn new(window: &'w str, root: &'w str, in_channel: bool, budget: Budget) -> Self {
        Mender {
            window,
            roles: Roles::new(root, in_channel),
            budget,
            out: Output::default(),
            inner: Output::default(),
            notes: Vec::new(),
            stack: Vec::new(),
            has_loc: false,
            url: None,
        }
    }

    /// The child of the root that begins at `at`, text before it included.
    pub fn child(mut self, mut at: usize) -> Result<Mended, Stop> {
        loop {
            match self.step(at)? {
                Next::At(next) if !self.stack.is_empty() => at = next,
                Next::At(end) => return Ok(self.ended(end, None)),
                Next::End(end, closes) => return Ok(self.ended(end, closes)),
            }
        }
    }

    /// One tag alone, such as the root's.
    pub fn tag(mut self, at: usize) -> Result<Option<Mended>, Stop> {
        let Some(tag) = lexer::tag(self.window, at, |_| true, self.budget.attributes, &mut self.notes)? else {
            return Ok(None);
        };
        self.emit_tag(&tag);
        Ok(Some(self.ended(tag.end, None)))
    }

    fn ended(self, end: usize, closes: Option<Outer>) -> Mended {
        Mended { out: self.out, notes: self.notes, end, closes }
    }

    fn step(&mut self, at: usize) -> Result<Next, Stop> {
        let bytes = self.window.as_bytes();
        let less = at + memchr::memchr(b'<', &bytes[at..]).ok_or(Stop::NeedData)?;
        self.take_text(at..less);
        if starts(self.window, less, "<!")? {
            return self.declaration(less).map(Next::At);
        }
        if starts(self.window, less, "<?")? {
            let end = less + memmem::find(&bytes[less..], b"?>").ok_or(Stop::NeedData)? + 2;
            if instruction(self.window, less).is_err() {
                self.note(less, "a processing instruction that is none of XML");
            }
            return Ok(Next::At(end));
        }
        let roles = &self.roles;
        let known = |name: &str| roles.of(name) != Role::Other;
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
        // A tag that the piece ends before is read again, and told of then.
        if matches!(next, Next::At(_) | Next::End(_, Some(_))) {
            self.notes.append(&mut notes);
        }
        Ok(next)
    }

    /// A comment, a CDATA section, or a declaration that cannot stand here.
    fn declaration(&mut self, at: usize) -> Result<usize, Stop> {
        let bytes = self.window.as_bytes();
        let find = |from: usize, what: &[u8]| {
            memmem::find(&bytes[from..], what).map(|found| from + found).ok_or(Stop::NeedData)
        };
        if starts(self.window, at, "<!--")? {
            let end = find(at + 4, b"-->")?;
            if let Some(dashes) = memmem::find(&bytes[at + 4..end + 1], b"--") {
                self.note(at + 4 + dashes, "`--` inside a comment");
            }
            text::text(self.window, at + 4..end, Context::Cdata, &mut Output::default(), &mut self.notes);
            return Ok(end + 3);
        }
        if starts(self.window, at, "<![CDATA[")? {
            let end = find(at + 9, b"]]>")?;
            let (window, mut notes) = (self.window, std::mem::take(&mut self.notes));
            let mut nothing = Output::default();
            let out = if self.keeps_text() { self.target() } else { &mut nothing };
            out.push("<![CDATA[", at);
            text::text(window, at + 9..end, Context::Cdata, out, &mut notes);
            out.push("]]>", end);
            self.notes = notes;
            return Ok(end + 3);
        }
        self.note(at, "a declaration inside an element");
        find(at, b">").map(|end| end + 1)
    }

    fn note(&mut self, at: usize, message: impl Into<String>) {
        self.notes.push(Note::mended(&catalogue::XML001, at, message));
    }

    /// Whether text that stands here may be a field's.
    fn keeps_text(&self) -> bool {
        self.stack.len() > 1
    }

    /// Where the text of the innermost element goes.
    fn target(&mut self) -> &mut Output {
        if self.stack.last().is_some_and(|open| !open.kept) { &mut self.inner } else { &mut self.out }
    }

    fn take_text(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let raw = &self.window[range.clone()];
        if self.stack.len() == 1 && self.stack[0].role == Role::Entry && self.url.is_none() {
            let inner = strip_range(raw);
            let text = &raw[inner.clone()];
            if text.starts_with("http://") || text.starts_with("https://") {
                self.url = Some(range.start + inner.start..range.start + inner.end);
            }
        }
        let (window, keeps, mut notes) = (self.window, self.keeps_text(), std::mem::take(&mut self.notes));
        let mut nothing = Output::default();
        let out = if keeps { self.target() } else { &mut nothing };
        text::text(window, range, Context::Content, out, &mut notes);
        self.notes = notes;
    }

    fn open(&mut self, tag: &LooseTag) -> Result<Next, Stop> {
        let name = tag.name(self.window);
        let role = self.roles.of(name);
        if role == Role::Outer {
            if self.stack.is_empty() {
                self.note(tag.start, "another root inside the root: its tags are passed over");
                return Ok(Next::At(tag.end));
            }
            self.close_to(0, tag.start);
            return Ok(Next::End(tag.start, None));
        }
        if let Some(field) = self.stack.iter().rev().find(|open| open.kept && open.role.is_field()) {
            let is_blank = self.is_blank(field.text_at);
            let wrapped =
                role == Role::Other || (is_blank && field.role == Role::Loc && matches!(role, Role::Entry | Role::Loc));
            if wrapped {
                return self.drop_inner(tag);
            }
        }
        if role == Role::Entry && !self.stack.is_empty() {
            self.close_to(0, tag.start);
            return Ok(Next::End(tag.start, None));
        }
        if self.stack.is_empty() && role == Role::Loc {
            let message = "a loc without an entry around it: it is taken for one of its own";
            self.notes.push(Note::odd(&catalogue::XML010, tag.start..tag.name.end, message));
            self.imply_entry(tag.start);
        }
        let ends_field = match self.stack.get(1) {
            Some(open) if open.role.is_field() => role.is_field() || role == Role::Group,
            Some(open) if open.role == Role::Group => role == Role::Group || role == Role::Field,
            _ => false,
        };
        if ends_field && self.stack[0].role == Role::Entry {
            self.close_to(1, tag.start);
        }
        if role == Role::Loc && self.stack.len() == 1 && self.stack[0].role == Role::Entry {
            if self.has_loc {
                if self.stack[0].implied {
                    self.close_to(0, tag.start);
                    return Ok(Next::End(tag.start, None));
                }
                self.begin_again(tag.start);
            }
            self.has_loc = true;
        }
        self.push(tag, role)
    }

    fn push(&mut self, tag: &LooseTag, role: Role) -> Result<Next, Stop> {
        self.check_depth(tag.start)?;
        let kept = is_name(tag.name(self.window));
        if kept {
            self.emit_tag(tag);
        } else {
            self.note(tag.start, "a tag whose name is not a name of XML: it is passed over");
        }
        if tag.kind == TagKind::Open {
            let text_at = self.out.text.len();
            self.stack.push(Open { name: tag.name.clone(), role, kept, implied: false, text_at });
        }
        Ok(Next::At(tag.end))
    }

    fn check_depth(&self, at: usize) -> Result<(), Stop> {
        if self.stack.len() < self.budget.depth {
            return Ok(());
        }
        Err(Stop::limit(at, format!("more than {} elements open inside each other", self.budget.depth)))
    }

    /// An element inside a field: only its text can be meant, or where it points.
    fn drop_inner(&mut self, tag: &LooseTag) -> Result<Next, Stop> {
        let place = tag.start..tag.name.end;
        self.notes.push(Note::odd(&catalogue::XML010, place, "an element inside a field: its tags are passed over"));
        self.check_depth(tag.start)?;
        let href = tag.attributes.iter().find(|(name, _)| self.window[name.clone()].eq_ignore_ascii_case("href"));
        if let Some((_, value)) = href
            && self.inner.text.trim().is_empty()
        {
            let mut notes = std::mem::take(&mut self.notes);
            text::text(self.window, value.clone(), Context::Content, &mut self.inner, &mut notes);
            self.notes = notes;
            // Its text says the same in other words.
            self.inner.push(HREF, value.end);
        }
        if tag.kind == TagKind::Open {
            let text_at = self.out.text.len();
            self.stack.push(Open { name: tag.name.clone(), role: Role::Other, kept: false, implied: false, text_at });
        }
        Ok(Next::At(tag.end))
    }

    fn close(&mut self, tag: &LooseTag) -> Result<Next, Stop> {
        let name = tag.name(self.window);
        let exact = self.stack.iter().rposition(|open| self.window[open.name.clone()] == *name);
        let found =
            exact.or_else(|| self.stack.iter().rposition(|open| same_name(&self.window[open.name.clone()], name)));
        let implied = self.stack.first().is_some_and(|open| open.implied && self.roles.of(name) == Role::Entry);
        if let Some(place) = found.filter(|place| *place > 0 || !self.stack[0].implied) {
            self.close_to(place + 1, tag.start);
            if exact.is_none() {
                let opened = &self.window[self.stack[place].name.clone()];
                self.note(tag.start, format!("`</{name}>` stands where `<{opened}>` has to be closed"));
            }
            self.pop(tag.start);
            return Ok(Next::At(tag.end));
        }
        if implied {
            self.close_to(0, tag.start);
            self.note(tag.start, format!("`</{name}>` closes nothing"));
            return Ok(Next::At(tag.end));
        }
        match self.roles.outer(name) {
            Some(_) if !self.stack.is_empty() => {
                self.close_to(0, tag.start);
                Ok(Next::End(tag.start, None))
            }
            Some(outer) => Ok(Next::End(tag.end, Some(outer))),
            None => {
                self.note(tag.start, format!("`</{name}>` closes nothing"));
                Ok(Next::At(tag.end))
            }
        }
    }

    /// Closes the innermost elements until `depth` of them are left: something at `at` shows that they have ended.
    fn close_to(&mut self, depth: usize, at: usize) {
        while self.stack.len() > depth {
            if let Some(open) = self.stack.last().filter(|open| open.kept && !open.implied) {
                let message = format!("`<{}>` is not closed", &self.window[open.name.clone()]);
                self.note(at, message);
            }
            self.pop(at);
        }
    }

    fn pop(&mut self, at: usize) {
        if self.stack.len() == 1 {
            self.place_url(at);
        }
        let Some(open) = self.stack.pop() else { return };
        if open.role.is_field() && open.kept {
            self.fill_field(open.text_at);
        }
        if open.kept {
            let name = if open.implied { self.roles.entry_name() } else { self.window[open.name].to_owned() };
            self.out.push(&format!("</{name}>"), at);
        }
    }

    /// Gives a field without text of its own that of the elements inside it.
    fn fill_field(&mut self, text_at: usize) {
        if self.is_blank(text_at) {
            if let Some(end) = self.inner.text.find(HREF) {
                self.inner.truncate(end);
            }
            let mut inner = std::mem::take(&mut self.inner);
            self.out.truncate(text_at);
            self.out.append(&mut inner);
        }
        self.inner.clear();
    }

    fn is_blank(&self, text_at: usize) -> bool {
        self.out.text.as_bytes()[text_at..].iter().all(|byte| is_xml_blank(*byte))
    }

    /// An entry without a loc whose URL stands in the entry itself.
    fn place_url(&mut self, at: usize) {
        let Some(url) = self.url.take() else { return };
        if self.has_loc || self.stack[0].role != Role::Entry {
            return;
        }
        let message = "the URL stands in the entry itself: it is taken for its loc";
        self.notes.push(Note::odd(&catalogue::XML010, url.clone(), message));
        let loc = self.roles.named("loc");
        self.out.push(&format!("<{loc}>"), url.start);
        // What is wrong in it was noted where it was passed.
        text::text(self.window, url, Context::Content, &mut self.out, &mut Vec::new());
        self.out.push(&format!("</{loc}>"), at);
    }

    /// Ends the entry and begins another before its second loc.
    fn begin_again(&mut self, at: usize) {
        self.notes.push(Note::odd(
            &catalogue::XML011,
            at..at + 1,
            "a second loc in one entry: it begins another entry",
        ));
        let name = self.window[self.stack[0].name.clone()].to_owned();
        self.out.push(&format!("</{name}>"), at);
        self.out.push(&format!("<{name}>"), at);
        self.url = None;
    }

    /// Begins an entry that nobody has begun.
    fn imply_entry(&mut self, at: usize) {
        let name = self.roles.entry_name();
        self.out.push(&format!("<{name}>"), at);
        let text_at = self.out.text.len();
        self.stack.push(Open { name: at..at, role: Role::Entry, kept: true, implied: true, text_at });
    }

    fn emit_tag(&mut self, tag: &LooseTag) {
        self.out.copy(self.window, tag.start..tag.name.end);
        for (name, value) in &tag.attributes {
            self.out.push(" ", name.start);
            self.out.copy(self.window, name.clone());
            self.out.push("=\"", value.start);
            text::text(self.window, value.clone(), Context::Attribute, &mut self.out, &mut self.notes);
            self.out.push("\"", value.end);
        }
        self.out.push(if tag.kind == TagKind::Empty { "/>" } else { ">" }, tag.end.saturating_sub(1));
    }
}

/// Ends the address of a link inside a field: a character that no text holds.
const HREF: &str = "\0";
