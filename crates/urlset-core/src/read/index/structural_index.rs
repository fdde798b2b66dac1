//! Where the markup of a window stands: one pass over its bytes that answers what the parser asks of every entry.
//!
//! Two bits are kept for each byte: does plain text stop there (`<`, `&` or CR), is it a line feed. The next tag and the
//! lines passed are then a few operations on words instead of a search each. The pass is compiled for each level of SIMD,
//! and the best that the processor has is taken.

use std::hint::select_unpredictable;
use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, mask8x32, prelude::*, u8x32, u8x64};
use memchr::memmem;
use wide::u8x16;

/// The line feeds among 64 bytes, and those of the window before them.
#[derive(Debug, Clone, Copy, Default)]
struct Lines {
    newline: u64,
    newlines_before: u32,
}

/// The index of one window; its memory serves the next one.
#[derive(Debug, Default)]
pub struct StructuralIndex {
    /// Where plain text stops, a word for 64 bytes. Each stop leads to the next, so they stand alone: the processor waits
    /// for every step on the way to one.
    stops: Vec<u64>,
    /// Empty if the window has no line feed.
    lines: Vec<Lines>,
    is_ascii: bool,
    has_section_end: bool,
}

impl StructuralIndex {
    /// Indexes a window instead of the one before. Says whether the window is plain: without anything that has to be
    /// looked at twice, which are control characters but tab, LF and CR, and U+FFFE and U+FFFF. Nearly every document is.
    pub fn build(&mut self, window: &str) -> bool {
        self.build_at(Level::new(), window)
    }

    fn build_at(&mut self, level: Level, window: &str) -> bool {
        let window = window.as_bytes();
        // One word more than there are whole blocks also answers for the end of the window, and behind it comes an empty one.
        let words = window.len() / 64 + 1;
        self.stops.resize(words + 1, 0);
        self.stops[words] = 0;
        // Most documents have a line feed in every window, or in none: so line feeds are marked in the same pass only if the
        // window before had one.
        let without_lines = match self.lines.is_empty() {
            true => Some(dispatch!(level, simd => fill::<_, false>(simd, window, &mut self.stops, &mut []))),
            false => None,
        };
        let found = match without_lines {
            Some(found) if !found.has_blank => found,
            _ => {
                self.lines.resize(words, Lines::default());
                dispatch!(level, simd => fill::<_, true>(simd, window, &mut self.stops, &mut self.lines))
            }
        };
        if !found.has_blank {
            self.lines.clear();
        }
        // Few documents have a CR. It stands for a line feed, so it ends plain text, too.
        let has_control = found.has_control && dispatch!(level, simd => stop_at_returns(simd, window, &mut self.stops));
        self.is_ascii = !found.has_others;
        let has = |text: &[u8]| memmem::find(window, text).is_some();
        // What only may be there is looked for, which few windows need.
        self.has_section_end = found.has_bracket && has(b"]]>");
        !(has_control || found.has_high && (has("\u{fffe}".as_bytes()) || has("\u{ffff}".as_bytes())))
    }

    /// Whether the window holds `]]>`, which ends a CDATA section and must not stand in a text.
    #[inline(always)]
    pub fn has_section_end(&self) -> bool {
        self.has_section_end
    }

    /// Whether a part of the window holds `]]>`, which mostly is short and has no `]`.
    #[inline(always)]
    pub fn has_section_end_in(&self, window: &[u8], part: Range<usize>) -> bool {
        self.has_section_end && may_hold_section_end(window, part.clone()) && section_end(&window[part]).is_some()
    }

    /// Whether the window holds nothing but ASCII.
    pub fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    /// The first `<`, `&` or CR at or after `at`.
    #[inline(always)]
    pub fn stop(&self, at: usize) -> Option<usize> {
        let mut index = at / 64;
        let next = *self.stops.get(index + 1)?;
        let bits = self.stops[index] & (!0 << (at % 64));
        // Nearly every text ends in this word or in the next, and the processor cannot guess in which.
        let is_next = bits == 0;
        let mut bits = select_unpredictable(is_next, next, bits);
        index += usize::from(is_next);
        while bits == 0 {
            index += 1;
            bits = *self.stops.get(index)?;
        }
        Some(index * 64 + bits.trailing_zeros() as usize)
    }

