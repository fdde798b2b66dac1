//! Small batches to larger ones: ten thousand documents of a few rows are not ten thousand batches.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;

use super::batch::{BATCH_ROWS, Batch};

/// How many small batches are joined at once, and bytes of them at most. Builders reserve much more than few rows need.
const MAX_JOINED: usize = 64;
const MAX_BYTES: usize = 256 << 20;
/// Bytes from which on a batch is not a small one, however few its rows.
const LARGE_BYTES: usize = 8 << 20;

/// Hands batches on in their order, small ones joined. Each row is copied twice at most.
#[derive(Default)]
pub struct Joiner {
    small: Vec<Batch>,
    small_bytes: usize,
    /// Joined once, and still small.
    joined: Vec<Batch>,
    /// Rows of `small` and `joined`, and bytes of `joined`.
    rows: usize,
    joined_bytes: usize,
    full: VecDeque<Batch>,
}

impl Joiner {
    /// Adds the next batch.
    pub fn add(&mut self, batch: Batch) {
        let (rows, bytes) = (batch.record.num_rows(), batch.record.get_array_memory_size());
        if rows > BATCH_ROWS / 2 || bytes > LARGE_BYTES {
            self.flush();
            self.full.push_back(batch);
            return;
        }
        if self.rows + rows > BATCH_ROWS {
            self.flush();
        }
        self.rows += rows;
        self.small_bytes += bytes;
        self.small.push(batch);
        if self.small.len() >= MAX_JOINED || self.small_bytes > MAX_BYTES {
            self.join();
        }
        if self.joined_bytes > LARGE_BYTES {
            self.flush();
        }
    }

    /// The oldest batch that is not small.
    pub fn take_full(&mut self) -> Option<Batch> {
        self.full.pop_front()
    }

    /// The rows that are left, if there are any.
    pub fn take_rest(&mut self) -> Option<Batch> {
        self.flush();
        self.take_full()
    }

    fn join(&mut self) {
        let small = mem::take(&mut self.small);
        self.small_bytes = 0;
        if let Some(batch) = join(small) {
            self.joined_bytes += batch.record.get_array_memory_size();
            self.joined.push(batch);
        }
    }

    fn flush(&mut self) {
        let mut parts = mem::take(&mut self.joined);
        parts.append(&mut self.small);
        (self.rows, self.small_bytes, self.joined_bytes) = (0, 0, 0);
        self.full.extend(join(parts));
    }
}

/// All rows in one batch. One alone stays as it is.
fn join(mut parts: Vec<Batch>) -> Option<Batch> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let records: Vec<&RecordBatch> = parts.iter().map(|part| &part.record).collect();
    // They have one schema, and are far from what 32-bit offsets can address: only a bug could keep them apart.
    let record = concat_batches(&records[0].schema(), records).expect("batches of one table can be joined");
    let is_flagged = parts.iter().any(|part| !part.sitemaps.is_empty());
    let mut sitemaps = Vec::with_capacity(if is_flagged { record.num_rows() } else { 0 });
    if is_flagged {
        for part in &parts {
            let end = sitemaps.len() + part.record.num_rows();
            sitemaps.extend_from_slice(&part.sitemaps);
            sitemaps.resize(end, false);
        }
    }
    Some(Batch { record, sitemaps: Arc::from(sitemaps) })
}
