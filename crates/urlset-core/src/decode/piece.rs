//! How much of a document is worked on at once.

/// Bytes that are worked on at once: few enough to stay in a core's own cache between the passes over them. Every layer
/// of compression has one buffer of this size.
pub const PIECE: usize = 128 * 1024;
