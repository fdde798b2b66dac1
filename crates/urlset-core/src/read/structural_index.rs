//! Where the markup of a window stands: one pass over its bytes that answers what the parser asks of every entry.
//!
//! Two bits are kept for each byte: does plain text stop there (`<` or `&`), is it a line feed. The next tag and the
//! lines passed are then a few operations on words instead of a search each. The pass is compiled for each level of SIMD,
//! and the best that the processor has is taken.

use std::hint::select_unpredictable;

use fearless_simd::{Level, Simd, dispatch, mask8x64, prelude::*, u8x64};

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
    lines: Vec<Lines>,
}

impl StructuralIndex {
    /// Indexes a window instead of the one before. Says whether the window is plain: without anything that has to be
    /// looked at twice, which are control characters but tab and LF, `]` (of `]]>`), and the lead byte of U+FFFE and
    /// U+FFFF. Nearly every document is.
    pub fn build(&mut self, window: &[u8]) -> bool {
        self.build_at(Level::new(), window)
    }

    fn build_at(&mut self, level: Level, window: &[u8]) -> bool {
        // One word more than there are whole blocks also answers for the end of the window, and behind it comes an empty one.
        let words = window.len() / 64 + 1;
        self.lines.resize(words, Lines::default());
        self.stops.resize(words + 1, 0);
        self.stops[words] = 0;
        dispatch!(level, simd => fill(simd, window, &mut self.stops, &mut self.lines))
    }

    /// The first `<` or `&` at or after `at`.
    #[inline(always)]
    pub fn stop(&self, at: usize) -> Option<usize> {
        let mut index = at / 64;
        let [word, next] = *self.stops.get(index..)?.first_chunk::<2>()?;
        let bits = word & (!0 << (at % 64));
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

    /// How many line feeds stand before `at`.
    #[inline(always)]
    pub fn newlines_before(&self, at: usize) -> u32 {
        let Some(lines) = self.lines.get(at / 64) else { return 0 };
        let newlines = lines.newline & !(!0 << (at % 64));
        // Counting bits takes fifteen instructions where there may be none for it.
        lines.newlines_before + if newlines == 0 { 0 } else { newlines.count_ones() }
    }
}

/// Fills the words of a window, and says whether it is plain. Nothing in here is a closure: the compiler may leave one out
/// of the code for the level, without a warning, and call it for each block.
#[inline(always)]
fn fill<S: Simd>(simd: S, window: &[u8], stops: &mut [u64], lines: &mut [Lines]) -> bool {
    let (blocks, rest) = window.as_chunks::<64>();
    let mut last = [b' '; 64];
    last[..rest.len()].copy_from_slice(rest);
    let mut special = mask8x64::splat(simd, false);
    let mut newlines = 0;
    for ((block, stop), line) in blocks.iter().chain([&last]).zip(stops).zip(lines) {
        let bytes = u8x64::from_slice(simd, block);
        let newline = bytes.simd_eq(b'\n');
        let odd = bytes.simd_lt(0x20) & !(newline | bytes.simd_eq(b'\t'));
        special |= odd | bytes.simd_eq(b']') | bytes.simd_eq(0xef);
        *stop = (bytes.simd_eq(b'<') | bytes.simd_eq(b'&')).to_bitmask();
        *line = Lines { newline: newline.to_bitmask(), newlines_before: newlines };
        newlines += line.newline.count_ones();
    }
    !special.any_true()
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
    fn check(index: &mut StructuralIndex, level: Level, window: &[u8]) {
        let is_special = |byte: &u8| matches!(byte, 0..=8 | 0xb..=0x1f | b']' | 0xef);
        assert_eq!(index.build_at(level, window), !window.iter().any(is_special), "{level:?} {window:?}");
        for start in 0..=window.len() {
            let first = |wanted: &[u8]| {
                window[start..].iter().position(|byte| wanted.contains(byte)).map(|offset| start + offset)
            };
            assert_eq!(index.stop(start), first(b"<&"), "{level:?} {start} {window:?}");
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
                let window: Vec<u8> = (0..length).map(|at| b"<ab&\n<c\n\ndefghij"[at * 7 % 16]).collect();
                index.build_at(level, b"<<<&&&\n\n\n");
                check(&mut index, level, &window);
            }
        }
    }

    #[test]
    fn every_level_knows_every_byte_at_every_place() {
        for level in levels() {
            let mut index = StructuralIndex::default();
            for byte in 0..=255 {
                for at in [0, 1, 15, 16, 31, 32, 47, 48, 63, 64, 69] {
                    let mut window = [b'x'; 70];
                    window[at] = byte;
                    check(&mut index, level, &window);
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
        let windows: Vec<Vec<u8>> = (0..200)
            .map(|_| (0..random() % 300).map(|_| b"<&\n\t] a\"\r\xef\xc3/>"[random() % 8 + random() % 6]).collect())
            .collect();
        for level in levels() {
            let mut index = StructuralIndex::default();
            for window in &windows {
                check(&mut index, level, window);
            }
        }
    }
}