    /// The first `<` or `&` at or after `at` in the window that was indexed.
    #[inline(always)]
    pub fn markup(&self, window: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let stop = self.stop(at)?;
            if window[stop] != b'\r' {
                return Some(stop);
            }
            at = stop + 1;
        }
    }

    /// The first `<` at or after `at` in the window that was indexed.
    pub fn less(&self, window: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let stop = self.stop(at)?;
            if window[stop] == b'<' {
                return Some(stop);
            }
            at = stop + 1;
        }
    }

    /// The line feeds among the 64 bytes of the block with this number, a bit for each.
    #[inline(always)]
    pub fn line_feeds(&self, block: usize) -> u64 {
        self.lines.get(block).map_or(0, |lines| lines.newline)
    }

    /// How many line feeds stand before `at`.
    #[inline(always)]
    pub fn newlines_before(&self, at: usize) -> u32 {
        let Some(lines) = self.lines.get(at / 64) else { return 0 };
        let newlines = lines.newline & !(!0 << (at % 64));
        // Counting bits takes fifteen instructions where there may be none for it.
        lines.newlines_before + if newlines == 0 { 0 } else { newlines.count_ones() }
    }
}

/// What was found in a window.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// A control character but tab and LF.
    has_control: bool,
    /// Tab, LF or another control character.
    has_blank: bool,
    /// A `]`.
    has_bracket: bool,
    /// A character that is not ASCII.
    has_others: bool,
    /// The first byte of a character from U+F000 on.
    has_high: bool,
}

/// The bytes of a window, as far as they say what is found in it, kept apart by their places in half a block: with those of
/// a whole one, there are not enough registers for AVX2.
struct Bytes<S: Simd> {
    least: u8x32<S>,
    most: u8x32<S>,
    /// The least above LF, counted from there. Tab and LF come out as the highest of all.
    least_above: u8x32<S>,
    brackets: mask8x32<S>,
}

/// Fills the words of a window, with `HAS_LINES` those of its lines too, and says what was found in it. Nothing in here is a
/// closure: the compiler may leave one out of the code for the level, without a warning, and call it for each block.
#[inline(always)]
fn fill<S: Simd, const HAS_LINES: bool>(simd: S, window: &[u8], stops: &mut [u64], lines: &mut [Lines]) -> Found {
    let (blocks, rest) = window.as_chunks::<64>();
    let mut found = Bytes {
        least: u8x32::splat(simd, 0xff),
        most: u8x32::splat(simd, 0),
        least_above: u8x32::splat(simd, 0xff),
        brackets: mask8x32::splat(simd, false),
    };
    let mut newlines = 0;
    let mut lines = lines.iter_mut();
    for (block, stop) in blocks.iter().zip(stops.iter_mut()) {
        let bytes = u8x64::from_slice(simd, block);
        *stop = found.take(bytes);
        if HAS_LINES && let Some(line) = lines.next() {
            *line = Lines::of(bytes, &mut newlines);
        }
    }
    let mut last = [b' '; 64];
    last[..rest.len()].copy_from_slice(rest);
    let bytes = u8x64::from_slice(simd, &last);
    if let Some(stop) = stops.get_mut(blocks.len()) {
        *stop = found.take(bytes);
    }
    if HAS_LINES && let Some(line) = lines.next() {
        *line = Lines::of(bytes, &mut newlines);
    }
    let Bytes { least, most, least_above, brackets } = found;
    Found {
        has_control: (least.simd_lt(b'\t') | least_above.simd_lt(b' ' - FIRST_CONTROL)).any_true(),
        has_blank: least.simd_lt(b' ').any_true(),
        has_bracket: brackets.any_true(),
        has_others: most.simd_ge(0x80).any_true(),
        has_high: most.simd_ge(0xef).any_true(),
    }
}

