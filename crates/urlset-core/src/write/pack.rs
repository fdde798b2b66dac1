//! Where one shard of a set ends and the next one begins.

use std::collections::HashMap;

use arrow_array::RecordBatchReader;
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};

use super::columns::{TableRows, numbers};
use super::error::TableError;
use super::layout::{Layout, NamespacesUsed, footer, header};
use crate::limits::{BYTES_PER_DOCUMENT, NEWS_PER_DOCUMENT};
use crate::read::Kind;

/// What a shard holds: its entries, those with an article, their bytes, and the namespaces that they use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShardContent {
    pub entries: u64,
    pub articles: u64,
    pub bytes: u64,
    pub namespaces: NamespacesUsed,
}

impl ShardContent {
    /// Add an entry.
    pub fn add(&mut self, size: u64, namespaces: NamespacesUsed) {
        self.entries += 1;
        self.articles += u64::from(namespaces.has_news());
        self.bytes += size;
        self.namespaces = self.namespaces.and(namespaces);
    }
}

/// Packs entries into shards, one after the other: each is filled exactly within both limits, and has no more articles than
/// Google takes.
#[derive(Debug, Clone)]
pub struct ShardPacker {
    most_entries: u64,
    /// The bytes around the entries, by the namespaces that these use.
    around: [u64; 16],
    shard: ShardContent,
}

impl ShardPacker {
    pub fn new(most_entries: u64, layout: &Layout) -> ShardPacker {
        let around = std::array::from_fn(|bits| {
            let header = header(Kind::Urlset, NamespacesUsed(bits as u8), layout.stylesheet.as_deref());
            (header.len() + footer(Kind::Urlset).len()) as u64
        });
        ShardPacker { most_entries, around, shard: ShardContent::default() }
    }

    /// Begin with a shard that already has this content.
    pub fn begin(&mut self, content: ShardContent) {
        self.shard = content;
    }

    /// Add an entry to the shard. Returns whether it did not fit and began the next shard.
    pub fn push(&mut self, size: u64, namespaces: NamespacesUsed) -> bool {
        let ShardContent { entries, articles, bytes, namespaces: used } = self.shard;
        let whole = bytes + size + self.around[usize::from(used.and(namespaces).0 & 15)];
        let is_full = entries >= self.most_entries
            || whole > BYTES_PER_DOCUMENT
            || (articles >= NEWS_PER_DOCUMENT && namespaces.has_news());
        let is_next = entries > 0 && is_full;
        if is_next {
            self.begin(ShardContent::default());
        }
        self.shard.add(size, namespaces);
        is_next
    }
}

/// A run of rows that go into one shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedShard {
    pub series: u32,
    /// The shard had content before.
    pub is_begun: bool,
    pub rows: u64,
}

/// Pack the rows of a table, in their order, into the shards of each series: columns series UINTEGER, size UBIGINT and
/// namespace_bits UTINYINT. The first shard of a series already has the content that `begun` names. Returns the shards in order.
pub fn pack(
    table: impl RecordBatchReader,
    most_entries: u64,
    begun: &HashMap<u32, ShardContent>,
    layout: &Layout,
) -> Result<Vec<PackedShard>, TableError> {
    let mut packer = ShardPacker::new(most_entries, layout);
    let (mut rows, mut shards) = (TableRows::new(table), Vec::<PackedShard>::new());
    while let Some((batch, at)) = rows.next_batch()? {
        let all_series = numbers::<UInt32Type>(batch, "series")?;
        let sizes = numbers::<UInt64Type>(batch, "size")?;
        let namespaces = numbers::<UInt8Type>(batch, "namespace_bits")?;
        for row in *at..batch.num_rows() {
            let series = all_series.value(row);
            if shards.last().is_none_or(|last| last.series != series) {
                let content = begun.get(&series).copied().unwrap_or_default();
                packer.begin(content);
                shards.push(PackedShard { series, is_begun: content.entries > 0, rows: 0 });
            }
            if packer.push(sizes.value(row), NamespacesUsed(namespaces.value(row))) {
                shards.push(PackedShard { series, is_begun: false, rows: 0 });
            }
            if let Some(last) = shards.last_mut() {
                last.rows += 1;
            }
        }
        *at = batch.num_rows();
    }
    Ok(shards)
}
