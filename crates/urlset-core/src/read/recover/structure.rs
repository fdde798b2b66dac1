//! How entries are built: where an element belongs, which others it ends, and what is left out.

use super::lexer::{LooseTag, bad_character};
use super::output::Output;
use super::roles::{Role, same_name};
use super::silence::is_silent;
use super::written;
use super::{Next, Open, Outer, Recoverer, text};
use crate::diagnostic::{Fix, Note, grammar};
use crate::read::index::window::{first_not_blank, is_url, starts};
use crate::read::lexer::name::split;
use crate::read::lexer::tag::TagKind;
use crate::read::namespaces::element::Element;
use crate::read::namespaces::namespace::guess;
use crate::read::stop::Stop;
use crate::read::text::{Context, decode};

impl Next {
    /// Whether the tag was taken, rather than left for the next piece.
    fn is_behind(&self, tag: &LooseTag<'_>) -> bool {
        let (Next::At(at) | Next::End(at, _)) = self;
        *at >= tag.end
    }
}

impl<'w> Recoverer<'w> {
    /// What an element of this name is here.
    pub fn role(&self, name: &str) -> Role {
        let (prefix, local) = split(name);
        let namespace = self.scopes.namespace(prefix).unwrap_or_else(|| guess(prefix));
        Role::of(Element::of(namespace, local).0, self.around.is_feed)
    }

    /// Puts the tag's declarations in force; returns whether there were any, and what is wrong with them.
    fn declare(&mut self, tag: &LooseTag<'w>) -> (bool, Vec<Note>) {
        let (mut scoped, mut wrong) = (false, Vec::new());
        for (name, value) in &tag.attributes {
            let Some(rest) = self.window[name.clone()].strip_prefix("xmlns") else { continue };
            let Some(prefix) = (if rest.is_empty() { Some("") } else { rest.strip_prefix(':') }) else { continue };
            let mut uri = String::new();
            if decode(&self.window[value.clone()], Context::Attribute, &mut uri).is_err() {
                uri = self.window[value.clone()].to_owned();
            }
            if !std::mem::replace(&mut scoped, true) {
                self.scopes.push();
            }
            if let Err(message) = self.scopes.declare(prefix, &uri) {
                wrong.push(Note::repair(&grammar::XML001, name.start, message));
            }
        }
        (scoped, wrong)
    }

    /// Notes the prefixes of a tag that were never declared.
    fn check_prefixes(&mut self, tag: &LooseTag<'w>) {
        let attributes = tag.attributes.iter().map(|(name, _)| (name.start, &self.window[name.clone()]));
        let names = std::iter::once((tag.name_range.start, &*tag.name)).chain(attributes);
        for (at, prefix) in names.map(|(at, name)| (at, split(name).0)) {
            let is_declaration = prefix == "xmlns" && at != tag.name_range.start;
            if !prefix.is_empty() && !is_declaration && self.scopes.uri(prefix).is_none() {
                let message = format!("the prefix {prefix} is not declared");
                let note = Note::repair(&grammar::NS005, at, message).once(prefix);
                self.notes.push(match guess(prefix).uri() {
                    Some(uri) => note.with_fix(Fix::declare(prefix, uri)),
                    None => note,
                });
            }
        }
    }

    pub(super) fn open(&mut self, tag: &LooseTag<'w>) -> Result<Next, Stop> {
        let before = self.role(&tag.name);
        if tag.kind == TagKind::Open && self.is_meant_to_close(tag, before)? {
            self.note(tag.start, format!("`<{0}>` stands where `</{0}>` is meant", tag.name));
            self.pop(tag.start);
            return Ok(Next::At(tag.end));
        }
        let (scoped, wrong) = self.declare(tag);
        let role = match tag.is_name {
            true if scoped => self.role(&tag.name),
            true => before,
            false => Role::Other,
        };
        let next = self.nest(tag, role, scoped, wrong)?;
        if scoped
            && !(tag.kind == TagKind::Open && self.stack.last().is_some_and(|open| open.scoped && next.is_behind(tag)))
        {
            self.scopes.pop();
        }
        Ok(next)
    }

