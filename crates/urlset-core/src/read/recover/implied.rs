//! What was not written but is meant: an entry around a loc, a loc around a URL, an entry between two locs.

use std::ops::Range;

use super::roles::Role;
use super::{Open, Recoverer};
use crate::diagnostic::{Note, grammar};
use crate::read::lexer::name::is_name;
use crate::xml::strip_range;

/// Bytes of the tag of an entry that is repeated where a second loc begins another entry.
const LONGEST_TAG: usize = 1 << 10;

impl Recoverer<'_> {
    /// An entry without a loc whose URL is in the entry itself.
    pub(super) fn imply_loc(&mut self, at: usize) {
        let Some(url) = self.url_range() else { return };
        if self.has_loc || self.stack[0].role != Role::Entry {
            return;
        }
        let range = self.own.origin(url.start)..self.own.origin(url.end - 1) + 1;
        let message = "the URL stands in the entry itself: it is taken for its loc";
        self.notes.push(Note::new(&grammar::XML010, range.clone(), message));
        let loc = self.around.named("loc");
        self.out.push(&format!("<{loc}>"), range.start);
        self.out.append(&mut self.own);
        self.out.push_closing(&loc, at);
    }

    /// Where the URL is in the entry's own text, if that is one.
    fn url_range(&self) -> Option<Range<usize>> {
        if self.own.text.is_empty() {
            return None;
        }
        let range = strip_range(&self.own.text);
        if range.is_empty() {
            return None;
        }
        let text = self.own.text[range.clone()].replace("<![CDATA[", "");
        (text.starts_with("http://") || text.starts_with("https://")).then_some(range)
    }

    /// The text of an entry ends where an element begins: if it is not a URL by then, it is dropped.
    pub(super) fn forget_url(&mut self) {
        if self.stack.len() == 1 && !self.has_own && self.url_range().is_none() {
            self.own.clear();
        }
        self.has_own = !self.own.text.is_empty();
    }

    /// Ends the entry and begins another before its second loc.
    pub(super) fn begin_again(&mut self, at: usize) {
        self.notes.push(Note::new(&grammar::XML011, at..at + 1, "a second loc in one entry: it begins another entry"));
        // Its tag once more, for that may declare what its fields are called; but not again and again if it is long.
        let (tag, name) = (self.stack[0].tag.clone(), self.stack[0].written());
        let tag = if tag.len() <= LONGEST_TAG { self.out.text[tag].to_owned() } else { format!("<{name}>") };
        self.out.push_closing(&self.stack[0].name, at);
        self.out.push(&tag, at);
        self.own.clear();
        self.has_own = false;
    }

    /// Begins an entry that was never opened.
    pub(super) fn imply_entry(&mut self, at: usize) {
        let name = self.around.entry_name();
        self.out.push(&format!("<{name}>"), at);
        let (is_name, text_at) = (is_name(&name), self.out.text.len());
        let (name, tag) = (name.into(), text_at..text_at);
        self.stack.push(Open {
            name,
            is_name,
            role: Role::Entry,
            kept: true,
            implied: true,
            scoped: false,
            tag,
            text_at,
        });
    }
}
