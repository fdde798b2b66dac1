//! What the manifest in force says of each loc, from a table in the order of the locs.

use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch, RecordBatchReader, StringArray};

use crate::value::lastmod;
use crate::write::columns::{numbers, text, texts};
use crate::write::error::TableError;

/// What is known of a loc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownLoc<'k> {
    pub loc: &'k str,
    /// The number of its shard; None if the loc was gone already.
    pub shard: Option<u32>,
    pub content_hash: u64,
    pub lastmod: Option<&'k str>,
    pub basis: Basis,
    /// In microseconds since the epoch; 0 if that is not known.
    pub first_seen: u64,
}

impl KnownLoc<'_> {
    /// Whether a publish can have written its lastmod.
    pub fn is_possible(&self) -> bool {
        self.lastmod.is_none_or(|text| lastmod::parse(text).is_ok())
    }
}

/// What a known lastmod rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// It has no lastmod.
    Nothing,
    /// It was given with the row.
    Column,
    /// Something else, which such rows as are compared here do not have.
    Other,
}

/// Reads known locs: columns loc, lastmod VARCHAR, number UINTEGER, content_hash, first_seen UBIGINT, basis UTINYINT.
#[derive(Debug)]
pub struct KnownLocs<R> {
    reader: R,
    columns: Option<Columns>,
    at: usize,
}

#[derive(Debug)]
struct Columns {
    loc: StringArray,
    shard: PrimitiveArray<UInt32Type>,
    content_hash: PrimitiveArray<UInt64Type>,
    lastmod: StringArray,
    basis: PrimitiveArray<UInt8Type>,
    first_seen: PrimitiveArray<UInt64Type>,
}

impl<R: RecordBatchReader> KnownLocs<R> {
    pub fn new(reader: R) -> KnownLocs<R> {
        KnownLocs { reader, columns: None, at: 0 }
    }

    /// Return what is known of the next loc; None at the end.
    pub fn next_loc(&mut self) -> Result<Option<KnownLoc<'_>>, TableError> {
        while self.columns.as_ref().is_none_or(|columns| self.at == columns.loc.len()) {
            let Some(batch) = self.reader.next() else { return Ok(None) };
            self.columns = Some(Columns::of(&batch?)?);
            self.at = 0;
        }
        self.at += 1;
        Ok(self.columns.as_ref().map(|columns| columns.get(self.at - 1)))
    }
}

impl Columns {
    fn of(batch: &RecordBatch) -> Result<Columns, TableError> {
        Ok(Columns {
            loc: texts(batch, "loc")?,
            shard: numbers(batch, "number")?,
            content_hash: numbers(batch, "content_hash")?,
            lastmod: texts(batch, "lastmod")?,
            basis: numbers(batch, "basis")?,
            first_seen: numbers(batch, "first_seen")?,
        })
    }

    fn get(&self, at: usize) -> KnownLoc<'_> {
        KnownLoc {
            loc: self.loc.value(at),
            shard: self.shard.is_valid(at).then(|| self.shard.value(at)),
            content_hash: self.content_hash.value(at),
            lastmod: text(&self.lastmod, at),
            basis: match self.basis.value(at) {
                0 => Basis::Nothing,
                1 => Basis::Column,
                _ => Basis::Other,
            },
            first_seen: self.first_seen.value(at),
        }
    }
}
