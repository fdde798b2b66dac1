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
use lexer::{LooseTag, bad_character, is_name};
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
    /// The piece ended with a tag of what stands around the entries.
    pub outer: Option<Outer>,
}

/// What stands around the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outer {
    /// The root has closed.
    Root,
    /// The channel has.
    Channel,
    /// Another root has begun inside the root.
    Nested,
}

#[derive(Debug)]
struct Open {
    name: String,
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
    /// Where a link inside a field points.
    href: Output,
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
            href: Output::default(),
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
                Next::End(end, outer) => return Ok(self.ended(end, outer)),
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

    fn ended(self, end: usize, outer: Option<Outer>) -> Mended {
        Mended { out: self.out, notes: self.notes, end, outer }
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
            if let Err(Stop::Problem(problem)) = instruction(self.window, less) {
                self.notes.push(Note::mended(problem.rule, problem.at, problem.message));
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
        if matches!(next, Next::At(at) | Next::End(at, _) if at > less) {
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
        if is_cdata(self.window, at)? {
            let end = find(at + 9, b"]]>")?;
            if !self.window[at..].starts_with("<![CDATA[") {
                self.note(at, "CDATA has to be in upper case");
            }
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
        let name = tag.name.as_str();
        let role = self.roles.of(name);
        if role == Role::Outer {
            if self.stack.is_empty() {
                self.note(tag.start, "another root inside the root: its tags are passed over");
                return Ok(Next::End(tag.end, (tag.kind == TagKind::Open).then_some(Outer::Nested)));
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
            self.notes.push(Note::odd(&catalogue::XML011, tag.start..tag.place.end, message));
            self.imply_entry(tag.start);
        }
        // What nobody has begun ends with the last of its own fields.
        if self.stack.len() == 1 && self.stack[0].implied && role == Role::Other {
            self.close_to(0, tag.start);
            return Ok(Next::End(tag.start, None));
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
        let kept = is_name(&tag.name);
        if kept {
            self.emit_tag(tag);
        } else {
            let place = tag.place.start + bad_character(&tag.name);
            self.note(place, "a tag whose name is not a name of XML: it is passed over");
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
        if self.stack.last().is_some_and(|open| open.kept) {
            let place = tag.start..tag.place.end;
            self.notes.push(Note::odd(
                &catalogue::XML010,
                place,
                "an element inside a field: its tags are passed over",
            ));
        }
        self.check_depth(tag.start)?;
        let href = tag.attributes.iter().find(|(name, _)| self.window[name.clone()].eq_ignore_ascii_case("href"));
        if let Some((_, value)) = href
            && self.href.text.is_empty()
        {
            text::text(self.window, value.clone(), Context::Content, &mut self.href, &mut self.notes);
        }
        if tag.kind == TagKind::Open {
            let text_at = self.out.text.len();
            self.stack.push(Open { name: tag.name.clone(), role: Role::Other, kept: false, implied: false, text_at });
        }
        Ok(Next::At(tag.end))
    }

    fn close(&mut self, tag: &LooseTag) -> Result<Next, Stop> {
        let name = tag.name.as_str();
        let exact = self.stack.iter().rposition(|open| open.name == name);
        // An entry may be closed by the name of the other kind's.
        let is_entry = self.roles.of(name) == Role::Entry;
        let is_meant = |open: &Open| same_name(&open.name, name) || is_entry && open.role == Role::Entry;
        let found = exact.or_else(|| self.stack.iter().rposition(is_meant));
        let implied = self.stack.first().is_some_and(|open| open.implied && self.roles.of(name) == Role::Entry);
        if let Some(place) = found.filter(|place| *place > 0 || !self.stack[0].implied) {
            self.close_to(place + 1, tag.start);
            if exact.is_none() {
                let message = format!("`</{name}>` stands where `<{}>` has to be closed", self.stack[place].name);
                self.note(tag.start, message);
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
        let missing = self.stack[depth..].iter().filter(|open| open.kept && !open.implied);
        let missing: Vec<String> = missing.map(|open| format!("`<{}>`", open.name)).collect();
        match missing.len() {
            0 => {}
            1 => self.note(at, format!("{} is not closed", missing[0])),
            _ => self.note(at, format!("{} are not closed", missing.join(" and "))),
        }
        while self.stack.len() > depth {
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
            self.out.push(&format!("</{}>", open.name), at);
        }
    }

    /// Gives a field without text of its own that of the elements inside it.
    fn fill_field(&mut self, text_at: usize) {
        if self.is_blank(text_at) {
            let is_silent = self.inner.text.bytes().all(is_xml_blank);
            let meant = if is_silent { &mut self.href } else { &mut self.inner };
            self.out.truncate(text_at);
            self.out.append(meant);
        }
        self.inner.clear();
        self.href.clear();
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
        let name = self.stack[0].name.clone();
        self.out.push(&format!("</{name}>"), at);
        self.out.push(&format!("<{name}>"), at);
        self.url = None;
    }

    /// Begins an entry that nobody has begun.
    fn imply_entry(&mut self, at: usize) {
        let name = self.roles.entry_name();
        self.out.push(&format!("<{name}>"), at);
        let text_at = self.out.text.len();
        self.stack.push(Open { name, role: Role::Entry, kept: true, implied: true, text_at });
    }

    fn emit_tag(&mut self, tag: &LooseTag) {
        self.out.push("<", tag.start);
        self.out.push(&tag.name, tag.place.start);
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
