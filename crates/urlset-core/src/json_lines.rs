//! The rows of Arrow tables as JSON Lines: one object for each row, with the columns as its names.
//!
//! Numbers, texts, lists and structs are what JSON has for them, and what is absent is null. JSON has no times: they are
//! texts of RFC 3339 in UTC. It has no NaN and no infinities either, which become null (RFC 8259, section 6).
//!
//! What a terminal would obey is escaped, as the C0 controls have to be (RFC 8259, section 7): lines of JSON are looked
//! at on terminals too, and whoever parses them gets the same text.

use std::fmt::{Display, Write as _};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTimestampType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, OffsetSizeTrait, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema, TimeUnit};

use crate::value::w3c_date;

/// Appends the value of a row.
type Writer<'a> = Box<dyn Fn(usize, &mut String) + 'a>;

/// Append a line for each row of a batch.
///
/// # Errors
///
/// A column has a type that urlset does not write; the message names the column.
pub fn write(batch: &RecordBatch, out: &mut String) -> Result<(), ArrowError> {
    let row = object(batch.schema_ref(), batch.columns())?;
    for number in 0..batch.num_rows() {
        row(number, out);
        out.push('\n');
    }
    Ok(())
}

/// The writer of objects whose members are columns.
fn object<'a>(schema: &Schema, columns: &'a [arrow_array::ArrayRef]) -> Result<Writer<'a>, ArrowError> {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    members(names.zip(columns.iter().map(|column| &**column)))
}

fn members<'a, 'n>(members: impl Iterator<Item = (&'n str, &'a dyn Array)>) -> Result<Writer<'a>, ArrowError> {
    let mut before = '{';
    let members = members
        .map(|(name, column)| {
            // What stands before the value is the same in each row.
            let mut key = String::from(before);
            before = ',';
            push_text(name, &mut key);
            key.push(':');
            let value = writer(column).map_err(|error| match error {
                ArrowError::NotYetImplemented(what) => ArrowError::NotYetImplemented(format!("{name}: {what}")),
                other => other,
            })?;
            Ok((key, value))
        })
        .collect::<Result<Vec<_>, ArrowError>>()?;
    Ok(Box::new(move |row, out| {
        if members.is_empty() {
            out.push('{');
        }
        for (key, value) in &members {
            out.push_str(key);
            value(row, out);
        }
        out.push('}');
    }))
}

/// The writer of an array, whose absent values are null.
fn writer(array: &dyn Array) -> Result<Writer<'_>, ArrowError> {
    let value = present(array)?;
    Ok(match array.nulls() {
        Some(nulls) if nulls.null_count() > 0 => {
            Box::new(move |row, out| if nulls.is_null(row) { out.push_str("null") } else { value(row, out) })
        }
        _ => value,
    })
}

/// The writer of values that are not absent.
fn present(array: &dyn Array) -> Result<Writer<'_>, ArrowError> {
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, out| out.push_str("null")),
        DataType::Boolean => {
            let values = array.as_boolean();
            Box::new(|row, out| out.push_str(if values.value(row) { "true" } else { "false" }))
        }
        DataType::Int8 => integers::<Int8Type>(array),
        DataType::Int16 => integers::<Int16Type>(array),
        DataType::Int32 => integers::<Int32Type>(array),
        DataType::Int64 => integers::<Int64Type>(array),
        DataType::UInt8 => integers::<UInt8Type>(array),
        DataType::UInt16 => integers::<UInt16Type>(array),
        DataType::UInt32 => integers::<UInt32Type>(array),
        DataType::UInt64 => integers::<UInt64Type>(array),
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>().values();
            Box::new(|row, out| push_float(f64::from(values[row]), out))
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values();
            Box::new(|row, out| push_float(values[row], out))
        }
        DataType::Utf8 => texts::<i32>(array),
        DataType::LargeUtf8 => texts::<i64>(array),
        DataType::Utf8View => {
            let values = array.as_string_view();
            Box::new(|row, out| push_text(values.value(row), out))
        }
        DataType::Timestamp(TimeUnit::Second, _) => instants::<TimestampSecondType>(array, 1_000_000, 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => instants::<TimestampMillisecondType>(array, 1_000, 1),
        DataType::Timestamp(TimeUnit::Microsecond, _) => instants::<TimestampMicrosecondType>(array, 1, 1),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => instants::<TimestampNanosecondType>(array, 1, 1_000),
        DataType::List(_) => lists::<i32>(array)?,
        DataType::LargeList(_) => lists::<i64>(array)?,
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            members(fields.iter().map(|field| field.name().as_str()).zip(columns.iter().map(|column| &**column)))?
        }
        DataType::Dictionary(_, _) => words(array)?,
        other => return Err(ArrowError::NotYetImplemented(format!("{other} has no form in JSON"))),
    })
}