/// The first control character above LF.
const FIRST_CONTROL: u8 = b'\n' + 1;

impl<S: Simd> Bytes<S> {
    /// Takes the bytes of a block, and returns where plain text stops among them.
    #[inline(always)]
    fn take(&mut self, bytes: u8x64<S>) -> u64 {
        let (low, high) = bytes.split();
        self.least = self.least.min(low.min(high));
        self.most = self.most.max(low.max(high));
        self.least_above = self.least_above.min((low - FIRST_CONTROL).min(high - FIRST_CONTROL));
        self.brackets |= low.simd_eq(b']') | high.simd_eq(b']');
        (bytes.simd_eq(b'<') | bytes.simd_eq(b'&')).to_bitmask()
    }
}

impl Lines {
    /// The line feeds of a block, and of those before it, to which they are added.
    #[inline(always)]
    fn of<S: Simd>(bytes: u8x64<S>, newlines: &mut u32) -> Lines {
        let lines = Lines { newline: bytes.simd_eq(b'\n').to_bitmask(), newlines_before: *newlines };
        *newlines += lines.newline.count_ones();
        lines
    }
}

/// Has plain text stop at each CR, and says whether there is another control character but tab and LF.
#[inline(always)]
fn stop_at_returns<S: Simd>(simd: S, window: &[u8], stops: &mut [u64]) -> bool {
    let (blocks, rest) = window.as_chunks::<64>();
    let mut last = [b' '; 64];
    last[..rest.len()].copy_from_slice(rest);
    let mut others = 0;
    for (block, stop) in blocks.iter().chain([&last]).zip(stops) {
        let bytes = u8x64::from_slice(simd, block);
        let returns = bytes.simd_eq(b'\r').to_bitmask();
        let blanks = (bytes.simd_eq(b'\t') | bytes.simd_eq(b'\n')).to_bitmask();
        others |= bytes.simd_lt(b' ').to_bitmask() & !(returns | blanks);
        *stop |= returns;
    }
    others != 0
}

/// Where the first `]]>` is. Few texts have a bracket, and a search for one takes less to begin than a search for all three.
pub fn section_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b']', bytes).find(|at| bytes[*at..].starts_with(b"]]>"))
}

/// Whether a part of a window holds a `]`, or ends too near to the end of the window to tell.
#[inline(always)]
fn may_hold_section_end(window: &[u8], part: Range<usize>) -> bool {
    let mut at = part.start;
    while at < part.end {
        let Some(sixteen) = window.get(at..).and_then(|rest| rest.first_chunk::<16>()) else { return true };
        let brackets = u8x16::new(*sixteen).simd_eq(u8x16::splat(b']')).to_bitmask();
        if (brackets.trailing_zeros() as usize) < part.end - at {
            return true;
        }
        at += 16;
    }
    false
}

/// The line on which the window begins.
#[derive(Debug)]
pub struct EntryLine(u32);

impl Default for EntryLine {
    fn default() -> Self {
        EntryLine(1)
    }
}

impl EntryLine {
    /// The line of `at`.
    #[inline(always)]
    pub fn of(&self, index: &StructuralIndex, at: usize) -> u32 {
        self.0 + index.newlines_before(at)
    }

    /// Forgets the first `length` bytes of the window, and returns the line on which they end.
    pub fn consume(&mut self, index: &StructuralIndex, length: usize) -> u32 {
        self.0 = self.of(index, length);
        self.0
    }

