//! Hashes of rendered rows, and the fingerprint of all of them.

use twox_hash::XxHash3_64;

/// Return the hash of a text.
pub fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

/// Combine two hashes; their order counts.
pub fn mixed(one: u64, other: u64) -> u64 {
    (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Recognises the same rows in any order: sums of two hashes of each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fingerprint {
    pub rows: u64,
    pub sums: [u64; 2],
}

impl Fingerprint {
    /// Add the hash of a row.
    pub fn add(&mut self, hash: u64) {
        self.rows += 1;
        self.sums[0] = self.sums[0].wrapping_add(hash);
        // A second hash of the same bits: a coincidence in one sum is not one in the other.
        let other = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sums[1] = self.sums[1].wrapping_add(other ^ other >> 29);
    }
}
