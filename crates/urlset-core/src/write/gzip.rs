//! Gzip.

use std::io::Write as _;

use flate2::{Compression, GzBuilder};

/// Compress with neither a name nor a time, so that the same bytes always give the same result.
pub fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::with_capacity(bytes.len() / 8), Compression::new(level));
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
