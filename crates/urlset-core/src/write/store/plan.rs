//! The plan and the documents of a set of which nothing was known before: its rows, in their order, fill one shard after
//! the other.

use std::io::Read;
use std::vec;

use super::facts::Facts;
use super::row::StoredRow;
use super::sorted::SortedRows;
use crate::write::assemble::{Assembler, AssignedRow, ShardDocument};
use crate::write::error::TableError;
use crate::write::layout::Layout;
use crate::write::pack::ShardPacker;

/// What a shard will hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewShard {
    pub rows: u64,
    /// Bytes of its entries.
    pub bytes: u64,
}

/// What is known of a set before any document is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub shards: Vec<NewShard>,
    /// How many rows have a lastmod.
    pub dated: u64,
    /// The latest lastmod, in microseconds since the epoch.
    pub latest: Option<i64>,
    /// How many lastmods are later than the moment that was asked about, and the first loc of these.
    pub later: u64,
    pub example: Option<String>,
    /// A lastmod that more than half of the rows may have, and how many do.
    pub commonest: Option<(String, u64)>,
}

/// Whether a loc is repeated.
pub fn has_repeated_loc<R: Read>(mut rows: SortedRows<R>) -> Result<bool, TableError> {
    let mut before = String::new();
    while let Some(row) = rows.next_row()? {
        if row.loc == before {
            return Ok(true);
        }
        row.loc.clone_into(&mut before);
    }
    Ok(false)
}

/// Plan the set of these rows. `later` is a moment in microseconds since the epoch. Returns None if a loc is repeated.
pub fn plan<R: Read>(
    mut rows: SortedRows<R>,
    facts: &Facts,
    most_entries: u64,
    layout: &Layout,
    later: i64,
) -> Result<Option<Plan>, TableError> {
    let mut packer = ShardPacker::new(most_entries, layout);
    let mut plan = Plan { commonest: facts.commonest_lastmod().map(|text| (text.to_owned(), 0)), ..Plan::default() };
    let mut before = String::new();
    while let Some(row) = rows.next_row()? {
        if row.loc == before {
            return Ok(None);
        }
        row.loc.clone_into(&mut before);
        plan.add(&row, &mut packer, layout, later);
    }
    Ok(Some(plan))
}

impl Plan {
    fn add(&mut self, row: &StoredRow<'_>, packer: &mut ShardPacker, layout: &Layout, later: i64) {
        let size = u64::from(row.size) + row.lastmod.map_or(0, |text| layout.lastmod_size(text));
        if packer.push(size, row.namespaces) || self.shards.is_empty() {
            self.shards.push(NewShard::default());
        }
        if let Some(shard) = self.shards.last_mut() {
            shard.rows += 1;
            shard.bytes += size;
        }
        let Some(lastmod) = row.lastmod else { return };
        self.dated += 1;
        if let Some((commonest, count)) = &mut self.commonest {
            *count += u64::from(commonest == lastmod);
        }
        let instant = row.instant();
        self.latest = self.latest.max(instant);
        if instant > Some(later) {
            self.later += 1;
            self.example.get_or_insert_with(|| row.loc.to_owned());
        }
    }
}

/// Puts the documents of a planned set together.
#[derive(Debug)]
pub struct PlannedDocuments<R> {
    rows: SortedRows<R>,
    shards: std::iter::Enumerate<vec::IntoIter<u64>>,
    assembler: Assembler,
}

impl<R: Read> PlannedDocuments<R> {
    /// `shards` are the numbers of rows of the shards.
    pub fn new(rows: SortedRows<R>, shards: Vec<u64>, layout: Layout) -> PlannedDocuments<R> {
        PlannedDocuments { rows, shards: shards.into_iter().enumerate(), assembler: Assembler::new(layout) }
    }

    /// Return the next document; None at the end.
    pub fn next_document(&mut self) -> Result<Option<ShardDocument>, TableError> {
        let Some((shard, rows)) = self.shards.next() else { return Ok(None) };
        for _ in 0..rows {
            let Some(row) = self.rows.next_row()? else { break };
            self.assembler.push(AssignedRow {
                loc: row.loc,
                lastmod: row.lastmod,
                after_lastmod: row.after_lastmod,
                links: None,
                news: row.news,
                namespaces: row.namespaces,
            });
        }
        Ok(self.assembler.finish().map(|document| ShardDocument { shard: shard as u32, document }))
    }
}
