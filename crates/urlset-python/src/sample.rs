//! A sample of the entries of a scan.

use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use urlset_engine::sampling::{Drawing, SharedSample};

/// Which entries of one pass are drawn. `urlset.Filter` says how.
#[pyclass(frozen)]
pub struct EntrySample(SharedSample);

#[pymethods]
impl EntrySample {
    #[new]
    fn new(size: usize) -> Self {
        EntrySample(SharedSample::new(size))
    }

    /// Of documents with so many rows each, in the order of reading, how many were drawn.
    fn counts(&self, py: Python<'_>, documents: Vec<u64>) -> Vec<u64> {
        py.detach(|| self.0.lock().counts(&documents))
    }
}

impl EntrySample {
    /// Begins to draw for a table of this schema.
    pub fn draw(&self, schema: SchemaRef) -> Drawing {
        self.0.draw(schema)
    }
}
