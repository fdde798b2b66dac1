//! Rows as bytes, and as what decides whether they are looked at again. Of each loc, only what differs from the loc before
//! it is written.
//!
//! They are read by the process that wrote them, so their form has no version.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Float64Array, Int64Array, PrimitiveArray, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType};
use siphasher::sip128::SipHasher13;

use super::record::Said;
use crate::compact::{push_number, shared};
use crate::value::{identity, repair};

/// Rows of a group, whose first loc is written whole, so that reading may begin there.
pub const GROUP: u32 = 64;
/// Rows that are kept together: few enough for the nearest memory.
const MAX_ROWS: usize = if cfg!(test) { 200 } else { 8_192 };
/// Bytes after which no more rows are kept together: rows may be as long as their locs are.
const MAX_BYTES: usize = if cfg!(test) { 8 << 10 } else { 8 << 20 };
/// The lastmod of a row that has none. It is far outside the years that are valid.
pub const NO_LASTMOD: i64 = i64::MIN;

/// Rows as bytes, and what each of them says.
#[derive(Debug, Default)]
pub struct Encoded {
    pub(super) bytes: Vec<u8>,
    /// Where each group begins.
    pub(super) groups: Vec<u32>,
    pub(super) said: Vec<Said>,
}

impl Encoded {
    /// Whether it has as many rows, or as many bytes, as are kept together.
    pub fn is_full(&self) -> bool {
        self.said.len() >= MAX_ROWS || self.bytes.len() >= MAX_BYTES
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Forget all rows, and keep the memory for others.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.groups.clear();
        self.said.clear();
    }
}

/// Turns rows into bytes and records. All rows that are compared with each other take one encoder.
///
/// The hash is SipHash with random keys: who does not know them cannot find texts that collide.
#[derive(Debug)]
pub struct RowEncoder {
    locs: SipHasher13,
    values: SipHasher13,
}

impl RowEncoder {
    /// An encoder with keys of its own.
    #[expect(clippy::new_without_default, reason = "two of them are never the same")]
    pub fn new() -> RowEncoder {
        let hasher = || {
            let [one, other] = std::array::from_fn(|_| RandomState::new().hash_one(0));
            SipHasher13::new_with_keys(one, other)
        };
        RowEncoder { locs: hasher(), values: hasher() }
    }

    /// Encode rows, from this one on, behind those that are there, and return the number of the row before which that is
    /// full, or else how many rows there are. Their first column is the loc, without which they are left out. Then comes
    /// their lastmod, see [`Lastmods`], and then texts and numbers.
    pub fn encode(&self, batch: &RecordBatch, from: usize, encoded: &mut Encoded) -> Result<usize, ArrowError> {
        let (locs, lastmods, values) = columns(batch)?;
        let mut before: &[u8] = &[];
        for row in from..batch.num_rows() {
            if encoded.is_full() {
                return Ok(row);
            }
            if locs.is_null(row) {
                continue;
            }
            if encoded.said.len().is_multiple_of(GROUP as usize) {
                encoded.groups.push(encoded.bytes.len() as u32);
                before = &[];
            }
            let loc = locs.value(row);
            push_loc(before, loc.as_bytes(), &mut encoded.bytes);
            before = loc.as_bytes();
            let said = self.push_values(loc, lastmods.get(row), row, &values, &mut encoded.bytes);
            encoded.said.push(said);
        }
        Ok(batch.num_rows())
    }

