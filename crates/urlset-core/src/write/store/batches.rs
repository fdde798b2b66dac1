//! The rows of a store as an Arrow table, in batches.

use std::io::Read;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::rendered::Rendered;
use super::rendered_row::RenderedRow;
use super::sorted::SortedRows;

/// Rows of a batch. Each reader of a large set holds one, and a few of them are as fast as many.
const BATCH_ROWS: usize = 8192;
/// Bytes of text after which a batch ends. Few rows have so much text that this matters.
const BATCH_BYTES: usize = 4 << 20;

/// The columns of a batch while rows are added.
pub trait RowColumns {
    /// Add a row. Returns the bytes of its texts.
    fn push(&mut self, row: &RenderedRow<'_>) -> usize;
    fn len(&self) -> usize;
    fn take(&mut self) -> Vec<ArrayRef>;
}

/// Reads a store batch by batch.
pub struct Batches<R, C> {
    pub rows: SortedRows<R, Rendered>,
    pub columns: C,
    pub schema: SchemaRef,
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
