//! The columns of the tables that a publish hands over, by name.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray, RecordBatch, RecordBatchReader, StringArray};

use super::error::TableError;

/// The rows of a table, batch by batch.
#[derive(Debug)]
pub struct TableRows<R> {
    reader: R,
    batch: Option<RecordBatch>,
    at: usize,
}

impl<R: RecordBatchReader> TableRows<R> {
    pub fn new(reader: R) -> TableRows<R> {
        TableRows { reader, batch: None, at: 0 }
    }

    /// Return the batch that has the next row, and the index of that row; None at the end.
    pub fn next_batch(&mut self) -> Result<Option<(&RecordBatch, &mut usize)>, TableError> {
        while self.batch.as_ref().is_none_or(|batch| self.at == batch.num_rows()) {
            self.batch = match self.reader.next() {
                Some(batch) => Some(batch?),
                None => return Ok(None),
            };
            self.at = 0;
        }
        Ok(self.batch.as_ref().map(|batch| (batch, &mut self.at)))
    }
}

fn column<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b dyn Array, TableError> {
    let missing = || TableError::Column(format!("there is no column {name:?}"));
    batch.column_by_name(name).map(AsRef::as_ref).ok_or_else(missing)
}

/// Return a column of numbers of one type.
pub fn numbers<T: ArrowPrimitiveType>(batch: &RecordBatch, name: &str) -> Result<PrimitiveArray<T>, TableError> {
    let wrong = || TableError::Column(format!("the column {name:?} has another type than {}", T::DATA_TYPE));
    column(batch, name)?.as_primitive_opt::<T>().cloned().ok_or_else(wrong)
}

/// Return a column of texts.
pub fn texts(batch: &RecordBatch, name: &str) -> Result<StringArray, TableError> {
    let wrong = || TableError::Column(format!("the column {name:?} does not hold text"));
    column(batch, name)?.as_string_opt::<i32>().cloned().ok_or_else(wrong)
}

/// Return the text of a row; None if it is null.
pub fn text(texts: &StringArray, at: usize) -> Option<&str> {
    texts.is_valid(at).then(|| texts.value(at))
}
