//! How much of a document is worked on at once.

/// Bytes that are worked on at once: few enough to stay in a core's own cache between the passes over them, and many enough
/// that few entries are cut by the end of a piece and parsed twice. Every layer of compression has one buffer of this size.
pub const PIECE: usize = 256 * 1024;
