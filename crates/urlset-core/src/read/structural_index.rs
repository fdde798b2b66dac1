//! Where the markup of a window stands: one pass over its bytes that answers what the parser asks of every entry.
//!
//! Two bits are kept for each byte: does plain text stop there (`<` or `&`), is it a line feed. The next tag and the
//! lines passed are then a few operations on words instead of a search each.

use wide::u8x16;

const LANE: usize = 16;

/// The bits of 64 bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    stop: u64,
    newline: u64,
}

/// The index of one window; its memory serves the next one.
#[derive(Debug, Default)]
pub struct StructuralIndex {
    words: Vec<Word>,
}

impl StructuralIndex {
    /// Indexes a window instead of the one before. Says whether the window is plain: without anything that has to be
    /// looked at twice, which are control characters but tab and LF, `]` (of `]]>`), and the lead byte of U+FFFE and
    /// U+FFFF. Nearly every document is.
    pub fn build(&mut self, window: &[u8]) -> bool {
        self.words.clear();
        self.words.reserve(window.len() / 64 + 1);
        let mut special = u8x16::ZERO;
        let (blocks, rest) = window.as_chunks::<64>();
        self.words.extend(blocks.iter().map(|block| word(block, &mut special)));
        if !rest.is_empty() {
            let mut block = [b' '; 64];
            block[..rest.len()].copy_from_slice(rest);
            self.words.push(word(&block, &mut special));
        }
        special == u8x16::ZERO
    }

    /// The first `<` or `&` at or after `at`.
    #[inline(always)]
    pub fn stop(&self, at: usize) -> Option<usize> {
        let mut index = at / 64;
        let mut bits = self.words.get(index)?.stop & (!0 << (at % 64));
        while bits == 0 {
            index += 1;
            bits = self.words.get(index)?.stop;
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

    /// How many line feeds stand from `start` to before `end`.
    #[inline]
    pub fn newlines(&self, start: usize, end: usize) -> u32 {
        if start >= end {
            return 0;
        }
        let (from, to) = (start / 64, (end - 1) / 64);
        let Some(words) = self.words.get(from..=to) else { return 0 };
        let mut count = 0;
        for (index, word) in words.iter().enumerate() {
            let mut bits = word.newline;
            if index == 0 {
                bits &= !0 << (start % 64);
            }
            if from + index == to {
                bits &= !0 >> (63 - (end - 1) % 64);
            }
            // An entry has a handful of lines: to take them one by one is faster than to count bits without an
            // instruction for it, which not every processor has.
            while bits != 0 {
                bits &= bits - 1;
                count += 1;
            }
        }
        count
    }
}

/// The bits of a block of 64 bytes. What is not plain in it sets bits of `special`.
#[inline(always)]
fn word(block: &[u8; 64], special: &mut u8x16) -> Word {
    let mut word = Word::default();
    let is = |bytes: u8x16, byte: u8| bytes.simd_eq(u8x16::splat(byte));
    for (lane, bytes) in block.as_chunks::<LANE>().0.iter().enumerate() {
        let bytes = u8x16::new(*bytes);
        let newline = is(bytes, b'\n');
        let control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
        *special |= control & !(newline | is(bytes, b'\t')) | is(bytes, b']') | is(bytes, 0xef);
        let shift = lane * LANE;
        word.stop |= u64::from((is(bytes, b'<') | is(bytes, b'&')).to_bitmask()) << shift;
        word.newline |= u64::from(newline.to_bitmask()) << shift;
    }
    word
}

/// The line on which the latest entry begins, the only position that every entry asks for.
#[derive(Debug)]
pub struct EntryLine {
    at: usize,
    line: u32,
}

impl Default for EntryLine {
    fn default() -> Self {
        EntryLine { at: 0, line: 1 }
    }
}

impl EntryLine {
    /// The line of `at`, which may not go back.
    #[inline]
    pub fn advance(&mut self, index: &StructuralIndex, at: usize) -> u32 {
        self.line += index.newlines(self.at, at);
        self.at = at;
        self.line
    }

    /// Forgets the first `length` bytes of the window, and returns the line on which they end.
    pub fn consume(&mut self, index: &StructuralIndex, length: usize) -> u32 {
        let line = self.advance(index, length);
        self.at = 0;
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_as_a_search_would() {
        // Every byte of a pattern that repeats with a period unlike the word's, at lengths around its borders.
        for length in [0, 1, 15, 16, 63, 64, 65, 127, 128, 200] {
            let window: Vec<u8> = (0..length).map(|at| b"<ab&\n<c\n\ndefghij"[at * 7 % 16]).collect();
            let mut index = StructuralIndex::default();
            index.build(b"<<<&&&\n\n\n");
            index.build(&window);
            for start in 0..=length {
                let first =
                    |wanted: &[u8]| window[start..].iter().position(|byte| wanted.contains(byte)).map(|at| start + at);
                assert_eq!(index.stop(start), first(b"<&"), "{length} {start}");
                assert_eq!(index.less(&window, start), first(b"<"), "{length} {start}");
                for end in start..=length {
                    let range = &window[start..end];
                    assert_eq!(
                        index.newlines(start, end) as usize,
                        range.iter().filter(|byte| **byte == b'\n').count()
                    );
                }
            }
        }
    }
}
