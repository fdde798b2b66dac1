//! What every decompressor reports.

/// The result of one step of decompression. A step that reads and writes nothing waits for more input.
#[derive(Debug)]
pub struct Step {
    pub read: usize,
    pub written: usize,
    pub state: StreamState,
}

/// How a compressed stream stands after a step.
#[derive(Debug)]
pub enum StreamState {
    Open,
    /// The stream is complete, and its checksum, if it has one, is correct.
    Ended,
    /// The data is corrupt, with the reason where there is a definite one.
    Corrupt(Option<String>),
    /// The stream asks for more than we allow.
    Exceeded(String),
}
