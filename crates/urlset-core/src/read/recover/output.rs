//! Text that was made from a broken piece, and where in the window each part of it comes from.

use std::ops::Range;

#[derive(Debug, Default)]
pub struct Output {
    pub text: String,
    /// Where a part begins in the text, and where in the window; in ascending order.
    parts: Vec<(usize, usize)>,
}

impl Output {
    /// Copies a part of the window.
    pub fn copy(&mut self, window: &str, range: Range<usize>) {
        self.parts.push((self.text.len(), range.start));
        self.text.push_str(&window[range]);
    }

    /// Adds text that stands for what the window has at `origin`.
    pub fn push(&mut self, text: &str, origin: usize) {
        self.parts.push((self.text.len(), origin));
        self.text.push_str(text);
    }

    /// Adds a closing tag that stands for what the window has at `origin`.
    pub fn push_closing(&mut self, name: &str, origin: usize) {
        self.push("</", origin);
        self.text.push_str(name);
        self.text.push('>');
    }

    pub fn append(&mut self, other: &mut Output) {
        let base = self.text.len();
        self.parts.extend(other.parts.drain(..).map(|(at, origin)| (base + at, origin)));
        self.text.push_str(&other.text);
        other.text.clear();
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.parts.clear();
    }

    pub fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        let kept = self.parts.partition_point(|(at, _)| *at < length);
        self.parts.truncate(kept);
    }

    /// Where in the window the byte at `at` of the text comes from; never past where the next part comes from.
    pub fn origin(&self, at: usize) -> usize {
        let next = self.parts.partition_point(|(start, _)| *start <= at);
        let Some((start, origin)) = next.checked_sub(1).map(|part| self.parts[part]) else { return 0 };
        let moved = origin + (at - start);
        match self.parts.get(next) {
            Some((_, next)) if *next >= origin => moved.min(*next),
            _ => moved,
        }
    }
}
