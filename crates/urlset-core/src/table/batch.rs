//! Rows of the table, as they are handed out.

use std::sync::Arc;

use arrow_array::RecordBatch;

/// Rows of a full batch. Between 16 and 64 thousand no consumer gains or loses.
pub const BATCH_ROWS: usize = 32_768;

/// Rows of the table, and which of them were `<sitemap>` entries: none, where the flags are empty.
#[derive(Debug, Clone)]
pub struct Batch {
    pub record: RecordBatch,
    pub sitemaps: Arc<[bool]>,
}
