//! Brotli, which has neither a mark at its beginning nor a checksum at its end.

use std::fmt;
use std::ops::Range;

use brotli_decompressor::{
    BrotliDecoderErrorCode, BrotliDecoderTakeOutput, BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc,
};

use super::step::{Step, StreamState};

/// The decoder always gets this much input at once, and this much room: how far it gets with corrupt data depends on
/// both. The length of a block divides the unit in which input is counted.
const BLOCK: usize = 4096;
const OUTPUT: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The next block is not complete.
    Filling,
    Decoding,
    Ended,
    Corrupt,
}

/// Decompresses one stream. Its window is 16 MiB at most: larger ones are an extension that HTTP does not have.
pub struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    phase: Phase,
    block: Vec<u8>,
    /// The number of bytes of the block that were decoded.
    decoded: usize,
    is_last_block: bool,
    output: Vec<u8>,
    /// The part of the output that is still to be handed out.
    pending: Range<usize>,
}

impl fmt::Debug for Brotli {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Brotli").field("phase", &self.phase).finish_non_exhaustive()
    }
}

impl Brotli {
    pub fn new() -> Self {
        let new = StandardAlloc::default;
        Brotli {
            state: BrotliState::new_strict(new(), new(), new()),
            phase: Phase::Filling,
            block: Vec::with_capacity(BLOCK),
            decoded: 0,
            is_last_block: false,
            output: vec![0; OUTPUT],
            pending: 0..0,
        }
    }

    pub fn step(&mut self, input: &[u8], room: &mut [u8]) -> Step {
        let mut read = 0;
        loop {
            if !self.pending.is_empty() {
                let written = self.pending.len().min(room.len());
                room[..written].copy_from_slice(&self.output[self.pending.start..][..written]);
                self.pending.start += written;
                return Step { read, written, state: StreamState::Open };
            }
            match self.phase {
                Phase::Filling => {
                    read = input.len().min(BLOCK - self.block.len());
                    self.block.extend_from_slice(&input[..read]);
                    if self.block.len() < BLOCK && (!self.is_last_block || self.block.is_empty()) {
                        return Step { read, written: 0, state: StreamState::Open };
                    }
                    self.phase = Phase::Decoding;
                }
                Phase::Decoding => self.decode(),
                Phase::Ended => return Step { read, written: 0, state: StreamState::Ended },
                Phase::Corrupt => {
                    let mut length = room.len();
                    let rest = BrotliDecoderTakeOutput(&mut self.state, &mut length);
                    room[..rest.len()].copy_from_slice(rest);
                    let state = if rest.is_empty() { StreamState::Corrupt(None) } else { StreamState::Open };
                    return Step { read, written: rest.len(), state };
                }
            }
        }
    }

    /// Decodes as much of the block as there is room for.
    fn decode(&mut self) {
        let (mut left, mut free, mut written, mut total) = (self.block.len() - self.decoded, OUTPUT, 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut self.decoded,
            &self.block,
            &mut free,
            &mut written,
            &mut self.output,
            &mut total,
            &mut self.state,
        );
        self.pending = 0..written;
        match result {
            BrotliResult::ResultSuccess => self.phase = Phase::Ended,
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput => {
                self.phase = Phase::Filling;
                self.block.clear();
                self.decoded = 0;
            }
            BrotliResult::ResultFailure => {
                self.phase = Phase::Corrupt;
                // Otherwise it would not hand out what it had decoded before it failed.
                self.state.error_code = BrotliDecoderErrorCode::BROTLI_DECODER_SUCCESS;
                self.state.meta_block_remaining_len = self.state.meta_block_remaining_len.max(0);
            }
        }
    }

    /// Ends the input: the block that is being filled is the last one.
    pub fn end(&mut self) {
        self.is_last_block = true;
    }

    /// After the end of the stream: the bytes that were taken and do not belong to it.
    pub fn rest(&mut self) -> Vec<u8> {
        self.block.split_off(self.decoded)
    }
}
