//! The numbers of an entry run, and how they are added to their columns.

use std::ops::Range;

use arrow_array::builder::{ArrayBuilder, PrimitiveBuilder};
use arrow_array::types::ArrowPrimitiveType;

use crate::read::entry_run::MAX_RUN;
use crate::read::numbers::{Numbers, some_of};

/// What the values of an entry run mean.
#[derive(Debug)]
pub struct RunNumbers {
    pub lastmods: Numbers<i64>,
    pub changefreqs: Numbers<i8>,
    pub priorities: Numbers<f64>,
}

impl Default for RunNumbers {
    fn default() -> Self {
        RunNumbers { lastmods: Numbers::new(0), changefreqs: Numbers::new(0), priorities: Numbers::new(0.0) }
    }
}

/// Adds the numbers of some entries, the first of which is this row.
#[inline(always)]
pub fn add_numbers<T: ArrowPrimitiveType>(
    builder: &mut PrimitiveBuilder<T>,
    row: usize,
    numbers: &Numbers<T::Native>,
    entries: Range<usize>,
) {
    let present = some_of(numbers.present, &entries);
    if present == 0 {
        return;
    }
    fill_numbers(builder, row);
    let values = &numbers.values[entries];
    if present.count_ones() as usize == values.len() {
        builder.append_slice(values);
    } else {
        let is_present: [bool; MAX_RUN] = std::array::from_fn(|number| present >> number & 1 == 1);
        builder.append_values(values, &is_present[..values.len()]);
    }
}

/// Adds nulls for the rows before `row` that have no number.
#[inline(always)]
pub fn fill_numbers<T: ArrowPrimitiveType>(builder: &mut PrimitiveBuilder<T>, row: usize) {
    if builder.len() < row {
        builder.append_nulls(row - builder.len());
    }
}
