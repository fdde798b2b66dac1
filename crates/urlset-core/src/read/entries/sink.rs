//! What the reader hands a document to: a table, rules, or anything else that looks at documents.

use std::ops::Range;

use super::entry::Entry;
use super::entry_run::EntryRun;
use crate::diagnostic::{Findings, Note};
use crate::read::kind::Kind;
use crate::read::lexer::tag::Attribute;
use crate::read::namespaces::namespace::Scopes;
use crate::read::namespaces::unread::Unread;

/// Takes a document as it is read. Notes give their position in the window that comes with the call.
///
/// Every method but `entry` does nothing by default. The reader is compiled for each sink, so what a sink does not look
/// at costs nothing.
pub trait Sink {
    /// Whether the sink looks at what reading passes over.
    const WANTS_UNREAD: bool = false;
    /// Whether the sink can take many entries at once.
    const TAKES_RUNS: bool = false;

    /// The next piece of the text, before anything of it is read. Only fixes need it.
    #[inline(always)]
    fn text(&mut self, _text: &str) {}

    /// A root has opened. Another one may open after it where documents were put together.
    #[inline(always)]
    fn root(&mut self, _root: &Root<'_>, _notes: &mut Vec<Note>) {}

    /// An entry is complete.
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>);

    /// Which entries of an entry run have to be handed over one by one, because there may be something to note about them: a
    /// bit for each. Looking at them changes nothing that counts.
    #[inline(always)]
    fn slow_mask(&mut self, _run: &EntryRun<'_>) -> u64 {
        !0
    }

    /// Takes some of the other entries of the run that was looked at last, just as if each was handed over by itself.
    #[inline(always)]
    fn push_run(&mut self, _run: &EntryRun<'_>, _entries: Range<usize>) {}

    /// A child of the root is complete, and this was passed over in it. Called only if the sink looks at it.
    #[inline(always)]
    fn unread(&mut self, _unread: &[Unread], _window: &str, _notes: &mut Vec<Note>) {}

    /// The document has been read to its end. It is not called for a document that ends early with a fault.
    #[inline(always)]
    fn end(&mut self, _summary: &Summary, _findings: &mut Findings) {}
}

/// The tag of a root, and what its namespace is.
#[derive(Debug)]
pub struct Root<'a> {
    pub kind: Kind,
    pub window: &'a str,
    /// Its name, with the prefix.
    pub name: &'a str,
    /// From its `<` to the end of the name.
    pub written: Range<usize>,
    pub attributes: &'a [Attribute],
    /// The namespace that it is in.
    pub uri: &'a str,
    /// The declarations in force inside of it.
    pub scopes: &'a Scopes,
}

/// A document that was read to its end.
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    pub kind: Option<Kind>,
    /// Bytes of its text.
    pub bytes: u64,
    /// The layers of compression around it that no header names, and whether it begins with the mark of UTF-8.
    pub layers: usize,
    pub has_mark: bool,
}

impl<A: Sink, B: Sink> Sink for (A, B) {
    const WANTS_UNREAD: bool = A::WANTS_UNREAD || B::WANTS_UNREAD;
    const TAKES_RUNS: bool = A::TAKES_RUNS && B::TAKES_RUNS;

    #[inline(always)]
    fn text(&mut self, text: &str) {
        self.0.text(text);
        self.1.text(text);
    }

    #[inline(always)]
    fn root(&mut self, root: &Root<'_>, notes: &mut Vec<Note>) {
        self.0.root(root, notes);
        self.1.root(root, notes);
    }

    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        self.0.entry(entry, notes);
        self.1.entry(entry, notes);
    }

    #[inline(always)]
    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        self.0.slow_mask(run) | self.1.slow_mask(run)
    }

    #[inline(always)]
    fn push_run(&mut self, run: &EntryRun<'_>, entries: Range<usize>) {
        self.0.push_run(run, entries.clone());
        self.1.push_run(run, entries);
    }

    #[inline(always)]
    fn unread(&mut self, unread: &[Unread], window: &str, notes: &mut Vec<Note>) {
        self.0.unread(unread, window, notes);
        self.1.unread(unread, window, notes);
    }

    #[inline(always)]
    fn end(&mut self, summary: &Summary, findings: &mut Findings) {
        self.0.end(summary, findings);
        self.1.end(summary, findings);
    }
}

