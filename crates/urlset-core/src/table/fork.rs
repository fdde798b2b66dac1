//! The rows of a later part of a document, which another thread reads.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{RecordBatch, RecordBatchOptions};

use super::Table;
use super::batch::Batch;
use super::filter::Filtering;

impl Table {
    /// An empty table for a later part of the current document.
    pub fn fork(&self) -> Table {
        let mut fork = Table::new(self.schema.clone(), self.takes_sitemaps).in_batches_of(self.batch_rows);
        fork.base.clone_from(&self.base);
        fork.kind = self.kind;
        fork.filtering = self.filtering.as_ref().map(Filtering::fork);
        if let Some(document) = self.document {
            fork.documents.push(self.documents[document as usize].clone());
            fork.document = Some(0);
        }
        fork
    }

    /// Adds the rows of a fork, whose lines were counted without those `before`. They make batches of their own.
    pub fn join(&mut self, mut fork: Table, before: u32) {
        if let (Some(filtering), Some(others)) = (&mut self.filtering, &fork.filtering) {
            filtering.join(others);
        }
        fork.flush();
        if !fork.full.is_empty() {
            self.flush();
            self.full.extend(fork.full.into_iter().map(|batch| behind(batch, before)));
        }
    }
}

/// The batch with so many lines more before each row.
fn behind(batch: Batch, before: u32) -> Batch {
    let schema = batch.record.schema();
    let Some((place, _)) = schema.column_with_name("line") else { return batch };
    let mut columns = batch.record.columns().to_vec();
    columns[place] = Arc::new(columns[place].as_primitive::<UInt32Type>().unary::<_, UInt32Type>(|line| line + before));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.record.num_rows()));
    let record = RecordBatch::try_new_with_options(schema, columns, &options);
    // Only numbers have changed.
    Batch { record: record.expect("the columns fit their schema"), ..batch }
}
