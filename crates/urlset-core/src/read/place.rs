//! Where something stands in a document: line and column, counted once on the way and never from the start again.

use memchr::{memchr, memchr_iter, memrchr};

use super::index::Index;

/// Text shown on either side of a place, in characters at most.
const SNIPPET_CHARS: usize = 96;
/// Bytes of the current line kept from windows that are gone: enough for the snippet in any script.
const TAIL_BYTES: usize = SNIPPET_CHARS * 4;

/// A position in the decoded text. Lines and columns begin at 1 and columns count code points; a line ends at LF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Bytes of decoded UTF-8 before it, a byte order mark not counted.
    pub offset: u64,
    pub line: u32,
    pub column: u32,
}

/// The line around a place, cut to a window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    pub text: String,
    /// The place's column inside `text`, from 1.
    pub column: u32,
}

/// A mark that only moves forward, with the line and column it stands at.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: usize,
    line: u32,
    /// Code points between the line's beginning and the mark.
    column: u32,
}

impl Mark {
    fn advance(&mut self, window: &str, to: usize) {
        if to <= self.at {
            return;
        }
        let passed = &window[self.at..to];
        match memrchr(b'\n', passed.as_bytes()) {
            Some(last) => {
                self.line += memchr_iter(b'\n', passed.as_bytes()).count() as u32;
                self.column = passed[last + 1..].chars().count() as u32;
            }
            None => self.column += passed.chars().count() as u32,
        }
        self.at = to;
    }
}

/// The places of one document, window after window. Offsets that go in are relative to the current window.
#[derive(Debug)]
pub struct Places {
    base: u64,
    /// For the line of each entry, the only thing that every entry asks for.
    entry_at: usize,
    entry_line: u32,
    /// For full places, which are rare: advanced only when one is asked for, or when the window goes.
    full: Mark,
    /// The current line's end that lies before the window.
    tail: String,
}

impl Default for Places {
    fn default() -> Self {
        Places { base: 0, entry_at: 0, entry_line: 1, full: Mark { at: 0, line: 1, column: 0 }, tail: String::new() }
    }
}

impl Places {
    /// Bytes of the text before the window.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The line on which an entry begins; `at` may not go back.
    #[inline]
    pub fn entry_line(&mut self, index: &Index, at: usize) -> u32 {
        self.entry_line += index.newlines(self.entry_at, at);
        self.entry_at = at;
        self.entry_line
    }

    /// The place of `at`, which is at or after `floor`; no later call may name a smaller floor.
    pub fn place(&mut self, window: &str, floor: usize, at: usize) -> Place {
        self.full.advance(window, floor);
        let mut mark = self.full;
        mark.advance(window, at);
        Place { offset: self.base + at as u64, line: mark.line, column: mark.column + 1 }
    }

    /// The line around `at`, taken from the window up to `end` and from the kept tail of what came before.
    pub fn snippet(&self, window: &str, at: usize, end: usize) -> Snippet {
        // No further back than is shown: a line may be as long as the document.
        let mut from = at.saturating_sub(TAIL_BYTES);
        while !window.is_char_boundary(from) {
            from += 1;
        }
        let line_start = memrchr(b'\n', &window.as_bytes()[from..at]).map(|newline| from + newline + 1);
        let before = &window[line_start.unwrap_or(from)..at];
        let tail = if line_start.is_none() && from == 0 { self.tail.as_str() } else { "" };
        let mut chars: Vec<char> = before.chars().rev().chain(tail.chars().rev()).take(SNIPPET_CHARS).collect();
        chars.reverse();
        let column = chars.len() as u32 + 1;
        let rest = &window[at..end.max(at)];
        let line_end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        // A CR before the place is shown, lest the place be behind what is shown.
        chars.extend(rest[..line_end].trim_end_matches('\r').chars().take(SNIPPET_CHARS));
        Snippet { text: chars.into_iter().collect(), column }
    }

    /// Forgets the first `length` bytes of the window: what follows them begins the next one.
    pub fn consume(&mut self, window: &str, index: &Index, length: usize) {
        let line = self.entry_line(index, length);
        // The lines are counted: only the last one's columns are not.
        let from = memrchr(b'\n', &window.as_bytes()[..length]).map_or(0, |newline| newline + 1).max(self.full.at);
        if line != self.full.line {
            self.full = Mark { at: from, line, column: 0 };
        }
        self.full.advance(window, length);
        self.entry_at = 0;
        self.full.at = 0;
        self.base += length as u64;
        let passed = &window[..length];
        let kept = match memrchr(b'\n', passed.as_bytes()) {
            Some(newline) => {
                self.tail.clear();
                &passed[newline + 1..]
            }
            None => passed,
        };
        let mut from = kept.len().saturating_sub(TAIL_BYTES);
        while !kept.is_char_boundary(from) {
            from += 1;
        }
        self.tail.push_str(&kept[from..]);
        let mut excess = self.tail.len().saturating_sub(TAIL_BYTES);
        while !self.tail.is_char_boundary(excess) {
            excess += 1;
        }
        self.tail.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same place counted from the beginning, the slow and obvious way.
    fn counted(text: &str, at: usize) -> Place {
        let before = &text[..at];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap().chars().count() as u32 + 1;
        Place { offset: at as u64, line, column }
    }

    fn index(window: &str) -> Index {
        let mut index = Index::default();
        index.build(window.as_bytes());
        index
    }

    #[test]
    fn places_are_the_same_through_any_windows() {
        let text = "one\ntwo é 日本\r\n\nfour 🙂 five";
        let starts: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for &first in &starts {
            for &second in starts.iter().filter(|at| **at >= first) {
                let mut places = Places::default();
                places.consume(text, &index(text), first);
                let window = &text[first..];
                assert_eq!(places.entry_line(&index(window), second - first), counted(text, second).line);
                assert_eq!(places.place(window, 0, second - first), counted(text, second));
                assert_eq!(places.place(window, second - first, second - first), counted(text, second));
                places.consume(window, &index(window), second - first);
                assert_eq!(places.place(&text[second..], 0, text.len() - second), counted(text, text.len()));
            }
        }
    }

    #[test]
    fn snippets_reach_back_over_windows_and_stop_at_line_ends() {
        let text = "first\n  <loc>é</loc>\nlast";
        let mut places = Places::default();
        places.consume(text, &index(text), 10);
        let snippet = places.snippet(&text[10..], 3, text.len() - 10);
        assert_eq!(snippet, Snippet { text: "  <loc>é</loc>".into(), column: 8 });
        let long = "x".repeat(500);
        places = Places::default();
        places.consume(&long, &index(&long), 400);
        let snippet = places.snippet(&long[400..], 10, 100);
        assert_eq!((snippet.text.len(), snippet.column), (SNIPPET_CHARS + 90, SNIPPET_CHARS as u32 + 1));
    }
}
