//! What the manifest in force says of each loc, in any order.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use arrow_array::types::{TimestampMicrosecondType, UInt64Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch, RecordBatchReader, StringArray};

use super::manifest::COLUMN;
use super::row::{Record, RowKind, Texts, push_texts};
use crate::compact::{push_number, take_number};
use crate::value::lastmod;
use crate::write::columns::{numbers, text, texts};
use crate::write::error::TableError;

/// When a loc can have been seen first, in microseconds since the epoch: from 1971 to the year 9998.
const FIRST_SEEN: RangeInclusive<i64> = 31_536_000_000_000..=253_370_764_800_000_000;

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

/// The set that a manifest has to be of.
#[derive(Debug)]
pub struct PreviousSet {
    /// The section of all its rows.
    pub section: String,
    /// The names of its shards by their numbers.
    pub shards: Vec<String>,
}

/// Reads what a manifest says of its locs.
#[derive(Debug)]
pub struct PreviousLocs<R> {
    reader: R,
    set: PreviousSet,
    numbers: HashMap<String, u32>,
    /// The number of the shard of the last loc: the next loc is mostly in the same one.
    shard: u32,
    columns: Option<PreviousColumns>,
    at: usize,
}

#[derive(Debug)]
struct PreviousColumns {
    loc: StringArray,
    section: StringArray,
    shard: StringArray,
    entry_hash: PrimitiveArray<UInt64Type>,
    lastmod: StringArray,
    lastmod_source: StringArray,
    content: StringArray,
    first_seen: PrimitiveArray<TimestampMicrosecondType>,
    gone: PrimitiveArray<TimestampMicrosecondType>,
}

impl<R: RecordBatchReader> PreviousLocs<R> {
    /// Reads a table with the columns of a manifest.
    pub fn new(reader: R, set: PreviousSet) -> PreviousLocs<R> {
        let numbers = set.shards.iter().cloned().zip(0..).collect();
        PreviousLocs { reader, set, numbers, shard: 0, columns: None, at: 0 }
    }

    /// Return what is known of the next loc; None at the end. A row such as no publish writes is an error.
    pub fn next_loc(&mut self) -> Result<Option<PreviousLoc<'_>>, TableError> {
        while self.columns.as_ref().is_none_or(|columns| self.at == columns.loc.len()) {
            let Some(batch) = self.reader.next() else { return Ok(None) };
            self.columns = Some(PreviousColumns::of(&batch?)?);
            self.at = 0;
        }
        let Some(columns) = &self.columns else { return Ok(None) };
        let at = self.at;
        self.at += 1;
        let shard = text(&columns.shard, at).filter(|_| columns.gone.is_null(at));
        if let Some(name) =
            shard.filter(|name| self.set.shards.get(self.shard as usize).is_none_or(|last| last != name))
        {
            self.shard = *self.numbers.get(name).ok_or_else(not_of_a_manifest)?;
        }
        columns.get(at, shard.map(|_| self.shard), &self.set.section).map(Some).ok_or_else(not_of_a_manifest)
    }
}

fn not_of_a_manifest() -> TableError {
    TableError::Column("this is not a row of a manifest".to_owned())
}

impl PreviousColumns {
    fn of(batch: &RecordBatch) -> Result<PreviousColumns, TableError> {
        Ok(PreviousColumns {
            loc: texts(batch, "loc")?,
            section: texts(batch, "section")?,
            shard: texts(batch, "shard")?,
            entry_hash: numbers(batch, "entry_hash")?,
            lastmod: texts(batch, "lastmod")?,
            lastmod_source: texts(batch, "lastmod_source")?,
            content: texts(batch, "content")?,
            first_seen: numbers(batch, "first_seen")?,
            gone: numbers(batch, "gone")?,
        })
    }

    /// Return a row whose shard has that number; None if no publish has written it.
    fn get(&self, at: usize, shard: Option<u32>, section: &str) -> Option<PreviousLoc<'_>> {
        let loc = text(&self.loc, at)?;
        let is_url = loc.starts_with("https://") || loc.starts_with("http://");
        let is_of_section = text(&self.section, at) == Some(section);
        if !is_url || !is_of_section || self.entry_hash.is_null(at) || shard.is_some() == self.gone.is_valid(at) {
            return None;
        }
        let first_seen = self.first_seen.is_valid(at).then(|| self.first_seen.value(at));
        if first_seen.is_some_and(|moment| !FIRST_SEEN.contains(&moment)) {
            return None;
        }
        Some(PreviousLoc {
            loc,
            shard,
            entry_hash: self.entry_hash.value(at),
            lastmod: text(&self.lastmod, at),
            lastmod_source: match text(&self.lastmod_source, at) {
                _ if self.content.is_valid(at) => LastmodSource::Other,
                None => LastmodSource::Nothing,
                Some(COLUMN) => LastmodSource::Column,
                Some(_) => LastmodSource::Other,
            },
            first_seen: first_seen.map_or(0, i64::cast_unsigned),
        })
    }
}
