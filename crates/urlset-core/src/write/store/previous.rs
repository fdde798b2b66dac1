//! What the manifest in force says of each loc, from a table in any order.

use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch, RecordBatchReader, StringArray};

use super::row::{Record, RowKind, Texts, push_texts};
use crate::compact::{push_number, take_number};
use crate::value::lastmod;
use crate::write::columns::{numbers, text, texts};
use crate::write::error::TableError;

/// The kind of rows that say what is known of a loc.
#[derive(Debug, Clone, Copy)]
pub struct Previous;

/// What is known of a loc from the last publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreviousLoc<'p> {
    pub loc: &'p str,
    /// The number of its shard; None if the loc was gone already.
    pub shard: Option<u32>,
    pub entry_hash: u64,
    pub lastmod: Option<&'p str>,
    pub lastmod_source: LastmodSource,
    /// In microseconds since the epoch; 0 if that is not known.
    pub first_seen: u64,
}

impl PreviousLoc<'_> {
    /// Whether a publish can have written its lastmod.
    pub fn is_possible(&self) -> bool {
        self.lastmod.is_none_or(|text| lastmod::parse(text).is_ok())
    }
}

/// Where a lastmod comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastmodSource {
    /// There is no lastmod.
    Nothing,
    /// It was given with the row.
    Column,
    /// Something else, which such rows as are compared here do not have.
    Other,
}

impl LastmodSource {
    /// The source of a number in a table.
    fn of(number: u8) -> LastmodSource {
        match number {
            0 => LastmodSource::Nothing,
            1 => LastmodSource::Column,
            _ => LastmodSource::Other,
        }
    }
}

impl RowKind for Previous {
    type Row<'r> = PreviousLoc<'r>;
    type Facts = ();

    /// They are compared loc by loc, whatever their shards are.
    fn key<'a>(row: &'a PreviousLoc<'_>) -> (u32, &'a str) {
        (0, row.loc)
    }

    /// The number of the shard plus one, or a zero, the source of the lastmod, when the loc was first seen, the hash, and the
    /// lastmod.
    fn write(row: &PreviousLoc<'_>, out: &mut Vec<u8>) {
        let shard = row.shard.map_or(0, |shard| u64::from(shard) + 1);
        for number in [shard, row.lastmod_source as u64, row.first_seen, row.entry_hash] {
            push_number(number, out);
        }
        push_texts([row.lastmod].into_iter(), out);
    }

    fn read(record: Record<'_>) -> Option<PreviousLoc<'_>> {
        let Record { loc, mut rest, .. } = record;
        Some(PreviousLoc {
            loc: simdutf8::basic::from_utf8(loc).ok()?,
            shard: take_number(&mut rest)?.checked_sub(1).map(u32::try_from).transpose().ok()?,
            lastmod_source: LastmodSource::of(take_number(&mut rest)?.try_into().ok()?),
            first_seen: take_number(&mut rest)?,
            entry_hash: take_number(&mut rest)?,
            lastmod: Texts::read(rest)?.take(),
        })
    }

    fn count(_row: &PreviousLoc<'_>, _bytes: usize, _facts: &mut ()) {}
}

/// Reads previous locs: columns loc, lastmod VARCHAR, number UINTEGER, entry_hash, first_seen UBIGINT, lastmod_source UTINYINT.
#[derive(Debug)]
pub struct PreviousLocs<R> {
    reader: R,
    columns: Option<PreviousColumns>,
    at: usize,
}

#[derive(Debug)]
struct PreviousColumns {
    loc: StringArray,
    shard: PrimitiveArray<UInt32Type>,
    entry_hash: PrimitiveArray<UInt64Type>,
    lastmod: StringArray,
    lastmod_source: PrimitiveArray<UInt8Type>,
    first_seen: PrimitiveArray<UInt64Type>,
}

impl<R: RecordBatchReader> PreviousLocs<R> {
    pub fn new(reader: R) -> PreviousLocs<R> {
        PreviousLocs { reader, columns: None, at: 0 }
    }

    /// Return what is known of the next loc; None at the end.
    pub fn next_loc(&mut self) -> Result<Option<PreviousLoc<'_>>, TableError> {
        while self.columns.as_ref().is_none_or(|columns| self.at == columns.loc.len()) {
            let Some(batch) = self.reader.next() else { return Ok(None) };
            self.columns = Some(PreviousColumns::of(&batch?)?);
            self.at = 0;
        }
        self.at += 1;
        Ok(self.columns.as_ref().map(|columns| columns.get(self.at - 1)))
    }
}

impl PreviousColumns {
    fn of(batch: &RecordBatch) -> Result<PreviousColumns, TableError> {
        Ok(PreviousColumns {
            loc: texts(batch, "loc")?,
            shard: numbers(batch, "number")?,
            entry_hash: numbers(batch, "entry_hash")?,
            lastmod: texts(batch, "lastmod")?,
            lastmod_source: numbers(batch, "lastmod_source")?,
            first_seen: numbers(batch, "first_seen")?,
        })
    }

    fn get(&self, at: usize) -> PreviousLoc<'_> {
        PreviousLoc {
            loc: self.loc.value(at),
            shard: self.shard.is_valid(at).then(|| self.shard.value(at)),
            entry_hash: self.entry_hash.value(at),
            lastmod: text(&self.lastmod, at),
            lastmod_source: LastmodSource::of(self.lastmod_source.value(at)),
            first_seen: self.first_seen.value(at),
        }
    }
}
