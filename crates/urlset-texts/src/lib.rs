//! A column of texts under construction.
//!
//! It does what arrow's `StringBuilder` does. Two things differ, and both are for speed: adding a text is compiled into the
//! code that adds it, which takes a third of the instructions, and room for more rows can be reserved later. Arrow has no
//! safe way to make an array of texts from its parts without validating every text, although these texts are valid by
//! their type. So the one line that makes the array is unsafe, and it stands in a crate of its own: the core forbids that.

#![deny(missing_docs)]

use std::ops::Range;

use arrow_array::StringArray;
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};

/// Bytes that most dates, languages and names are not longer than, and most URLs.
const SHORT: usize = 32;
const LONG: usize = 128;

/// A column of texts, some of which may be missing.
#[derive(Debug)]
pub struct TextBuilder {
    /// All texts, one after the other: never a part of one.
    texts: Vec<u8>,
    /// Where each text begins in `texts`, and where the last one ends.
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Default for TextBuilder {
    fn default() -> Self {
        TextBuilder::with_capacity(0, 0)
    }
}

impl TextBuilder {
    /// An empty column with room for so many rows, and for so many bytes of text in all.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        TextBuilder { texts: Vec::with_capacity(bytes), offsets, nulls: NullBufferBuilder::new(rows) }
    }

    /// Makes room for so many rows, and so many bytes of text, in all.
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.texts.reserve_exact(bytes.saturating_sub(self.texts.len()));
        self.offsets.reserve_exact((rows + 1).saturating_sub(self.offsets.len()));
    }

    /// Adds a row with a text.
    ///
    /// # Panics
    ///
    /// If all texts together are longer than 2 GiB, which 32-bit offsets cannot address.
    #[inline(always)]
    pub fn push(&mut self, text: &str) {
        self.texts.extend_from_slice(text.as_bytes());
        self.end_row();
    }

    /// Adds a row with a text that is a part of a longer one.
    ///
    /// # Panics
    ///
    /// As [`push`](Self::push), and if the part does not begin and end between characters.
    #[inline(always)]
    pub fn push_part(&mut self, whole: &str, part: Range<usize>) {
        let text = &whole[part.clone()];
        let from = &whole.as_bytes()[part.start..];
        if !(self.copied::<SHORT>(text, from) || self.copied::<LONG>(text, from)) {
            self.texts.extend_from_slice(text.as_bytes());
        }
        self.end_row();
    }

    /// Adds a row for each text, which is a part of a longer one. Nearly all should have no more bytes than the block, as which
    /// they are copied.
    ///
    /// # Panics
    ///
    /// As [`push_part`](Self::push_part), with room for a block more for each.
    #[inline(always)]
    pub fn extend<'t, const BLOCK: usize>(
        &mut self,
        mut parts: impl ExactSizeIterator<Item = (&'t str, Range<usize>)>,
    ) {
        self.texts.reserve(parts.len() * BLOCK);
        self.offsets.reserve(parts.len());
        let rows = self.offsets.len();
        for (whole, part) in &mut parts {
            let text = &whole[part.clone()];
            if !self.copied::<BLOCK>(text, &whole.as_bytes()[part.start..]) {
                self.texts.extend_from_slice(text.as_bytes());
            }
            self.offsets.push(end(&self.texts));
        }
        self.nulls.append_n_non_nulls(self.offsets.len() - rows);
    }

    /// Copies a text by way of the whole block that it begins, if it is not longer than that and the block is there. How
    /// many bytes of it belong to the text then decides nothing that the processor would have to guess.
    #[inline(always)]
    fn copied<const BLOCK: usize>(&mut self, text: &str, from: &[u8]) -> bool {
        let Some(block) = from.first_chunk::<BLOCK>().filter(|_| text.len() <= BLOCK) else { return false };
        let end = self.texts.len() + text.len();
        self.texts.extend_from_slice(block);
        self.texts.truncate(end);
        true
    }

    /// Ends a row whose text has been added.
    #[inline(always)]
    fn end_row(&mut self) {
        self.offsets.push(end(&self.texts));
        self.nulls.append_non_null();
    }

    /// Adds rows without a text.
    pub fn push_nulls(&mut self, rows: usize) {
        let end = self.offsets[self.offsets.len() - 1];
        self.offsets.resize(self.offsets.len() + rows, end);
        self.nulls.append_n_nulls(rows);
    }

    /// How many rows there are.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Bytes of all texts.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.texts.len()
    }

    /// The rows as an array. The column is empty afterwards.
    pub fn finish(&mut self) -> StringArray {
        let TextBuilder { texts, offsets, mut nulls } = std::mem::take(self);
        let (offsets, texts) = (ScalarBuffer::from(offsets), Buffer::from(texts));
        // SAFETY: the offsets have to rise, the bytes between two of them have to be inside the texts and UTF-8, and there
        // has to be a bit in `nulls` for each row. The first offset is 0. Each other one is the offset before it, or was the
        // length of `texts` after a whole `str` had been added: a block of which more is copied is cut to its `str` first, or
        // the next `str` is copied over the rest of it. Nothing else changes `texts`. Each method that adds rows adds as many
        // offsets as bits.
        unsafe { StringArray::new_unchecked(OffsetBuffer::new_unchecked(offsets), texts, nulls.finish()) }
    }
}

