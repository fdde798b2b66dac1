//! Where something is in a document: line and column, counted once on the way and never from the start again.

use memchr::{memchr, memchr_iter, memrchr};

/// Text shown on either side of a position, in characters at most.
const SNIPPET_CHARS: usize = 96;
/// Bytes of the current line kept from windows that are gone: enough for the snippet in any script.
const TAIL_BYTES: usize = SNIPPET_CHARS * 4;

/// A position in the decoded text. Lines and columns begin at 1 and columns count code points; a line ends at LF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Bytes of decoded UTF-8 before it, a byte order mark not counted.
    pub offset: u64,
    pub line: u32,
    pub column: u32,
}

/// The line around a position, cut to a window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    pub text: String,
    /// The position's column inside `text`, from 1.
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
                self.column = chars(&passed[last + 1..]);
            }
            None => self.column += chars(passed),
        }
        self.at = to;
    }
}

/// How many code points a text has. Nearly every text is ASCII, of which that is told faster than characters are counted.
fn chars(text: &str) -> u32 {
    let count = if text.is_ascii() { text.len() } else { text.chars().count() };
    count as u32
}

/// So many code points at the end of a text.
fn last_chars(text: &str, most: usize) -> &str {
    let length = match text.is_ascii() {
        true => text.len().min(most),
        false => text.chars().rev().take(most).map(char::len_utf8).sum(),
    };
    &text[text.len() - length..]
}

/// So many code points at the beginning of a text.
fn first_chars(text: &str, most: usize) -> &str {
    let length = match text.is_ascii() {
        true => text.len().min(most),
        false => text.chars().take(most).map(char::len_utf8).sum(),
    };
    &text[..length]
}

/// The positions of one document, window after window. Offsets that go in are relative to the current window.
///
/// Full positions are rare: the mark advances only when one is asked for, or when the window goes.
#[derive(Debug)]
pub struct Positions {
    base: u64,
    mark: Mark,
    /// The current line's end that lies before the window.
    tail: String,
}

impl Default for Positions {
    fn default() -> Self {
        Positions { base: 0, mark: Mark { at: 0, line: 1, column: 0 }, tail: String::new() }
    }
}

impl Positions {
    /// Bytes of the text before the window.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The position of `at`, which is at or after `floor`; no later call may name a smaller floor.
    pub fn position(&mut self, window: &str, floor: usize, at: usize) -> Position {
        self.mark.advance(window, floor);
        let mut mark = self.mark;
        mark.advance(window, at);
        Position { offset: self.base + at as u64, line: mark.line, column: mark.column + 1 }
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
        let before = last_chars(before, SNIPPET_CHARS);
        let shown = chars(before);
        let tail = last_chars(tail, SNIPPET_CHARS - shown as usize);
        let rest = &window[at..end.max(at)];
        let line_end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        // A CR before the position is shown: without it the position would lie behind what is shown.
        let after = first_chars(rest[..line_end].trim_end_matches('\r'), SNIPPET_CHARS);
        Snippet { text: [tail, before, after].concat(), column: chars(tail) + shown + 1 }
    }

    /// Forgets the first `length` bytes of the window, which end on `line`: what follows them begins the next one. Whether
    /// they are ASCII is known already.
    pub fn consume(&mut self, window: &str, length: usize, line: u32, is_ascii: bool) {
        let passed = &window[..length];
        // Where the line is the one of the window's beginning, nothing has to be searched.
        let is_same_line = self.mark.at == 0 && line == self.mark.line;
        let newline = if is_same_line { None } else { memrchr(b'\n', passed.as_bytes()) };
        let line_start = newline.map(|newline| newline + 1);
        let from = line_start.unwrap_or(0).max(self.mark.at);
        if line != self.mark.line {
            self.mark.column = 0;
        }
        let rest = passed.get(from..).unwrap_or_default();
        let column = self.mark.column + if is_ascii { rest.len() as u32 } else { chars(rest) };
        self.mark = Mark { at: 0, line, column };
        self.base += length as u64;
        self.keep_tail(line_start, passed);
    }

    /// Goes on where the positions of the text that follows end, which were counted from its beginning.
    pub fn join(&mut self, later: &Positions) {
        let Mark { line, column, .. } = later.mark;
        let has_newline = line > 1;
        self.mark.line += line - 1;
        self.mark.column = if has_newline { column } else { self.mark.column + column };
        self.base += later.base;
        self.keep_tail(has_newline.then_some(0), &later.tail);
    }

    /// Keeps the end of the text that passed, in which the current line begins at `line_start`, if it begins there.
    fn keep_tail(&mut self, line_start: Option<usize>, passed: &str) {
        if line_start.is_some() {
            self.tail.clear();
        }
        let kept = &passed[line_start.unwrap_or(0)..];
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

    /// The same position counted from the beginning, the slow and obvious way.
    fn counted(text: &str, at: usize) -> Position {
        let before = &text[..at];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap().chars().count() as u32 + 1;
        Position { offset: at as u64, line, column }
    }

    #[test]
    fn positions_are_the_same_through_any_windows() {
        let text = "one\ntwo é 日本\r\n\nfour 🙂 five";
        let starts: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for &first in &starts {
            for &second in starts.iter().filter(|at| **at >= first) {
                let mut positions = Positions::default();
                positions.consume(text, first, counted(text, first).line, text[..first].is_ascii());
                let window = &text[first..];
                assert_eq!(positions.position(window, 0, second - first), counted(text, second));
                assert_eq!(positions.position(window, second - first, second - first), counted(text, second));
                let passed = &window[..second - first];
                positions.consume(window, passed.len(), counted(text, second).line, passed.is_ascii());
                assert_eq!(positions.position(&text[second..], 0, text.len() - second), counted(text, text.len()));
            }
        }
    }

    #[test]
    fn snippets_reach_back_over_windows_and_stop_at_line_ends() {
        let text = "first\n  <loc>é</loc>\nlast";
        let mut positions = Positions::default();
        positions.consume(text, 10, 2, true);
        let snippet = positions.snippet(&text[10..], 3, text.len() - 10);
        assert_eq!(snippet, Snippet { text: "  <loc>é</loc>".into(), column: 8 });
        let long = "x".repeat(500);
        positions = Positions::default();
        positions.consume(&long, 400, 1, true);
        let snippet = positions.snippet(&long[400..], 10, 100);
        assert_eq!((snippet.text.len(), snippet.column), (SNIPPET_CHARS + 90, SNIPPET_CHARS as u32 + 1));
    }
}
