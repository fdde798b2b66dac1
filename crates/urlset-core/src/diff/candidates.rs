//! Rows that were written, as tables again: those that may tell of a difference.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::rows::{NO_LASTMOD, unknown};
use crate::compact::take_number;
use crate::value::identity;

/// Rows of a block, and which of them are candidates.
#[derive(Debug)]
pub struct Candidates {
    /// Groups of rows, as they were written.
    pub(super) bytes: Vec<u8>,
    /// The number of a row that begins a group, and where that is in the bytes, whenever rows before it are left out.
    pub(super) groups: Vec<(u32, usize)>,
    /// Numbers of rows, in order, with the lastmod of the new side.
    pub(super) wanted: Vec<(u32, u64)>,
}

impl Candidates {
    /// The candidates as a table of these columns, the first three of which are the loc, the lastmod and its text, and behind
    /// them the normal form of the loc: the table of [`keyed_schema`].
    pub fn decode(&self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let mut columns = self.columns(schema)?;
        let locs = columns[0].as_string::<i32>().iter();
        let normal = |loc: &'_ str| identity::normalized(loc).map_or_else(|| loc.to_owned(), Cow::into_owned);
        columns.push(Arc::new(StringArray::from_iter(locs.map(|loc| loc.map(normal)))));
        RecordBatch::try_new(keyed_schema(schema), columns)
    }

    fn columns(&self, schema: &SchemaRef) -> Result<Vec<ArrayRef>, ArrowError> {
        let kinds = schema.fields().iter().map(|field| field.data_type());
        let mut builders = kinds.map(|kind| Builder::new(kind, self.wanted.len())).collect::<Result<Vec<_>, _>>()?;
        self.read_into(&mut builders)?;
        Ok(builders.into_iter().map(Builder::finish).collect())
    }

    /// The candidates as a table of [`moved_schema`]. The schema is that of their own columns.
    pub fn decode_moved(&self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let [loc, old, ..] = &self.columns(schema)?[..] else { return Err(damaged()) };
        let lastmod = |number: u64| Some(number as i64).filter(|number| *number != NO_LASTMOD);
        let new = Int64Array::from_iter(self.wanted.iter().map(|(_, number)| lastmod(*number)));
        RecordBatch::try_new(moved_schema(), vec![loc.clone(), old.clone(), Arc::new(new)])
    }

    fn read_into(&self, builders: &mut [Builder]) -> Result<(), ArrowError> {
        let (mut rest, mut loc) = (Bytes(&[]), Vec::new());
        let (mut groups, mut row) = (self.groups.iter().peekable(), 0);
        for (wanted, _) in &self.wanted {
            while let Some((first, start)) = groups.next_if(|(first, _)| first <= wanted) {
                (row, rest) = (*first, Bytes(self.bytes.get(*start..).ok_or_else(damaged)?));
            }
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
        Ok(())
    }
}

/// These columns of rows, and behind them `key`, the normal form of their loc, by which the two sides are joined.
pub fn keyed_schema(schema: &SchemaRef) -> SchemaRef {
    let key = Arc::new(Field::new("key", DataType::Utf8, true));
    Arc::new(Schema::new(schema.fields().iter().cloned().chain([key]).collect::<Vec<_>>()))
}

/// The columns of rows of which the lastmod alone has moved.
pub fn moved_schema() -> SchemaRef {
    let field = |name: &str, kind| Field::new(name, kind, true);
    Arc::new(Schema::new(vec![
        field("loc", DataType::Utf8),
        field("old_lastmod", DataType::Int64),
        field("new_lastmod", DataType::Int64),
    ]))
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

/// What was not read yet.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn number(&mut self) -> Result<u64, ArrowError> {
        take_number(&mut self.0).ok_or_else(damaged)
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], ArrowError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }
}
