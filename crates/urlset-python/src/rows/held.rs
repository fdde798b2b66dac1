//! The batches of a table, held until it is known whether anything has to be made of their rows.

use std::iter;
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use urlset_core::write::arrow::BatchRows;
use urlset_core::write::error::TableError;
use urlset_core::write::fingerprint::{self, Fingerprint};
use urlset_core::write::names::ColumnNames;
use urlset_engine::held_batches::HeldBatches;

/// The batches of a table.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// What comes of a table: first the batches that are held, once nothing more is held, then the others.
pub struct HeldTable {
    /// The lock is always free: it shows the compiler that only one thread at a time pulls.
    batches: Mutex<Batches>,
    held: HeldBatches,
}

/// The fingerprint of the rows of a table, as they are given.
#[derive(Default)]
pub struct Given {
    pub fingerprint: Fingerprint,
    /// Whether all rows are in it, though they are still to be taken.
    pub is_whole: bool,
}

impl HeldTable {
    pub fn new(batches: Batches) -> HeldTable {
        HeldTable { batches: Mutex::new(batches), held: HeldBatches::default() }
    }

    /// What is held.
    pub fn held(&mut self) -> &mut HeldBatches {
        &mut self.held
    }

    /// Pull the next batch. That may run the producer's own Python, which must not wait for the interpreter.
    pub fn next(&mut self, py: Python<'_>) -> Option<Result<RecordBatch, ArrowError>> {
        let batches = self.batches.get_mut().unwrap_or_else(PoisonError::into_inner);
        py.detach(|| batches.next())
    }

    /// Hold the next batch, and add its rows to `given`. Returns whether there may be more to hold. If the table fails or a
    /// column cannot be read, nothing more is held and nothing is given: whoever takes the rows meets the error in its place.
    pub fn hold(&mut self, py: Python<'_>, given: &mut Given, names: &ColumnNames, extras: &[String]) -> bool {
        let last = match self.next(py) {
            None => {
                given.is_whole = true;
                None
            }
            Some(Err(error)) => Some(Err(error)),
            Some(Ok(batch)) => {
                if py.detach(|| add(&batch, &mut given.fingerprint, names, extras)).is_ok() {
                    self.held.push(batch);
                    return true;
                }
                // Not even its size may be asked of a batch that is not valid.
                Some(Ok(batch))
            }
        };
        if !given.is_whole {
            *given = Given::default();
        }
        let held = std::mem::take(&mut self.held).into_batches().chain(last);
        let others = std::mem::replace(&mut self.batches, Mutex::new(Box::new(iter::empty())));
        self.batches = Mutex::new(Box::new(held.chain(others.into_inner().unwrap_or_else(PoisonError::into_inner))));
        false
    }
}

/// Add the rows of a batch to the fingerprint.
fn add(
    batch: &RecordBatch,
    fingerprint: &mut Fingerprint,
    names: &ColumnNames,
    extras: &[String],
) -> Result<(), TableError> {
    let rows = BatchRows::new(batch, names, extras)?;
    for at in 0..rows.len() {
        fingerprint.add(fingerprint::given(&rows.row(at)));
    }
    Ok(())
}