impl<S: Sink> Sink for &mut S {
    const WANTS_UNREAD: bool = S::WANTS_UNREAD;
    const TAKES_RUNS: bool = S::TAKES_RUNS;

    #[inline(always)]
    fn text(&mut self, text: &str) {
        (**self).text(text);
    }

    #[inline(always)]
    fn root(&mut self, root: &Root<'_>, notes: &mut Vec<Note>) {
        (**self).root(root, notes);
    }

    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        (**self).entry(entry, notes);
    }

    #[inline(always)]
    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        (**self).slow_mask(run)
    }

    #[inline(always)]
    fn push_run(&mut self, run: &EntryRun<'_>, entries: Range<usize>) {
        (**self).push_run(run, entries);
    }

    #[inline(always)]
    fn unread(&mut self, unread: &[Unread], window: &str, notes: &mut Vec<Note>) {
        (**self).unread(unread, window, notes);
    }

    #[inline(always)]
    fn end(&mut self, summary: &Summary, findings: &mut Findings) {
        (**self).end(summary, findings);
    }
}

/// Nothing, or a sink: it takes what the sink takes, if there is one.
impl<S: Sink> Sink for Option<S> {
    const WANTS_UNREAD: bool = S::WANTS_UNREAD;
    const TAKES_RUNS: bool = S::TAKES_RUNS;

    #[inline(always)]
    fn text(&mut self, text: &str) {
        if let Some(sink) = self {
            sink.text(text);
        }
    }

    #[inline(always)]
    fn root(&mut self, root: &Root<'_>, notes: &mut Vec<Note>) {
        if let Some(sink) = self {
            sink.root(root, notes);
        }
    }

    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        if let Some(sink) = self {
            sink.entry(entry, notes);
        }
    }

    #[inline(always)]
    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        self.as_mut().map_or(0, |sink| sink.slow_mask(run))
    }

    #[inline(always)]
    fn push_run(&mut self, run: &EntryRun<'_>, entries: Range<usize>) {
        if let Some(sink) = self {
            sink.push_run(run, entries);
        }
    }

    #[inline(always)]
    fn unread(&mut self, unread: &[Unread], window: &str, notes: &mut Vec<Note>) {
        if let Some(sink) = self {
            sink.unread(unread, window, notes);
        }
    }

    #[inline(always)]
    fn end(&mut self, summary: &Summary, findings: &mut Findings) {
        if let Some(sink) = self {
            sink.end(summary, findings);
        }
    }
}

/// Nobody looks.
impl Sink for () {
    const TAKES_RUNS: bool = true;

    #[inline(always)]
    fn entry(&mut self, _entry: &Entry<'_>, _notes: &mut Vec<Note>) {}

    #[inline(always)]
    fn slow_mask(&mut self, _run: &EntryRun<'_>) -> u64 {
        0
    }
}

/// A sink of which nothing is reported, next to a linter that reports the same problems.
#[derive(Debug)]
pub struct Silent<S>(pub S);

impl<S: Sink> Sink for Silent<S> {
    const TAKES_RUNS: bool = S::TAKES_RUNS;

    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, _notes: &mut Vec<Note>) {
        self.0.entry(entry, &mut Vec::new());
    }

    #[inline(always)]
    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        self.0.slow_mask(run)
    }

    #[inline(always)]
    fn push_run(&mut self, run: &EntryRun<'_>, entries: Range<usize>) {
        self.0.push_run(run, entries);
    }
}

/// Keeps the text of a document, in which its fixes are applied.
#[derive(Debug, Default)]
pub struct TextCopy {
    pub text: String,
}

impl Sink for TextCopy {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn entry(&mut self, _entry: &Entry<'_>, _notes: &mut Vec<Note>) {}
}
