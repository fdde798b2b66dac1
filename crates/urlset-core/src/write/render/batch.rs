//! The columns of a batch of rendered rows.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Int64Builder, StringBuilder, UInt8Builder, UInt32Builder, UInt64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::write::layout::NamespacesUsed;

/// The columns of a batch; the extras of the rows follow.
const COLUMNS: [(&str, DataType); 10] = [
    ("row", DataType::UInt64),
    ("loc", DataType::Utf8),
    ("lastmod", DataType::Utf8),
    // The lastmod in microseconds since the epoch.
    ("instant", DataType::Int64),
    // The XML after the lastmod and before the news.
    ("tail", DataType::Utf8),
    ("news", DataType::Utf8),
    // The namespaces used.
    ("uses", DataType::UInt8),
    ("size", DataType::UInt32),
    // The content hash: of everything but loc and lastmod.
    ("key", DataType::UInt64),
    (LOC_HASH, DataType::UInt64),
];
/// The column with the hash of the loc.
const LOC_HASH: &str = "hash";

/// Whether two rows of a batch may have the same loc: they have the same hash.
pub fn has_repeated_loc(batch: &RecordBatch) -> bool {
    let Some(hashes) = batch.column_by_name(LOC_HASH).and_then(|column| column.as_primitive_opt::<UInt64Type>()) else {
        return true; // not a batch of rendered rows, so nothing is known of it
    };
    let mut seen = HashSet::with_capacity(hashes.len());
    hashes.values().iter().any(|hash| !seen.insert(*hash))
}

/// Rows after which a batch is full: two of DuckDB's row groups, which it takes twice as fast as parts of them.
const BATCH_ROWS: usize = 245_760;
/// Bytes of text after which a batch is full. Few rows have so much text that this matters.
const BATCH_BYTES: usize = 64 << 20;

/// One row as it is added to a batch.
#[derive(Debug)]
pub struct Rendered<'r> {
    /// The index of the row in its source.
    pub row: u64,
    pub loc: &'r str,
    pub lastmod: &'r str,
    /// The lastmod in microseconds since the epoch.
    pub instant: Option<i64>,
    /// The XML after the lastmod and before the news.
    pub after_lastmod: &'r str,
    pub news: &'r str,
    pub namespaces: NamespacesUsed,
    /// Bytes of the entry without its lastmod.
    pub size: usize,
    pub content_hash: u64,
    pub loc_hash: u64,
}

/// Collects rendered rows.
#[derive(Debug)]
pub struct Batch {
    schema: SchemaRef,
    row: UInt64Builder,
    loc: StringBuilder,
    lastmod: StringBuilder,
    instant: Int64Builder,
    after_lastmod: StringBuilder,
    news: StringBuilder,
    namespaces: UInt8Builder,
    size: UInt32Builder,
    content_hash: UInt64Builder,
    loc_hash: UInt64Builder,
    extras: Vec<StringBuilder>,
    /// Bytes of the texts in the batch.
    bytes: usize,
}

impl Batch {
    /// An empty batch with further columns of text.
    pub fn new(extras: &[String]) -> Batch {
        let mut fields: Vec<Field> = COLUMNS.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect();
        fields.extend(extras.iter().map(|name| Field::new(name, DataType::Utf8, true)));
        Batch {
            schema: Arc::new(Schema::new(fields)),
            row: UInt64Builder::new(),
            loc: StringBuilder::new(),
            lastmod: StringBuilder::new(),
            instant: Int64Builder::new(),
            after_lastmod: StringBuilder::new(),
            news: StringBuilder::new(),
            namespaces: UInt8Builder::new(),
            size: UInt32Builder::new(),
            content_hash: UInt64Builder::new(),
            loc_hash: UInt64Builder::new(),
            extras: extras.iter().map(|_| StringBuilder::new()).collect(),
            bytes: 0,
        }
    }

    /// Add a row with its extras. Extras that it does not have are null.
    pub fn push(&mut self, row: &Rendered<'_>, extras: &[Option<&str>]) {
        self.row.append_value(row.row);
        self.loc.append_value(row.loc);
        self.lastmod.append_option(Some(row.lastmod).filter(|text| !text.is_empty()));
        self.instant.append_option(row.instant);
        self.after_lastmod.append_option(Some(row.after_lastmod).filter(|text| !text.is_empty()));
        self.news.append_option(Some(row.news).filter(|text| !text.is_empty()));
        self.namespaces.append_value(row.namespaces.0);
        self.size.append_value(row.size as u32);
        self.content_hash.append_value(row.content_hash);
        self.loc_hash.append_value(row.loc_hash);
        self.bytes += row.loc.len() + row.lastmod.len() + row.after_lastmod.len() + row.news.len();
        for (index, column) in self.extras.iter_mut().enumerate() {
            // An empty text says as little as none.
            let extra = extras.get(index).copied().flatten().filter(|extra| !extra.is_empty());
            self.bytes += extra.map_or(0, str::len);
            column.append_option(extra);
        }
    }

    /// Whether the batch has as many rows, or as much text, as it should have.
    pub fn is_full(&self) -> bool {
        self.row.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// Take the rows of the batch, which is empty afterwards.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        self.bytes = 0;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.row.finish()),
            Arc::new(self.loc.finish()),
            Arc::new(self.lastmod.finish()),
            Arc::new(self.instant.finish()),
            Arc::new(self.after_lastmod.finish()),
            Arc::new(self.news.finish()),
            Arc::new(self.namespaces.finish()),
            Arc::new(self.size.finish()),
            Arc::new(self.content_hash.finish()),
            Arc::new(self.loc_hash.finish()),
        ];
        columns.extend(self.extras.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        RecordBatch::try_new(self.schema.clone(), columns)
    }
}
