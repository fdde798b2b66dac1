//! Where the markup of a window stands: one pass over its bytes that answers what the parser asks of every entry.
//!
//! Three bits are kept for each byte: is it `<`, `&`, a line feed. The next tag, a reference in a text and the lines
//! passed are then a few operations on words instead of a search each.

use wide::u8x16;

const LANE: usize = 16;

/// The bits of 64 bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    less: u64,
    ampersand: u64,
    newline: u64,
}

/// The index of one window; its memory serves the next one.
#[derive(Debug, Default)]
pub struct Index {
    words: Vec<Word>,
}

impl Index {
    /// Indexes a window instead of the one before.
    pub fn build(&mut self, window: &[u8]) {
        self.words.clear();
        self.words.reserve(window.len() / 64 + 1);
        let mut blocks = window.chunks_exact(64);
        for block in &mut blocks {
            self.words.push(word(block));
        }
        let rest = blocks.remainder();
        if !rest.is_empty() {
            let mut block = [0; 64];
            block[..rest.len()].copy_from_slice(rest);
            self.words.push(word(&block));
        }
    }

    /// The first `<` at or after `at`.
    #[inline]
    pub fn less(&self, at: usize) -> Option<usize> {
        let mut place = at / 64;
        let mut bits = self.words.get(place)?.less & (!0 << (at % 64));
        while bits == 0 {
            place += 1;
            bits = self.words.get(place)?.less;
        }
        Some(place * 64 + bits.trailing_zeros() as usize)
    }

    /// Whether an `&` stands from `start` to before `end`.
    #[inline]
    pub fn has_ampersand(&self, start: usize, end: usize) -> bool {
        self.fold(start, end, false, |found, word, mask| found | (word.ampersand & mask != 0))
    }

    /// How many line feeds stand from `start` to before `end`.
    #[inline]
    pub fn newlines(&self, start: usize, end: usize) -> u32 {
        self.fold(start, end, 0, |count, word, mask| count + (word.newline & mask).count_ones())
    }

    /// Folds the words of a range, each with a mask of the bits that belong to it.
    #[inline]
    fn fold<T>(&self, start: usize, end: usize, first: T, step: impl Fn(T, &Word, u64) -> T) -> T {
        if start >= end {
            return first;
        }
        let (from, to) = (start / 64, (end - 1) / 64);
        let mut folded = first;
        let Some(words) = self.words.get(from..=to) else {
            return folded;
        };
        for (place, word) in words.iter().enumerate() {
            let mut mask = !0;
            if place == 0 {
                mask &= !0 << (start % 64);
            }
            if from + place == to {
                mask &= !0 >> (63 - (end - 1) % 64);
            }
            folded = step(folded, word, mask);
        }
        folded
    }
}

/// The bits of a block of 64 bytes.
#[inline]
fn word(block: &[u8]) -> Word {
    let mut word = Word::default();
    let (less, ampersand, newline) = (u8x16::splat(b'<'), u8x16::splat(b'&'), u8x16::splat(b'\n'));
    for (lane, bytes) in block.chunks_exact(LANE).enumerate() {
        let Ok(bytes) = <[u8; LANE]>::try_from(bytes) else {
            continue;
        };
        let bytes = u8x16::new(bytes);
        let shift = lane * LANE;
        word.less |= u64::from(bytes.simd_eq(less).to_bitmask()) << shift;
        word.ampersand |= u64::from(bytes.simd_eq(ampersand).to_bitmask()) << shift;
        word.newline |= u64::from(bytes.simd_eq(newline).to_bitmask()) << shift;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_as_a_search_would() {
        // Every byte of a pattern that repeats with a period unlike the word's, at lengths around its borders.
        for length in [0, 1, 15, 16, 63, 64, 65, 127, 128, 200] {
            let window: Vec<u8> = (0..length).map(|at| b"<ab&\n<c\n\ndefghij"[at * 7 % 16]).collect();
            let mut index = Index::default();
            index.build(b"<<<&&&\n\n\n");
            index.build(&window);
            for start in 0..=length {
                let expected = window[start..].iter().position(|byte| *byte == b'<').map(|at| start + at);
                assert_eq!(index.less(start), expected, "{length} {start}");
                for end in start..=length {
                    let range = &window[start..end];
                    assert_eq!(index.has_ampersand(start, end), range.contains(&b'&'));
                    assert_eq!(
                        index.newlines(start, end) as usize,
                        range.iter().filter(|byte| **byte == b'\n').count()
                    );
                }
            }
        }
    }
}
