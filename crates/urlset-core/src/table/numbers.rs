//! The values of a stretch that are numbers, from the look at them until they are added to their columns.

use std::ops::Range;

use arrow_array::builder::{ArrayBuilder, PrimitiveBuilder};
use arrow_array::types::ArrowPrimitiveType;

use crate::read::element::Field;
use crate::read::stretch::{MOST, Stretch};

/// What the values of a stretch mean.
#[derive(Debug)]
pub struct Values {
    pub lastmods: Numbers<i64>,
    pub changefreqs: Numbers<i8>,
    pub priorities: Numbers<f64>,
}

impl Default for Values {
    fn default() -> Self {
        Values { lastmods: Numbers::new(0), changefreqs: Numbers::new(0), priorities: Numbers::new(0.0) }
    }
}

/// The numbers of a column, for the entries that have one.
#[derive(Debug)]
pub struct Numbers<T> {
    values: [T; MOST],
    /// A bit for each entry that has one.
    present: u64,
}

impl<T: Copy> Numbers<T> {
    fn new(none: T) -> Self {
        Numbers { values: [none; MOST], present: 0 }
    }

    /// Keeps the numbers of a stretch, and returns a bit for each entry whose value means nothing.
    #[inline(always)]
    pub fn keep(&mut self, stretch: &Stretch<'_>, field: Field, meaning: impl Fn(&[u8]) -> Option<T>) -> u64 {
        let (mut odd, mut present) = (0, 0);
        for (number, (entry, value)) in stretch.entries.iter().zip(&mut self.values).enumerate() {
            let Some(bytes) = stretch.bytes(entry, field) else { continue };
            present |= 1 << number;
            match meaning(bytes) {
                Some(meaning) => *value = meaning,
                None => odd |= 1 << number,
            }
        }
        self.present = present;
        odd
    }

    /// Adds the numbers of some entries, the first of which is this row.
    #[inline(always)]
    pub fn add<A: ArrowPrimitiveType<Native = T>>(
        &self,
        builder: &mut PrimitiveBuilder<A>,
        row: usize,
        entries: Range<usize>,
    ) {
        let present = some_of(self.present, &entries);
        if present == 0 {
            return;
        }
        fill_numbers(builder, row);
        let values = &self.values[entries.clone()];
        if present.count_ones() as usize == values.len() {
            builder.append_slice(values);
        } else {
            let is_present: [bool; MOST] = std::array::from_fn(|number| present >> number & 1 == 1);
            builder.append_values(values, &is_present[..values.len()]);
        }
    }
}

/// The bits of some entries, of which there is at least one.
#[inline(always)]
pub fn some_of(bits: u64, entries: &Range<usize>) -> u64 {
    bits >> entries.start & (!0 >> (MOST - entries.len()))
}

/// Adds nulls for the rows before `row` that have no number.
#[inline(always)]
pub fn fill_numbers<T: ArrowPrimitiveType>(builder: &mut PrimitiveBuilder<T>, row: usize) {
    if builder.len() < row {
        builder.append_nulls(row - builder.len());
    }
}
