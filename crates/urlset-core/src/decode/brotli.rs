//! Brotli, which begins with no mark and ends with no checksum.

use std::fmt;

use brotli_decompressor::{
    BrotliDecoderErrorCode, BrotliDecoderTakeOutput, BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc,
};

use super::layer::{State, Step};

/// One stream. Its window is of 16 MiB at most: the larger ones are an extension that HTTP does not have.
pub struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    total: usize,
    is_broken: bool,
}

impl fmt::Debug for Brotli {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Brotli").field("total", &self.total).finish_non_exhaustive()
    }
}

impl Brotli {
    pub fn new() -> Self {
        let new = StandardAlloc::default;
        Brotli { state: BrotliState::new_strict(new(), new(), new()), total: 0, is_broken: false }
    }

    pub fn step(&mut self, input: &[u8], room: &mut [u8]) -> Step {
        let (mut left, mut read, mut free, mut written) = (input.len(), 0, room.len(), 0);
        if !self.is_broken {
            let result = BrotliDecompressStream(
                &mut left,
                &mut read,
                input,
                &mut free,
                &mut written,
                room,
                &mut self.total,
                &mut self.state,
            );
            match result {
                BrotliResult::ResultSuccess => return Step { read, written, state: State::Ended },
                BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {
                    return Step { read, written, state: State::Open };
                }
                BrotliResult::ResultFailure => self.give_up(),
            }
        }
        let mut length = room.len() - written;
        if length > 0 {
            let rest = BrotliDecoderTakeOutput(&mut self.state, &mut length);
            room[written..written + rest.len()].copy_from_slice(rest);
            written += rest.len();
        }
        let state = if written > 0 { State::Open } else { State::Broken("it makes no sense".into()) };
        Step { read, written, state }
    }

    /// Makes the decoder hand out what it had decoded before it failed, which it would keep.
    fn give_up(&mut self) {
        self.is_broken = true;
        self.state.error_code = BrotliDecoderErrorCode::BROTLI_DECODER_SUCCESS;
        self.state.meta_block_remaining_len = self.state.meta_block_remaining_len.max(0);
    }
}
