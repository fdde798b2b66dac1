//! What the manifest in force says of each loc, from a table in any order.

use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch, RecordBatchReader, StringArray};

use super::row::{Rendered, StoredRow};
use crate::value::lastmod;
use crate::write::columns::{numbers, text, texts};
use crate::write::error::TableError;
use crate::write::layout::NamespacesUsed;

/// What is known of a loc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownLoc<'k> {
    pub loc: &'k str,
    /// The number of its shard; None if the loc was gone already.
    pub shard: Option<u32>,
    pub entry_hash: u64,
    pub lastmod: Option<&'k str>,
    pub basis: Basis,
    /// In microseconds since the epoch; 0 if that is not known.
    pub first_seen: u64,
}

impl<'k> KnownLoc<'k> {
    /// Whether a publish can have written its lastmod.
    pub fn is_possible(&self) -> bool {
        self.lastmod.is_none_or(|text| lastmod::parse(text).is_ok())
    }

    /// Return it as a row that a store can hold and sort; None if no publish has written it. A row has no places of these
    /// names, so its hash is the index, the number of its shard the size, and its basis the namespaces.
    pub fn as_row(&self) -> Option<Rendered<'k>> {
        let lastmod = self.lastmod.unwrap_or_default();
        if self.lastmod.is_some() && lastmod.is_empty() {
            return None; // a row with an empty lastmod has none
        }
        Some(Rendered {
            row: self.entry_hash,
            lastmod,
            namespaces: NamespacesUsed(self.basis as u8),
            size: self.shard.map_or(0, |shard| shard as usize + 1),
            first_seen: self.first_seen,
            ..Rendered::of_loc(self.loc)
        })
    }

    /// Return what `as_row` has made a row of.
    pub fn of_row(row: StoredRow<'k>) -> KnownLoc<'k> {
        KnownLoc {
            loc: row.loc,
            shard: row.size.checked_sub(1),
            entry_hash: row.row,
            lastmod: row.lastmod,
            basis: Basis::of(row.namespaces.0),
            first_seen: row.first_seen,
        }
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

impl Basis {
    /// The basis of a number in a table.
    fn of(number: u8) -> Basis {
        match number {
            0 => Basis::Nothing,
            1 => Basis::Column,
            _ => Basis::Other,
        }
    }
}

/// Reads known locs: columns loc, lastmod VARCHAR, number UINTEGER, entry_hash, first_seen UBIGINT, basis UTINYINT.
#[derive(Debug)]
pub struct KnownLocs<R> {
    reader: R,
    columns: Option<KnownColumns>,
    at: usize,
}

#[derive(Debug)]
struct KnownColumns {
    loc: StringArray,
    shard: PrimitiveArray<UInt32Type>,
    entry_hash: PrimitiveArray<UInt64Type>,
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
            self.columns = Some(KnownColumns::of(&batch?)?);
            self.at = 0;
        }
        self.at += 1;
        Ok(self.columns.as_ref().map(|columns| columns.get(self.at - 1)))
    }
}

impl KnownColumns {
    fn of(batch: &RecordBatch) -> Result<KnownColumns, TableError> {
        Ok(KnownColumns {
            loc: texts(batch, "loc")?,
            shard: numbers(batch, "number")?,
            entry_hash: numbers(batch, "entry_hash")?,
            lastmod: texts(batch, "lastmod")?,
            basis: numbers(batch, "basis")?,
            first_seen: numbers(batch, "first_seen")?,
        })
    }

    fn get(&self, at: usize) -> KnownLoc<'_> {
        KnownLoc {
            loc: self.loc.value(at),
            shard: self.shard.is_valid(at).then(|| self.shard.value(at)),
            entry_hash: self.entry_hash.value(at),
            lastmod: text(&self.lastmod, at),
            basis: Basis::of(self.basis.value(at)),
            first_seen: self.first_seen.value(at),
        }
    }
}