    /// Goes on where the lines of the text that follows end, which were counted from 1. Returns how many came before.
    pub fn join(&mut self, later: &EntryLine) -> u32 {
        let before = self.0 - 1;
        self.0 += later.0 - 1;
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::tests::levels::levels;

    /// The same as `build` and what it answers, byte by byte.
    fn check(index: &mut StructuralIndex, level: Level, text: &str) {
        let is_control = |character: char| character < ' ' && !matches!(character, '\t' | '\n' | '\r');
        let is_special = |character: char| is_control(character) || matches!(character, '\u{fffe}' | '\u{ffff}');
        let is_plain = !text.contains(is_special);
        assert_eq!(index.build_at(level, text), is_plain, "{level:?} {text:?}");
        assert_eq!(index.is_ascii(), text.is_ascii(), "{level:?} {text:?}");
        assert_eq!(index.has_section_end(), text.contains("]]>"), "{level:?} {text:?}");
        assert_eq!(section_end(text.as_bytes()), text.find("]]>"), "{text:?}");
        let window = text.as_bytes();
        for start in 0..=window.len() {
            let first = |wanted: &[u8]| {
                window[start..].iter().position(|byte| wanted.contains(byte)).map(|offset| start + offset)
            };
            assert_eq!(index.stop(start), first(b"<&\r"), "{level:?} {start} {window:?}");
            assert_eq!(index.markup(window, start), first(b"<&"), "{level:?} {start} {window:?}");
            assert_eq!(index.less(window, start), first(b"<"), "{level:?} {start} {window:?}");
            let newlines = window[..start].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(index.newlines_before(start) as usize, newlines, "{level:?} {start} {window:?}");
        }
    }

    #[test]
    fn every_level_answers_as_a_search_would() {
        for level in levels() {
            let mut index = StructuralIndex::default();
            // Every byte of a pattern that repeats with a period unlike the word's, at lengths around its borders.
            for length in [0, 1, 15, 16, 63, 64, 65, 127, 128, 200] {
                let window: String = (0..length).map(|at| char::from(b"<ab&\n<c\n\ndefghij"[at * 7 % 16])).collect();
                index.build_at(level, "<<<&&&\n\n\n");
                check(&mut index, level, &window);
            }
        }
    }

    #[test]
    fn every_level_knows_every_character_at_every_place() {
        let ascii = (0..0x80).map(|byte| char::from(byte).to_string());
        let others = ["é", "ー", "\u{efff}", "\u{f000}", "！", "\u{fffd}", "\u{fffe}", "\u{ffff}", "🙂", "\u{10ffff}"];
        let texts: Vec<String> = ascii.chain(others.map(str::to_owned)).chain(["]]>".into(), "]]".into()]).collect();
        for level in levels() {
            let mut index = StructuralIndex::default();
            for text in &texts {
                for at in [0, 1, 15, 16, 31, 32, 47, 48, 61, 63, 64, 69] {
                    check(&mut index, level, &format!("{}{text}{}", "x".repeat(at), "x".repeat(69 - at)));
                }
            }
        }
    }

    #[test]
    fn every_level_indexes_random_windows_alike() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let characters: Vec<char> = "<&\n\t] a\"\r\u{ffff}é/>".chars().collect();
        let windows: Vec<String> =
            (0..200).map(|_| (0..random() % 300).map(|_| characters[random() % 8 + random() % 6]).collect()).collect();
        for level in levels() {
            let mut index = StructuralIndex::default();
            for window in &windows {
                check(&mut index, level, window);
            }
        }
    }

    #[test]
    fn a_part_holds_the_end_of_a_section_where_a_search_finds_it() {
        let pieces = ["]]>", "]", "]]", ">", "a", "of-sixteen-bytes"];
        let mut index = StructuralIndex::default();
        for seed in 1..300 {
            let mut numbers = crate::tests::Numbers(seed);
            let text: String = (0..numbers.below(12)).map(|_| pieces[numbers.below(6) as usize]).collect();
            index.build(&text);
            for start in 0..=text.len() {
                for end in start..=text.len() {
                    let holds = text[start..end].contains("]]>");
                    assert_eq!(index.has_section_end_in(text.as_bytes(), start..end), holds, "{start}..{end} {text}");
                }
            }
        }
    }
}
