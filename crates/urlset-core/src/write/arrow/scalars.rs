//! Columns of dates and priorities, which may be text or typed.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{Array, ArrayRef, Date32Array, Float64Array, Int64Array, StringArray};
use arrow_schema::{DataType, TimeUnit};

use super::cast::{cast_to, strings, text};
use crate::write::error::TableError;
use crate::write::row::{Lastmod, Priority};

/// The column of lastmods.
#[derive(Debug)]
pub enum Times {
    Text(StringArray),
    Instant { counts: Int64Array, unit: TimeUnit, is_local: bool },
    Day(Date32Array),
}

impl Times {
    pub fn new(column: &ArrayRef) -> Result<Self, TableError> {
        match column.data_type() {
            DataType::Date32 | DataType::Date64 => {
                Ok(Times::Day(cast_to("lastmod", column, &DataType::Date32)?.as_primitive().clone()))
            }
            DataType::Timestamp(unit, zone) => {
                let counts = cast_to("lastmod", column, &DataType::Int64)?.as_primitive().clone();
                Ok(Times::Instant { counts, unit: *unit, is_local: zone.is_none() })
            }
            _ => strings("lastmod", column).map(Times::Text),
        }
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> Option<Lastmod<'_>> {
        match self {
            Times::Text(texts) => text(texts, at).map(Lastmod::Text),
            Times::Instant { counts, unit, is_local } => counts.is_valid(at).then(|| {
                let count = counts.value(at);
                // An instant outside every calendar is kept, and the entry that has it is refused.
                let micros = match unit {
                    TimeUnit::Second => count.saturating_mul(1_000_000),
                    TimeUnit::Millisecond => count.saturating_mul(1_000),
                    TimeUnit::Microsecond => count,
                    // Truncated towards the past, before 1970 too.
                    TimeUnit::Nanosecond => count.div_euclid(1_000),
                };
                if *is_local { Lastmod::Local(micros) } else { Lastmod::Instant(micros) }
            }),
            Times::Day(days) => days.is_valid(at).then(|| Lastmod::Day(days.value(at))),
        }
    }
}

/// Return the double nearest to the shortest decimal of a float, for which a text is reused.
fn as_decimal(float: f32, decimal: &mut String) -> f64 {
    decimal.clear();
    // Neither can fail: a text takes all that is written to it, and what a float prints as is a number.
    let _ = write!(decimal, "{float}");
    decimal.parse().unwrap_or(f64::NAN)
}

/// The column of priorities.
#[derive(Debug)]
pub enum Numbers {
    Text(StringArray),
    Number(Float64Array),
}

impl Numbers {
    pub fn new(column: &ArrayRef) -> Result<Self, TableError> {
        // A 32-bit float means the short decimal that it prints as, not its nearest double.
        if let Some(floats) = column.as_primitive_opt::<Float32Type>() {
            let mut decimal = String::new();
            let numbers: Float64Array = floats.iter().map(|float| Some(as_decimal(float?, &mut decimal))).collect();
            return Ok(Numbers::Number(numbers));
        }
        if column.data_type().is_numeric() {
            let column = match column.data_type() {
                DataType::Float16 => &cast_to("priority", column, &DataType::Utf8)?,
                _ => column,
            };
            let numbers = cast_to("priority", column, &DataType::Float64)?;
            return Ok(Numbers::Number(numbers.as_primitive().clone()));
        }
        strings("priority", column).map(Numbers::Text)
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> Option<Priority<'_>> {
        match self {
            Numbers::Text(texts) => text(texts, at).map(Priority::Text),
            Numbers::Number(numbers) => numbers.is_valid(at).then(|| Priority::Number(numbers.value(at))),
        }
    }
}
