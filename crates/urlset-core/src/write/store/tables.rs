//! The rows of a store as Arrow tables, in batches.

use std::io::Read;
use std::iter;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Int64Builder, StringBuilder, UInt8Builder, UInt32Builder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::manifest::{self, ManifestColumns, ManifestRows};
use super::rendered::Rendered;
use super::rendered_row::RenderedRow;
use super::sorted::SortedRows;
use crate::write::fingerprint::hash;

/// The columns of rendered rows; the extras of the rows follow.
const RENDERED: [(&str, DataType); 11] = [
    ("row", DataType::UInt64),
    ("loc", DataType::Utf8),
    // The normal form of the loc, if that is another text.
    ("normal", DataType::Utf8),
    ("lastmod", DataType::Utf8),
    // The lastmod in microseconds since the epoch.
    ("instant", DataType::Int64),
    // The XML after the lastmod and before the news.
    ("xml_after_lastmod", DataType::Utf8),
    ("news", DataType::Utf8),
    // The namespaces used.
    ("namespace_bits", DataType::UInt8),
    ("size", DataType::UInt32),
    // The entry hash: of everything but loc and lastmod.
    ("entry_hash", DataType::UInt64),
    // The hash of the normal form of the loc.
    ("loc_hash", DataType::UInt64),
];
/// Rows of a batch: one of DuckDB's row groups.
const BATCH_ROWS: usize = 122_880;
/// Bytes of text after which a batch ends. Few rows have so much text that this matters.
const BATCH_BYTES: usize = 32 << 20;

/// Return all that was rendered of the rows, with further columns of text by these names.
pub fn rendered_rows<R: Read>(rows: SortedRows<R, Rendered>, extras: &[String]) -> impl RecordBatchReader + use<R> {
    let extras = extras.iter().map(String::as_str);
    let fields = fields(&RENDERED).chain(extras.map(|name| Field::new(name, DataType::Utf8, true)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    Batches { rows, columns: RenderedColumns::new(schema.fields().len() - RENDERED.len()), schema }
}

/// Return what a manifest says of the rows; see `manifest`.
pub fn manifest_rows<R: Read>(rows: SortedRows<R, Rendered>, said: ManifestRows) -> impl RecordBatchReader {
    Batches { rows, columns: ManifestColumns::new(said), schema: manifest::schema() }
}

fn fields(columns: &[(&str, DataType)]) -> impl Iterator<Item = Field> {
    columns.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true))
}

/// The columns of a batch while rows are added.
pub trait RowColumns {
    /// Add a row. Returns the bytes of its texts.
    fn push(&mut self, row: &RenderedRow<'_>) -> usize;
    fn len(&self) -> usize;
    fn take(&mut self) -> Vec<ArrayRef>;
}

/// Reads a store batch by batch.
struct Batches<R, C> {
    rows: SortedRows<R, Rendered>,
    columns: C,
    schema: SchemaRef,
}

impl<R: Read, C: RowColumns> Batches<R, C> {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let mut bytes = 0;
        while self.columns.len() < BATCH_ROWS && bytes < BATCH_BYTES {
            match self.rows.next_row() {
                Ok(Some(row)) => bytes += self.columns.push(&row),
                Ok(None) if self.columns.len() == 0 => return Ok(None),
                Ok(None) => break,
                Err(error) => return Err(ArrowError::IoError(error.to_string(), error)),
            }
        }
        RecordBatch::try_new(self.schema.clone(), self.columns.take()).map(Some)
    }
}

impl<R: Read, C: RowColumns> Iterator for Batches<R, C> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl<R: Read, C: RowColumns> RecordBatchReader for Batches<R, C> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[derive(Default)]
struct RenderedColumns {
    row: UInt64Builder,
    loc: StringBuilder,
    normal: StringBuilder,
    lastmod: StringBuilder,
    instant: Int64Builder,
    after_lastmod: StringBuilder,
    news: StringBuilder,
    namespaces: UInt8Builder,
    size: UInt32Builder,
    entry_hash: UInt64Builder,
    loc_hash: UInt64Builder,
    extras: Vec<StringBuilder>,
}

impl RenderedColumns {
    fn new(extras: usize) -> RenderedColumns {
        RenderedColumns { extras: (0..extras).map(|_| StringBuilder::new()).collect(), ..RenderedColumns::default() }
    }
}

impl RowColumns for RenderedColumns {
    fn push(&mut self, row: &RenderedRow<'_>) -> usize {
        self.row.append_value(row.row);
        self.loc.append_value(row.loc);
        let normal = row.normal();
        self.normal.append_option(normal.as_deref());
        self.lastmod.append_option(row.lastmod);
        self.instant.append_option(row.instant());
        self.after_lastmod.append_option(row.after_lastmod);
        self.news.append_option(row.news);
        self.namespaces.append_value(row.namespaces.0);
        self.size.append_value(row.size);
        self.entry_hash.append_value(row.entry_hash());
        self.loc_hash.append_value(hash(normal.as_deref().unwrap_or(row.loc)));
        let mut bytes = row.loc.len() + normal.map_or(0, |text| text.len());
        for (column, extra) in self.extras.iter_mut().zip(row.extras.iter().chain(iter::repeat(None))) {
            column.append_option(extra);
            bytes += extra.map_or(0, str::len);
        }
        bytes + [row.lastmod, row.after_lastmod, row.news].into_iter().flatten().map(str::len).sum::<usize>()
    }

    fn len(&self) -> usize {
        self.row.len()
    }

    fn take(&mut self) -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.row.finish()),
            Arc::new(self.loc.finish()),
            Arc::new(self.normal.finish()),
            Arc::new(self.lastmod.finish()),
            Arc::new(self.instant.finish()),
            Arc::new(self.after_lastmod.finish()),
            Arc::new(self.news.finish()),
            Arc::new(self.namespaces.finish()),
            Arc::new(self.size.finish()),
            Arc::new(self.entry_hash.finish()),
            Arc::new(self.loc_hash.finish()),
        ];
        columns.extend(self.extras.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        columns
    }
}
