//! The rows of a set compared with what the last publish knew of its locs: both come in the order of their locs, and are
//! read side by side.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::io::{self, Read};

use super::facts::Facts;
use super::lastmods::Lastmods;
use super::plan::{FilledShard, ShardFiller};
use super::previous::{LastmodSource, Previous, PreviousLoc};
use super::rendered::Rendered;
use super::rendered_row::RenderedRow;
use super::sorted::SortedRows;
use crate::write::error::TableError;
use crate::write::fingerprint::hash;
use crate::write::layout::Layout;
use crate::write::pack::ShardContent;

/// Locs that are gone whose normal forms are remembered, by their hashes.
const MAX_FORMS: usize = 1 << 20;

/// What becomes of the rows of a shard in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeptShard {
    /// The rows that stay in it.
    pub content: ShardContent,
    /// How many of them say something else now.
    pub changed: u64,
    /// How many rows are gone.
    pub lost: u64,
}

/// What becomes of a loc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowChange {
    /// It stays in its shard.
    Kept,
    /// It has no shard yet.
    New,
    /// It is known, and not in the set any more.
    Gone,
}

/// How rows compare with what is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// The shards in force by their numbers.
    pub shards: Vec<KeptShard>,
    pub lastmods: Lastmods,
    /// Whether the next manifest says something else, although no entry shows it.
    pub manifest_differs: bool,
}

/// Compare all rows with what is known of the set in force, which has so many shards. `later` is a moment in microseconds
/// since the epoch.
///
/// `push` takes each row, with its shard if it stays there, and the loc of each row that is known and gone. Returns None if a
/// loc is there twice, or may be, written in another way, or if no publish has written what is known.
pub fn compare<R: Read>(
    mut rows: SortedRows<R, Rendered>,
    facts: &Facts,
    mut previous: SortedRows<R, Previous>,
    shards: usize,
    layout: &Layout,
    later: i64,
    mut push: impl FnMut(RowChange, &RenderedRow<'_>) -> io::Result<()>,
) -> Result<Option<Comparison>, TableError> {
    if facts.has_unnormalized {
        return Ok(None);
    }
    let shards = vec![KeptShard::default(); shards];
    let mut found = Comparison { shards, lastmods: Lastmods::new(facts), manifest_differs: false };
    let mut before = String::new();
    let (mut row, mut old) = (rows.next_row()?, previous.next_row()?);
    loop {
        let (order, loc) = match (&row, &old) {
            (None, None) => return Ok(Some(found)),
            (Some(row), None) => (Ordering::Less, row.loc),
            (None, Some(old)) => (Ordering::Greater, old.loc),
            (Some(row), Some(old)) => (row.loc.cmp(old.loc), row.loc.min(old.loc)),
        };
        if loc <= &*before {
            return Ok(None);
        }
        loc.clone_into(&mut before);
        let compared = match (row, old) {
            (Some(row), old) if order != Ordering::Greater => {
                found.lastmods.add(&row, later);
                found.add(row, old.filter(|_| order == Ordering::Equal), layout)
            }
            (_, Some(old)) => found.lose(old),
            _ => None,
        };
        let Some((change, rendered)) = compared else { return Ok(None) };
        push(change, &rendered)?;
        if order != Ordering::Greater {
            row = rows.next_row()?;
        }
        if order != Ordering::Less {
            old = previous.next_row()?;
        }
    }
}

impl Comparison {
    /// Add a row, and what is known of its loc.
    fn add<'r>(
        &mut self,
        row: RenderedRow<'r>,
        previous: Option<PreviousLoc<'_>>,
        layout: &Layout,
    ) -> Option<(RowChange, RenderedRow<'r>)> {
        let source = if row.lastmod.is_some() { LastmodSource::Column } else { LastmodSource::Nothing };
        self.manifest_differs |= previous.map_or(LastmodSource::Nothing, |previous| previous.lastmod_source) != source;
        let first_seen = previous.map_or(0, |previous| previous.first_seen);
        let row = RenderedRow { first_seen, ..row };
        let Some((previous, shard)) = previous.and_then(|previous| Some((previous, previous.shard?))) else {
            return Some((RowChange::New, row));
        };
        let kept = self.shards.get_mut(shard as usize)?;
        kept.content.add(row.bytes(layout), row.namespaces);
        if row.lastmod != previous.lastmod || row.entry_hash() != previous.entry_hash {
            kept.changed += 1;
            if !previous.is_possible() {
                return None;
            }
        }
        Some((RowChange::Kept, RenderedRow { shard, ..row }))
    }

    /// Add a loc that is known and not in the set any more.
    fn lose<'p>(&mut self, previous: PreviousLoc<'p>) -> Option<(RowChange, RenderedRow<'p>)> {
        if let Some(shard) = previous.shard {
            self.shards.get_mut(shard as usize)?.lost += 1;
        }
        previous.is_possible().then(|| (RowChange::Gone, RenderedRow::of_loc(previous.loc)))
    }
}

/// Whether a new row may be the page of a loc that is gone, written in another way. All new rows have to be in their normal
/// form.
pub fn may_be_respelled<R: Read>(
    mut gone: SortedRows<R, Rendered>,
    mut new: SortedRows<R, Rendered>,
) -> io::Result<bool> {
    let mut forms = HashSet::new();
    while let Some(row) = gone.next_row()? {
        if let Some(normal) = row.normal() {
            forms.insert(hash(&normal));
            if forms.len() > MAX_FORMS {
                return Ok(true);
            }
        }
    }
    while let Some(row) = new.next_row()? {
        if forms.contains(&hash(row.loc)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Fill shards with new rows: at first the shard in force with a number and a content, if there is one, and then new ones,
/// which are numbered from `next`. `push` takes each row with its shard.
pub fn fill<R: Read>(
    mut rows: SortedRows<R, Rendered>,
    begun: Option<(u32, ShardContent)>,
    next: u32,
    most_entries: u64,
    layout: &Layout,
    mut push: impl FnMut(&RenderedRow<'_>) -> io::Result<()>,
) -> Result<Vec<FilledShard>, TableError> {
    let mut filler = ShardFiller::new(begun, next, most_entries, layout);
    while let Some(row) = rows.next_row()? {
        let shard = filler.push(&row, layout);
        push(&RenderedRow { shard, ..row })?;
    }
    Ok(filler.shards)
}
