//! Rows as bytes, and back. Of each loc, only what differs from the loc before it is written.
//!
//! They are read by the process that wrote them, so their form has no version.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, SchemaRef};

/// Rows as bytes, and the hashes of each: of its loc, and of its other values.
#[derive(Debug)]
pub struct Encoded {
    pub(super) bytes: Vec<u8>,
    pub(super) hashes: Vec<([u64; 2], u64)>,
}

/// Turns rows into bytes and hashes. All rows that are compared with each other take one encoder.
///
/// The hash is SipHash with random keys: who does not know them cannot find texts that collide.
#[derive(Debug)]
pub struct Encoder {
    keys: [RandomState; 3],
}

impl Encoder {
    /// An encoder with keys of its own.
    #[expect(clippy::new_without_default, reason = "two of them are never the same")]
    pub fn new() -> Encoder {
        Encoder { keys: std::array::from_fn(|_| RandomState::new()) }
    }

    /// Encode rows. Their first column is the loc, which no row is without; the others are of texts and numbers.
    pub fn encode(&self, batch: &RecordBatch) -> Result<Encoded, ArrowError> {
        let columns = batch.columns().iter().map(Column::of).collect::<Result<Vec<_>, _>>()?;
        let Some((Column::Text(locs), values)) = columns.split_first() else {
            return Err(ArrowError::SchemaError("the first column must be the loc".into()));
        };
        let rows = batch.num_rows();
        let (mut bytes, mut hashes) = (Vec::with_capacity(rows * 48), Vec::with_capacity(rows));
        let mut before: &[u8] = &[];
        for row in 0..rows {
            let loc = locs.value(row).as_bytes();
            let shared = shared(before, loc);
            push_number(shared as u64, &mut bytes);
            push_text(&loc[shared..], &mut bytes);
            before = loc;
            let start = bytes.len();
            for column in values {
                column.push(row, &mut bytes);
            }
            let loc = [self.hash(0, loc), self.hash(1, loc)];
            hashes.push((loc, self.hash(2, &bytes[start..])));
        }
        Ok(Encoded { bytes, hashes })
    }