    fn push_values(
        &self,
        loc: &str,
        (lastmod, raw): (Option<i64>, Option<&str>),
        row: usize,
        values: &[Column<'_>],
        bytes: &mut Vec<u8>,
    ) -> Said {
        let start = bytes.len();
        push_eight(lastmod.map(i64::to_le_bytes), bytes);
        push_text(raw, bytes);
        for column in values {
            column.push(row, bytes);
        }
        let loc = identity::normalized(loc).unwrap_or(Cow::Borrowed(loc));
        let loc = self.locs.hash(loc.as_bytes()).as_u64();
        let is_plain = raw.is_none() && values.iter().all(|column| column.is_null(row));
        let values = match lastmod {
            lastmod if is_plain => lastmod.unwrap_or(NO_LASTMOD) as u64,
            _ => self.values.hash(&bytes[start..]).as_u64().0,
        };
        Said { loc: [loc.0, loc.1], values, is_plain }
    }
}

/// Take a table apart: its locs, its lastmods, and what else rows say.
fn columns(batch: &RecordBatch) -> Result<(&StringArray, Lastmods<'_>, Vec<Column<'_>>), ArrowError> {
    let shape = || ArrowError::SchemaError("rows that are compared have a loc and a lastmod".into());
    let [loc, lastmod, more @ ..] = batch.columns() else { return Err(shape()) };
    let locs = loc.as_string_opt().ok_or_else(shape)?;
    if let Some(texts) = lastmod.as_string_opt() {
        return Ok((locs, Lastmods::Texts(texts), more.iter().map(Column::of).collect::<Result<_, _>>()?));
    }
    let Some((raw, more)) = more.split_first() else { return Err(shape()) };
    let raw = raw.as_string_opt().ok_or_else(shape)?;
    let lastmods = match lastmod.data_type() {
        DataType::Int64 => Lastmods::Known(lastmod.as_primitive(), raw),
        DataType::Timestamp(..) => Lastmods::Read(lastmod.as_primitive_opt().ok_or_else(shape)?, raw),
        _ => return Err(shape()),
    };
    Ok((locs, lastmods, more.iter().map(Column::of).collect::<Result<_, _>>()?))
}

/// The lastmods of rows. Two are the same if they name the same moment with the same precision, or have the same text if
/// they name none. So they are compared by four times their microseconds plus their precision: year, month, day, instant.
enum Lastmods<'a> {
    /// As they are compared: the number, or the text of a lastmod that names no moment.
    Known(&'a Int64Array, &'a StringArray),
    /// As entries have them: the moment, and the text in any case.
    Read(&'a TimestampMicrosecondArray, &'a StringArray),
    /// As manifests have them: the text alone.
    Texts(&'a StringArray),
}

impl Lastmods<'_> {
    #[inline]
    fn get(&self, row: usize) -> (Option<i64>, Option<&str>) {
        let (moment, text) = match self {
            Lastmods::Known(numbers, raw) => return (value(*numbers, row), text(raw, row)),
            Lastmods::Read(moments, raw) => (value(*moments, row), text(raw, row)),
            Lastmods::Texts(texts) => {
                let text = text(texts, row);
                (text.and_then(repair::instant), text)
            }
        };
        match moment {
            None => (None, text),
            Some(moment) => (Some(moment * 4 + precision(text)), None),
        }
    }
}

/// How precise a valid lastmod is, by its characters, as `urlset._diff.sql` has it.
fn precision(text: Option<&str>) -> i64 {
    match text.map(|text| if text.is_ascii() { text.len() } else { text.chars().count() }) {
        Some(4) => 0,
        Some(7) => 1,
        Some(10) => 2,
        _ => 3,
    }
}

fn text(texts: &StringArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row))
}

fn value<T: ArrowPrimitiveType>(values: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    values.is_valid(row).then(|| values.value(row))
}

/// Write a loc: how many bytes are those of the loc before, and the others.
fn push_loc(before: &[u8], loc: &[u8], bytes: &mut Vec<u8>) {
    let shared = shared(before, loc);
    push_number(shared as u64, bytes);
    push_number((loc.len() - shared) as u64, bytes);
    bytes.extend_from_slice(&loc[shared..]);
}

/// The values of a column behind the lastmod.
enum Column<'a> {
    Text(&'a StringArray),
    Unsigned(&'a UInt64Array),
    Float(&'a Float64Array),
}

impl<'a> Column<'a> {
    fn of(array: &'a ArrayRef) -> Result<Column<'a>, ArrowError> {
        Ok(match array.data_type() {
            DataType::Utf8 => Column::Text(array.as_string()),
            DataType::UInt64 => Column::Unsigned(array.as_primitive::<UInt64Type>()),
            DataType::Float64 => Column::Float(array.as_primitive::<Float64Type>()),
            other => return Err(unknown(other)),
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Column::Text(texts) => texts.is_null(row),
            Column::Unsigned(numbers) => numbers.is_null(row),
            Column::Float(numbers) => numbers.is_null(row),
        }
    }

    fn push(&self, row: usize, bytes: &mut Vec<u8>) {
        match self {
            Column::Text(texts) => push_text(text(texts, row), bytes),
            Column::Unsigned(numbers) => push_eight(value(*numbers, row).map(u64::to_le_bytes), bytes),
            Column::Float(numbers) => push_eight(value(*numbers, row).map(f64::to_le_bytes), bytes),
        }
    }
}

pub fn unknown(kind: &DataType) -> ArrowError {
    ArrowError::SchemaError(format!("rows cannot be compared by a column of {kind}"))
}

/// Write a number: a one and its eight bytes, or a zero if it is absent.
fn push_eight(number: Option<[u8; 8]>, bytes: &mut Vec<u8>) {
    bytes.push(u8::from(number.is_some()));
    bytes.extend_from_slice(number.as_ref().map_or(&[], |number| number.as_slice()));
}

/// Write a text: its length plus one and its bytes, or a zero if it is absent.
fn push_text(text: Option<&str>, bytes: &mut Vec<u8>) {
    push_number(text.map_or(0, |text| text.len() as u64 + 1), bytes);
    bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
}
