//! A sample of the entries of a scan.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use urlset_core::table::{self, Batch};

/// Which entries of one pass are drawn. `urlset.Filter` says how.
#[pyclass(frozen)]
pub struct EntrySample {
    inner: Arc<Mutex<table::EntrySample>>,
}

#[pymethods]
impl EntrySample {
    #[new]
    fn new(size: usize) -> Self {
        EntrySample { inner: Arc::new(Mutex::new(table::EntrySample::new(size))) }
    }

    /// Of documents with so many rows each, in the order of reading, how many were drawn.
    fn counts(&self, py: Python<'_>, documents: Vec<u64>) -> Vec<u64> {
        py.detach(|| lock(&self.inner).counts(&documents))
    }
}

impl EntrySample {
    /// Begins to draw for a table of this schema.
    pub fn draw(&self, schema: SchemaRef) -> Drawing {
        Drawing { inner: self.inner.clone(), schema }
    }
}

/// A sample of which the rows are still to come.
pub struct Drawing {
    inner: Arc<Mutex<table::EntrySample>>,
    schema: SchemaRef,
}

impl Drawing {
    pub fn columns_to_read(&self) -> SchemaRef {
        table::with_locs(&self.schema)
    }

    pub fn push(&self, batch: &Batch) {
        lock(&self.inner).push(batch);
    }

    pub fn take(self) -> Vec<Batch> {
        lock(&self.inner).take(self.schema.fields().len())
    }
}

fn lock(inner: &Mutex<table::EntrySample>) -> MutexGuard<'_, table::EntrySample> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}