/// Where the last of the texts ends.
#[inline(always)]
fn end(texts: &[u8]) -> i32 {
    i32::try_from(texts.len()).expect("a column has less than 2 GiB of text")
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::builder::StringBuilder;

    use super::*;

    /// The same rows through the builder of arrow. `None` is a text, and a number is so many rows without one.
    fn check(rows: &[Result<&str, usize>], capacity: (usize, usize)) {
        let mut ours = TextBuilder::with_capacity(capacity.0, capacity.1);
        let mut theirs = StringBuilder::new();
        for (number, row) in rows.iter().enumerate() {
            match *row {
                Ok(text) => {
                    match number % 3 {
                        0 => ours.push(text),
                        1 => ours.push_part(text, 0..text.len()),
                        _ => ours.push_part(&format!("é{text}{}", "🙂 and more ".repeat(number)), 2..2 + text.len()),
                    }
                    theirs.append_value(text);
                }
                Err(missing) => {
                    ours.push_nulls(missing);
                    theirs.append_nulls(missing);
                }
            }
            if number == rows.len() / 2 {
                ours.reserve(rows.len(), 0);
                ours.reserve(0, 100);
            }
            assert_eq!(ours.bytes(), theirs.values_slice().len());
        }
        let (array, expected) = (ours.finish(), theirs.finish());
        assert_eq!(array, expected);
        // What arrow asks of an array that it does not trust.
        array.to_data().validate_full().expect("a valid array");
        assert_eq!((array.null_count(), ours.rows(), ours.bytes()), (expected.null_count(), 0, 0));
    }

    #[test]
    fn rows_are_the_same_as_those_of_arrow() {
        let cases: [&[Result<&str, usize>]; 7] = [
            &[],
            &[Ok("")],
            &[Err(0)],
            &[Err(3)],
            &[Ok("a"), Ok(""), Ok("日本"), Ok("é🙂")],
            &[Err(2), Ok("é"), Err(1), Ok(""), Err(0), Ok("b"), Err(9)],
            &[Ok("a"), Err(1), Ok("𝄞"), Err(1)],
        ];
        for rows in cases {
            for capacity in [(0, 0), (1, 1), (100, 1_000)] {
                check(rows, capacity);
            }
        }
    }

    #[test]
    fn random_rows_are_the_same_as_those_of_arrow() {
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let texts = ["", "a", "https://example.org/", "é", "日本語", "🙂🙂", "a\u{fffd}b"];
        for _ in 0..300 {
            let rows: Vec<_> = (0..random(70))
                .map(|_| if random(3) == 0 { Err(random(9)) } else { Ok(texts[random(texts.len())]) })
                .collect();
            check(&rows, (random(40), random(200)));
        }
    }

    #[test]
    fn many_texts_are_added_as_one_by_one() {
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        // Around the length of a block, in texts that go on behind them, or end with them.
        let texts: Vec<String> = (0..40).map(|length| "é🙂a".repeat(9).chars().take(length).collect()).collect();
        for _ in 0..2_000 {
            let most = [5, 12, 40][random(3)];
            let ends = ["", "", "x", "behind behind behind behind behind behind"];
            let wholes: Vec<(String, Range<usize>)> = (0..random(70))
                .map(|_| {
                    let text = &texts[random(most)];
                    let (before, after) = (&texts[random(20)], ends[random(4)]);
                    (format!("{before}{text}{after}"), before.len()..before.len() + text.len())
                })
                .collect();
            let (mut many, mut single) = (TextBuilder::default(), TextBuilder::with_capacity(3, 70));
            for builder in [&mut many, &mut single] {
                builder.push("first");
                builder.push_nulls(1);
            }
            many.extend::<32>(wholes.iter().map(|(whole, part)| (whole.as_str(), part.clone())));
            for (whole, part) in &wholes {
                single.push(&whole[part.clone()]);
            }
            many.push("last");
            single.push("last");
            let array = many.finish();
            assert_eq!(array, single.finish());
            array.to_data().validate_full().expect("a valid array");
        }
    }

    #[test]
    fn a_builder_serves_again() {
        let mut builder = TextBuilder::default();
        builder.push("first");
        assert_eq!(builder.finish(), StringArray::from(vec!["first"]));
        builder.push_nulls(1);
        builder.push("second");
        assert_eq!(builder.finish(), StringArray::from(vec![None, Some("second")]));
        assert_eq!(builder.finish(), StringArray::from(Vec::<&str>::new()));
    }
}
