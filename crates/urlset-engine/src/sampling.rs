//! A sample of the entries of a scan, shared between the scan and whoever asks how it was drawn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_schema::SchemaRef;
use urlset_core::table::{Batch, EntrySample, with_locs};

/// A sample that is drawn by a scan.
#[derive(Clone)]
pub struct SharedSample(Arc<Mutex<EntrySample>>);

impl SharedSample {
    /// A sample of so many entries.
    pub fn new(size: usize) -> SharedSample {
        SharedSample(Arc::new(Mutex::new(EntrySample::new(size))))
    }

    /// The sample, once nobody else looks at it.
    pub fn lock(&self) -> MutexGuard<'_, EntrySample> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begin to draw for a table of this schema.
    pub fn draw(&self, schema: SchemaRef) -> Drawing {
        Drawing { sample: self.clone(), schema }
    }
}

/// A sample of which the rows are still to come.
pub struct Drawing {
    sample: SharedSample,
    schema: SchemaRef,
}

impl Drawing {
    /// The columns that the scan has to read.
    pub fn columns_to_read(&self) -> SchemaRef {
        with_locs(&self.schema)
    }

    /// Take in rows.
    pub fn push(&self, batch: &Batch) {
        self.sample.lock().push(batch);
    }

    /// The rows that were drawn.
    pub fn take(self) -> Vec<Batch> {
        self.sample.lock().take(self.schema.fields().len())
    }
}