fn integers<T: ArrowPrimitiveType<Native: Display>>(array: &dyn Array) -> Writer<'_> {
    let values = array.as_primitive::<T>().values();
    // Writing to a String cannot fail.
    Box::new(|row, out| {
        let _ = write!(out, "{}", values[row]);
    })
}

fn texts<O: OffsetSizeTrait>(array: &dyn Array) -> Writer<'_> {
    let values = array.as_string::<O>();
    Box::new(|row, out| push_text(values.value(row), out))
}

/// The writer of times that are so many microseconds each, or so many to the microsecond.
fn instants<T: ArrowTimestampType>(array: &dyn Array, micros: i64, parts: i64) -> Writer<'_> {
    let values = array.as_primitive::<T>().values();
    Box::new(move |row, out| {
        out.push('"');
        let begin = out.len();
        w3c_date::format(values[row].saturating_mul(micros).div_euclid(parts), out);
        if out[begin..].contains('.') {
            out.truncate(out.trim_end_matches(['0', 'Z']).len());
            out.push('Z');
        }
        out.push('"');
    })
}

fn lists<O: OffsetSizeTrait>(array: &dyn Array) -> Result<Writer<'_>, ArrowError> {
    let lists = array.as_list::<O>();
    let (offsets, item) = (lists.value_offsets(), writer(lists.values())?);
    Ok(Box::new(move |row, out| {
        out.push('[');
        let (begin, end) = (offsets[row].as_usize(), offsets[row + 1].as_usize());
        for at in begin..end {
            if at > begin {
                out.push(',');
            }
            item(at, out);
        }
        out.push(']');
    }))
}

/// The writer of values of which there are few: each is written once, and copied into its rows.
fn words(array: &dyn Array) -> Result<Writer<'_>, ArrowError> {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() {
        return Ok(Box::new(|_, out| out.push_str("null")));
    }
    let value = writer(dictionary.values())?;
    let written: Vec<String> = (0..dictionary.values().len())
        .map(|at| {
            let mut text = String::new();
            value(at, &mut text);
            text
        })
        .collect();
    let keys = dictionary.normalized_keys();
    Ok(Box::new(move |row, out| out.push_str(&written[keys[row]])))
}

/// Append a number in the fewest digits that read back as it.
fn push_float(value: f64, out: &mut String) {
    if value.is_finite() {
        // Writing to a String cannot fail.
        let _ = write!(out, "{value:?}");
    } else {
        out.push_str("null");
    }
}

/// Append a text in quotes.
fn push_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(may_need_escape) {
        let mut characters = rest[at..].chars();
        out.push_str(&rest[..at]);
        match characters.next() {
            Some(found @ ('"' | '\\')) => out.extend(['\\', found]),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(found) if found.is_control() || turns_text(found) => {
                let _ = write!(out, "\\u{:04x}", u32::from(found));
            }
            Some(found) => out.push(found),
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Whether a character that begins with this byte may have to be escaped.
fn may_need_escape(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\' | 0x7f | 0xc2 | 0xd8 | 0xe2)
}

/// Whether a character ends lines, or changes the direction of what follows. Source: Unicode Standard Annex 9, table 4.
fn turns_text(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