    /// Decides where an element belongs among those that are open, and closes those that must have ended.
    fn nest(&mut self, tag: &LooseTag<'w>, role: Role, scoped: bool, wrong: Vec<Note>) -> Result<Next, Stop> {
        if role == Role::Outer {
            if self.stack.is_empty() {
                self.note(tag.start, "another root inside the root: its tags are skipped");
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
                return self.drop_inner(tag, scoped, wrong);
            }
        }
        if role == Role::Entry && !self.stack.is_empty() {
            if self.is_bare_entry() {
                self.note(tag.start, format!("`<{}>` stands twice: the first is skipped", tag.name));
                self.stack.clear();
                self.out.clear();
                self.own.clear();
                return self.push(tag, role, scoped);
            }
            self.close_to(0, tag.start);
            return Ok(Next::End(tag.start, None));
        }
        if self.stack.is_empty() && role == Role::Loc {
            let message = "a loc without an entry around it: it is taken for one of its own";
            self.notes.push(Note::new(&grammar::XML011, tag.start..tag.name_range.end, message));
            self.imply_entry(tag.start);
        }
        // An entry that was never opened ends with the last of its own fields.
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
        self.push(tag, role, scoped)
    }

    /// Whether nothing is open but an entry that has only begun, and declares nothing.
    fn is_bare_entry(&self) -> bool {
        let [entry] = self.stack.as_slice() else { return false };
        let has_begun = self.out.text.len() > entry.text_at || !is_silent(&self.own.text);
        entry.role == Role::Entry && !entry.implied && !entry.scoped && !has_begun
    }

    /// Whether the opening tag of a field is meant to close the same one: `<loc>…<loc>`, with nothing behind it that could
    /// be its text. A closing tag has no attributes, so one with attributes is what it seems to be.
    fn is_meant_to_close(&self, tag: &LooseTag<'w>, role: Role) -> Result<bool, Stop> {
        let Some(open) = self.stack.last() else { return Ok(false) };
        if !role.is_field()
            || !tag.attributes.is_empty()
            || open.role != role
            || open.name != tag.name
            || self.is_blank(open.text_at)
        {
            return Ok(false);
        }
        let next = first_not_blank(self.window, tag.end)?;
        Ok(self.window.as_bytes()[next] == b'<' && !starts(self.window, next, "<!")?)
    }

