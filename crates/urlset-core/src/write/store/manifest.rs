//! The rows of a manifest: what its set says of each loc, as the table that its file holds.

use std::io::Read;
use std::sync::{Arc, LazyLock};

use arrow_array::builder::{ArrayBuilder, StringBuilder, TimestampMicrosecondBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatchReader, new_null_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::batches::{Batches, RowColumns};
use super::rendered::Rendered;
use super::rendered_row::RenderedRow;
use super::sorted::SortedRows;

/// What the lastmod of a row rests on that gave it.
pub const COLUMN: &str = "column";
const UTC: &str = "UTC";

/// The columns of a manifest.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let moment = || DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()));
    let columns = [
        ("loc", DataType::Utf8),
        ("section", DataType::Utf8),
        // The name of the shard; null if the loc is gone.
        ("shard", DataType::Utf8),
        // The hash of everything but the loc and the lastmod.
        ("entry_hash", DataType::UInt64),
        ("lastmod", DataType::Utf8),
        // What the lastmod rests on.
        ("lastmod_source", DataType::Utf8),
        // What the row gave as the content of its page, or a hash of it.
        ("content", DataType::Utf8),
        ("first_seen", moment()),
        ("last_seen", moment()),
        // When the loc was first missing.
        ("gone", moment()),
    ];
    Arc::new(Schema::new(columns.map(|(name, kind)| Field::new(name, kind, true)).to_vec()))
});

/// The columns of a manifest.
pub fn schema() -> SchemaRef {
    SCHEMA.clone()
}

/// What a manifest says of rows beyond what they say themselves.
#[derive(Debug, Clone)]
pub struct ManifestRows {
    /// The section of all rows.
    pub section: String,
    /// The shards in the order of the rows, with the name and the number of rows of each.
    pub shards: Vec<(String, u64)>,
    /// The moment of the publish, in microseconds since the epoch.
    pub now: i64,
}

/// Return what a manifest says of rows, as a table.
pub fn manifest_rows<R: Read>(rows: SortedRows<R, Rendered>, said: ManifestRows) -> impl RecordBatchReader {
    Batches { rows, columns: ManifestColumns::new(said), schema: schema() }
}

/// The columns of a batch of such rows.
struct ManifestColumns {
    loc: StringBuilder,
    section: StringBuilder,
    shard: StringBuilder,
    entry_hash: UInt64Builder,
    lastmod: StringBuilder,
    lastmod_source: StringBuilder,
    first_seen: TimestampMicrosecondBuilder,
    last_seen: TimestampMicrosecondBuilder,
    /// Its shards are those to come, the next one last, with how many of their rows are to come.
    said: ManifestRows,
}

impl ManifestColumns {
    fn new(mut said: ManifestRows) -> ManifestColumns {
        said.shards.reverse();
        let moments = || TimestampMicrosecondBuilder::new().with_timezone(UTC);
        ManifestColumns {
            loc: StringBuilder::new(),
            section: StringBuilder::new(),
            shard: StringBuilder::new(),
            entry_hash: UInt64Builder::new(),
            lastmod: StringBuilder::new(),
            lastmod_source: StringBuilder::new(),
            first_seen: moments(),
            last_seen: moments(),
            said,
        }
    }
}

impl RowColumns for ManifestColumns {
    fn push(&mut self, row: &RenderedRow<'_>) -> usize {
        let ManifestRows { section, shards, now } = &mut self.said;
        shards.pop_if(|(_, rows)| *rows == 0);
        let shard = shards.last_mut().map(|(name, rows)| {
            *rows -= 1;
            name.as_str()
        });
        self.loc.append_value(row.loc);
        self.section.append_value(section);
        self.shard.append_option(shard);
        self.entry_hash.append_value(row.entry_hash());
        self.lastmod.append_option(row.lastmod);
        self.lastmod_source.append_option(row.lastmod.map(|_| COLUMN));
        let first_seen = i64::try_from(row.first_seen).ok().filter(|first| *first > 0);
        self.first_seen.append_value(first_seen.unwrap_or(*now));
        self.last_seen.append_value(*now);
        row.loc.len() + row.lastmod.map_or(0, str::len)
    }

    fn len(&self) -> usize {
        self.loc.len()
    }

    fn take(&mut self) -> Vec<ArrayRef> {
        let rows = self.loc.len();
        let nulls = |name| SCHEMA.column_with_name(name).map(|(_, field)| new_null_array(field.data_type(), rows));
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.loc.finish()),
            Arc::new(self.section.finish()),
            Arc::new(self.shard.finish()),
            Arc::new(self.entry_hash.finish()),
            Arc::new(self.lastmod.finish()),
            Arc::new(self.lastmod_source.finish()),
        ];
        columns.extend(nulls("content"));
        columns.push(Arc::new(self.first_seen.finish()));
        columns.push(Arc::new(self.last_seen.finish()));
        columns.extend(nulls("gone"));
        columns
    }
}
