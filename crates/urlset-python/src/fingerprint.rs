//! Fingerprints of rows.

use pyo3::prelude::*;
use urlset_core::write::fingerprint as core;

/// The number of rows, and two sums of their hashes.
#[pyclass(frozen, get_all)]
pub struct Fingerprint {
    rows: u64,
    sums: [u64; 2],
}

impl From<core::Fingerprint> for Fingerprint {
    fn from(found: core::Fingerprint) -> Fingerprint {
        Fingerprint { rows: found.rows, sums: found.sums }
    }
}
