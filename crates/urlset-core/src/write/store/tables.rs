//! All that was rendered of the rows of a store, as an Arrow table.

use std::io::Read;
use std::iter;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Int64Builder, StringBuilder, UInt8Builder, UInt32Builder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatchReader};
use arrow_schema::{DataType, Field, Schema};

use super::batches::{Batches, RowColumns};
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
/// Return all that was rendered of the rows, with further columns of text by these names.
pub fn rendered_rows<R: Read>(rows: SortedRows<R, Rendered>, extras: &[String]) -> impl RecordBatchReader + use<R> {
    let extras = extras.iter().map(String::as_str);
    let fields = fields(&RENDERED).chain(extras.map(|name| Field::new(name, DataType::Utf8, true)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = RenderedColumns::new(schema.fields().len() - RENDERED.len());
    Batches { rows, columns, schema }
}

fn fields(columns: &[(&str, DataType)]) -> impl Iterator<Item = Field> {
    columns.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true))
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