    fn push(&mut self, tag: &LooseTag<'w>, role: Role, scoped: bool) -> Result<Next, Stop> {
        self.check_depth(tag.start)?;
        self.forget_url();
        let tag_at = self.out.text.len();
        self.emit_tag(tag);
        if !tag.is_name {
            let at = tag.name_range.start + bad_character(&self.window[tag.name_range.clone()]);
            self.note(at, "a tag whose name is not a name of XML: the element is skipped");
        }
        if tag.kind == TagKind::Open {
            let text_at = self.out.text.len();
            let (name, is_name, tag) = (tag.name.clone(), tag.is_name, tag_at..text_at);
            self.stack.push(Open { name, is_name, role, kept: true, implied: false, scoped, tag, text_at });
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
    fn drop_inner(&mut self, tag: &LooseTag<'w>, scoped: bool, mut wrong: Vec<Note>) -> Result<Next, Stop> {
        if self.stack.last().is_some_and(|open| open.kept) {
            let range = tag.start..tag.name_range.end;
            self.notes.push(Note::new(&grammar::XML010, range, "an element inside a field: its tags are skipped"));
        }
        self.check_depth(tag.start)?;
        // It is not read again, so what is wrong with it is reported here.
        self.notes.append(&mut wrong);
        self.check_prefixes(tag);
        let is_link = split(&tag.name).1.eq_ignore_ascii_case("a");
        for (name, value) in &tag.attributes {
            // Only a link leads to a page: an include or a style sheet names something else.
            let is_href = is_link
                && self.href.text.is_empty()
                && self.window[name.clone()].eq_ignore_ascii_case("href")
                && is_url(self.window[value.clone()].trim_ascii_start());
            let mut nothing = Output::default();
            let out = if is_href { &mut self.href } else { &mut nothing };
            text::text(self.window, value.clone(), Context::Attribute, out, &mut self.notes);
        }
        if tag.kind == TagKind::Open {
            let text_at = self.out.text.len();
            let (name, is_name, role) = (tag.name.clone(), tag.is_name, Role::Other);
            let tag = text_at..text_at;
            self.stack.push(Open { name, is_name, role, kept: false, implied: false, scoped, tag, text_at });
        }
        Ok(Next::At(tag.end))
    }

    pub(super) fn close(&mut self, tag: &LooseTag<'w>) -> Result<Next, Stop> {
        let name = &*tag.name;
        // Nearly every tag closes what was opened by its very name, whatever that is.
        let exact = self.stack.iter().rposition(|open| open.name == name);
        if let Some(index) = exact.filter(|index| *index > 0 || !self.stack[0].implied) {
            self.close_to(index + 1, tag.start);
            self.pop(tag.start);
            return Ok(Next::At(tag.end));
        }
        let role = self.role(name);
        let is_entry = role == Role::Entry;
        // An entry may be closed by the name of the other kind's.
        let is_meant = |open: &Open| same_name(&open.name, name) || is_entry && open.role == Role::Entry;
        let found = if exact.is_none() { self.stack.iter().rposition(is_meant) } else { None };
        let implied = self.stack.first().is_some_and(|open| open.implied && is_entry);
        if let Some(index) = found.filter(|index| *index > 0 || !self.stack[0].implied) {
            self.close_to(index + 1, tag.start);
            let message = ["`</", name, ">` stands where `<", &self.stack[index].name, ">` has to be closed"].concat();
            self.note(tag.start, message);
            self.pop(tag.start);
            return Ok(Next::At(tag.end));
        }
        if implied {
            self.close_to(0, tag.start);
            self.note(tag.start, format!("`</{name}>` closes nothing"));
            return Ok(Next::At(tag.end));
        }
        match self.around.outer(name, role) {
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
        let missing = self.stack[depth..].iter().filter(|open| !open.implied);
        // Formatting would cost a tenth of the recovery.
        let missing: Vec<String> = missing.map(|open| ["`<", &open.name, ">`"].concat()).collect();
        match missing.as_slice() {
            [] => {}
            [one] => self.note(at, [one, " is not closed"].concat()),
            _ => self.note(at, [&missing.join(" and "), " are not closed"].concat()),
        }
        while self.stack.len() > depth {
            self.pop(at);
        }
    }

    fn pop(&mut self, at: usize) {
        if self.stack.len() == 1 {
            self.imply_loc(at);
        }
        let Some(open) = self.stack.pop() else { return };
        if open.scoped {
            self.scopes.pop();
        }
        if open.role.is_field() && open.kept {
            self.fill_field(open.text_at);
        }
        if open.kept {
            self.out.push_closing(open.written(), at);
        }
    }

    /// Gives a field without text of its own that of the elements inside it.
    fn fill_field(&mut self, text_at: usize) {
        if self.is_blank(text_at) {
            let meant = if is_silent(&self.inner.text) { &mut self.href } else { &mut self.inner };
            self.out.truncate(text_at);
            self.out.append(meant);
        }
        self.inner.clear();
        self.href.clear();
    }

    fn is_blank(&self, text_at: usize) -> bool {
        let mut silence = self.silence.get();
        let is_blank = silence.holds(&self.out.text, text_at);
        self.silence.set(silence);
        is_blank
    }

    pub fn emit_tag(&mut self, tag: &LooseTag<'w>) {
        let as_it_is = &self.window[tag.start..tag.end];
        if tag.is_name && as_it_is.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) == Some(&tag.name) {
            return self.out.copy(self.window, tag.start..tag.end);
        }
        self.out.push("<", tag.start);
        self.out.push(written(&tag.name, tag.is_name), tag.name_range.start);
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
