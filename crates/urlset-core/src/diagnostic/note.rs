//! Notes: what is found in a piece while it is read.

use std::borrow::Cow;
use std::ops::Range;

use super::fix::Fix;
use super::rule::Rule;

/// Something to report about a piece that is being read; `written` is in the window. It becomes a
/// [`Finding`](super::Finding) when the piece is whole. It is dropped when the piece has to be read again with more text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub rule: &'static Rule,
    pub written: Range<usize>,
    /// Most are always the same.
    pub message: Cow<'static, str>,
    pub help: Option<String>,
    /// The document is not well-formed because of it.
    pub is_repair: bool,
    /// If it has one cause and is to be reported once a document: what it is about.
    pub once: Option<String>,
    /// How it can be fixed, in offsets of the window.
    pub fix: Option<Box<Fix>>,
}

impl Note {
    /// A repair of something that XML, or the charset, forbids.
    pub fn repair(rule: &'static Rule, at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Note { rule, written: at..at + 1, message: message.into(), help: None, is_repair: true, once: None, fix: None }
    }

    /// Something to report of a well-formed document.
    pub fn new(rule: &'static Rule, written: Range<usize>, message: impl Into<Cow<'static, str>>) -> Self {
        Note { rule, written, message: message.into(), help: None, is_repair: false, once: None, fix: None }
    }

    /// Moves a note about the copy that recovery made of a piece back to where the piece was written.
    pub fn bring_back(&mut self, copy: &str, window: &str, origin: impl Fn(usize) -> usize) {
        self.written = origin(self.written.start)..origin(self.written.end);
        self.fix = self.fix.take().and_then(|fix| fix.brought_back(copy, window, origin)).map(Box::new);
    }

    pub fn once(mut self, about: impl Into<String>) -> Self {
        self.once = Some(about.into());
        self
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(Box::new(fix));
        self
    }
}
