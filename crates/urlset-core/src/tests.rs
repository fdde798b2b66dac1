//! What the tests of several rooms share.

/// Numbers that look random, the same each time.
pub struct Numbers(pub u64);

impl Numbers {
    /// The next number below this one.
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}
