//! Filling shards with rows, the plan of a set of which nothing was known before, and the documents of a planned set.

use std::io::Read;
use std::vec;

use super::facts::Facts;
use super::lastmods::Lastmods;
use super::rendered::Rendered;
use super::rendered_row::RenderedRow;
use super::sorted::SortedRows;
use crate::write::assemble::{Assembler, AssignedRow, ShardDocument};
use crate::write::error::TableError;
use crate::write::layout::Layout;
use crate::write::pack::{ShardContent, ShardPacker};

/// What goes into a shard: how many rows, and the bytes of their entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FilledShard {
    pub number: u32,
    pub rows: u64,
    pub bytes: u64,
}

/// Fills shards with rows, one shard after the other.
#[derive(Debug)]
pub struct ShardFiller {
    packer: ShardPacker,
    next: u32,
    pub shards: Vec<FilledShard>,
}

impl ShardFiller {
    /// Begin with the shard in force that has this number and content, if there is one; new ones are numbered from `next`.
    pub fn new(begun: Option<(u32, ShardContent)>, next: u32, most_entries: u64, layout: &Layout) -> ShardFiller {
        let (mut packer, mut shards) = (ShardPacker::new(most_entries, layout), Vec::new());
        if let Some((number, content)) = begun {
            packer.begin(content);
            shards.push(FilledShard { number, ..FilledShard::default() });
        }
        ShardFiller { packer, next, shards }
    }

    /// Add a row. Returns the number of its shard.
    pub fn push(&mut self, row: &RenderedRow<'_>, layout: &Layout) -> u32 {
        let bytes = row.bytes(layout);
        let is_next = self.packer.push(bytes, row.namespaces);
        match self.shards.last_mut().filter(|_| !is_next) {
            Some(shard) => {
                shard.rows += 1;
                shard.bytes += bytes;
                shard.number
            }
            None => {
                let number = self.next;
                self.next += 1;
                self.shards.push(FilledShard { number, rows: 1, bytes });
                number
            }
        }
    }
}

/// What is known of a set before any document is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub shards: Vec<FilledShard>,
    pub lastmods: Lastmods,
}

/// Whether a loc is repeated.
pub fn has_repeated_loc<R: Read>(mut rows: SortedRows<R, Rendered>) -> Result<bool, TableError> {
    let mut before = String::new();
    while let Some(row) = rows.next_row()? {
        if row.loc == before {
            return Ok(true);
        }
        row.loc.clone_into(&mut before);
    }
    Ok(false)
}

/// Plan the set of these rows. `later` is a moment in microseconds since the epoch. Returns None if a loc is repeated, or may be,
/// written in another way.
pub fn plan<R: Read>(
    rows: &mut SortedRows<R, Rendered>,
    facts: &Facts,
    most_entries: u64,
    layout: &Layout,
    later: i64,
) -> Result<Option<Plan>, TableError> {
    if facts.has_unnormalized {
        return Ok(None);
    }
    let mut filler = ShardFiller::new(None, 0, most_entries, layout);
    let mut lastmods = Lastmods::new(facts);
    let mut before = String::new();
    while let Some(row) = rows.next_row()? {
        if row.loc == before {
            return Ok(None);
        }
        row.loc.clone_into(&mut before);
        filler.push(&row, layout);
        lastmods.add(&row, later);
    }
    Ok(Some(Plan { shards: filler.shards, lastmods }))
}

/// A shard of a planned set: its number, how many rows it has, and whether its document is made.
#[derive(Debug, Clone, Copy)]
pub struct PlannedShard {
    pub number: u32,
    pub rows: u64,
    pub is_wanted: bool,
}

/// Puts the documents of a planned set together.
#[derive(Debug)]
pub struct PlannedDocuments<R> {
    rows: SortedRows<R, Rendered>,
    shards: vec::IntoIter<PlannedShard>,
    assembler: Assembler,
}

impl<R: Read> PlannedDocuments<R> {
    /// The shards have to come in the order of the rows.
    pub fn new(rows: SortedRows<R, Rendered>, shards: Vec<PlannedShard>, layout: Layout) -> PlannedDocuments<R> {
        PlannedDocuments { rows, shards: shards.into_iter(), assembler: Assembler::new(layout) }
    }

    /// Return the next document that is wanted; None at the end.
    pub fn next_document(&mut self) -> Result<Option<ShardDocument>, TableError> {
        for shard in self.shards.by_ref() {
            for _ in 0..shard.rows {
                let Some(row) = self.rows.next_row()? else { break };
                if shard.is_wanted {
                    self.assembler.push(AssignedRow {
                        loc: row.loc,
                        lastmod: row.lastmod,
                        after_lastmod: row.after_lastmod,
                        links: None,
                        news: row.news,
                        namespaces: row.namespaces,
                    });
                }
            }
            if let Some(document) = self.assembler.finish(shard.number) {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }
}
