//! Gzip.

use std::io::Write as _;

use flate2::{Compression, GzBuilder};

use crate::limits::{Budget, RATIO_FREE_BYTES};

/// Compress with neither a name nor a time, so that the same bytes always give the same result.
pub fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let packed = gzip_at(bytes, level);
    let size = bytes.len() as u64;
    // Readers take what unpacks to far more than its size for an attack, and so does ours: LIM007.
    let is_too_small = size > RATIO_FREE_BYTES && size > Budget::DEFAULT.ratio * packed.len() as u64;
    if is_too_small { gzip_at(bytes, 0) } else { packed }
}

fn gzip_at(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::with_capacity(bytes.len() / 8), Compression::new(level));
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