    fn hash(&self, key: usize, bytes: &[u8]) -> u64 {
        let mut hasher = self.keys[key].build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}

/// Return how many bytes two texts begin with alike.
fn shared(one: &[u8], other: &[u8]) -> usize {
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let whole = 8 * words.take_while(|(one, other)| one == other).count();
    whole + one[whole..].iter().zip(&other[whole..]).take_while(|(one, other)| one == other).count()
}

/// The values of a column.
enum Column<'a> {
    Text(&'a StringArray),
    Signed(&'a Int64Array),
    Unsigned(&'a UInt64Array),
    Float(&'a Float64Array),
}

impl<'a> Column<'a> {
    fn of(array: &'a ArrayRef) -> Result<Column<'a>, ArrowError> {
        Ok(match array.data_type() {
            DataType::Utf8 => Column::Text(array.as_string()),
            DataType::Int64 => Column::Signed(array.as_primitive::<Int64Type>()),
            DataType::UInt64 => Column::Unsigned(array.as_primitive::<UInt64Type>()),
            DataType::Float64 => Column::Float(array.as_primitive::<Float64Type>()),
            other => return Err(unknown(other)),
        })
    }

    /// Write a value: a zero for one that is absent; a one and eight bytes for a number; for a text, its length plus one.
    fn push(&self, row: usize, bytes: &mut Vec<u8>) {
        let number = match self {
            Column::Text(texts) if texts.is_valid(row) => {
                let text = texts.value(row).as_bytes();
                push_number(text.len() as u64 + 1, bytes);
                return bytes.extend_from_slice(text);
            }
            Column::Signed(numbers) if numbers.is_valid(row) => numbers.value(row).to_le_bytes(),
            Column::Unsigned(numbers) if numbers.is_valid(row) => numbers.value(row).to_le_bytes(),
            Column::Float(numbers) if numbers.is_valid(row) => numbers.value(row).to_le_bytes(),
            _ => return bytes.push(0),
        };
        bytes.push(1);
        bytes.extend_from_slice(&number);
    }
}

fn unknown(kind: &DataType) -> ArrowError {
    ArrowError::SchemaError(format!("rows cannot be compared by a column of {kind}"))
}

/// Decode the rows with these numbers, which are in order, from the bytes of all of them.
pub fn decode(bytes: &[u8], wanted: &[u32], schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let kinds = schema.fields().iter().map(|field| field.data_type());
    let mut builders = kinds.map(|kind| Builder::new(kind, wanted.len())).collect::<Result<Vec<_>, _>>()?;
    let (mut rest, mut loc, mut row) = (Bytes(bytes), Vec::new(), 0);
    for wanted in wanted {
        loop {
            loc.truncate(rest.number()? as usize);
            let length = rest.number()? as usize;
            loc.extend_from_slice(rest.take(length)?);
            let is_wanted = row == *wanted;
            row += 1;
            for builder in &mut builders[1..] {
                builder.read(&mut rest, is_wanted)?;
            }
            if is_wanted {
                builders[0].push_text(Some(&loc))?;
                break;
            }
        }
    }
    RecordBatch::try_new(schema.clone(), builders.into_iter().map(Builder::finish).collect())
}

/// A column that is decoded.
enum Builder {
    Text(StringBuilder),
    Signed(Int64Builder),
    Unsigned(UInt64Builder),
    Float(Float64Builder),
}

impl Builder {
    fn new(kind: &DataType, rows: usize) -> Result<Builder, ArrowError> {
        Ok(match kind {
            DataType::Utf8 => Builder::Text(StringBuilder::with_capacity(rows, 0)),
            DataType::Int64 => Builder::Signed(Int64Builder::with_capacity(rows)),
            DataType::UInt64 => Builder::Unsigned(UInt64Builder::with_capacity(rows)),
            DataType::Float64 => Builder::Float(Float64Builder::with_capacity(rows)),
            other => return Err(unknown(other)),
        })
    }

    /// Read a value, and keep it if it is wanted.
    fn read(&mut self, rest: &mut Bytes<'_>, is_wanted: bool) -> Result<(), ArrowError> {
        if let Builder::Text(_) = self {
            let length = rest.number()? as usize;
            let text = rest.take(length.saturating_sub(1))?;
            return if is_wanted { self.push_text(Some(text).filter(|_| length > 0)) } else { Ok(()) };
        }
        let number = match rest.take(1)? {
            [0] => None,
            _ => Some(*rest.take(8)?.first_chunk().ok_or_else(damaged)?),
        };
        if is_wanted {
            match self {
                Builder::Text(_) => {}
                Builder::Signed(numbers) => numbers.append_option(number.map(i64::from_le_bytes)),
                Builder::Unsigned(numbers) => numbers.append_option(number.map(u64::from_le_bytes)),
                Builder::Float(numbers) => numbers.append_option(number.map(f64::from_le_bytes)),
            }
        }
        Ok(())
    }

    fn push_text(&mut self, text: Option<&[u8]>) -> Result<(), ArrowError> {
        if let Builder::Text(texts) = self {
            let text = text.map(simdutf8::basic::from_utf8).transpose().map_err(|_| damaged())?;
            texts.append_option(text);
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Builder::Text(mut texts) => Arc::new(texts.finish()),
            Builder::Signed(mut numbers) => Arc::new(numbers.finish()),
            Builder::Unsigned(mut numbers) => Arc::new(numbers.finish()),
            Builder::Float(mut numbers) => Arc::new(numbers.finish()),
        }
    }
}

fn damaged() -> ArrowError {
    ArrowError::ExternalError("rows that were written cannot be read".into())
}

fn push_text(text: &[u8], bytes: &mut Vec<u8>) {
    push_number(text.len() as u64, bytes);
    bytes.extend_from_slice(text);
}

/// Write a number, seven bits in a byte, the lowest first. The eighth bit says that more follow.
fn push_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// What was not read yet.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn number(&mut self) -> Result<u64, ArrowError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = *self.take(1)? else { break };
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], ArrowError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }
}
