//! The output buffer of one layer of compression, which counts what went in and what came out against the budget.

use crate::decode::coding::Coding;
use crate::decode::error::DecodeError;
use crate::decode::piece::PIECE;
use crate::limits::{Budget, PADDING_BYTES, RATIO_FREE_BYTES};

/// Input is counted in units of this many bytes, so that what is allowed depends on the offset in the input and not on
/// how the input was split.
pub const GRAIN: u64 = 16 * 1024;

/// The output of a layer, which whoever takes it may keep, if another buffer is put into its place.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    filled: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Buffer { bytes: vec![0; PIECE], filled: 0 }
    }
}

impl Buffer {
    /// What is in it.
    pub fn content(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}

/// Holds the output of a layer until it is handed on.
#[derive(Debug)]
pub struct BudgetedBuffer {
    coding: Coding,
    budget: Budget,
    buffer: Buffer,
    taken: u64,
    given: u64,
    allowed: u64,
}

impl BudgetedBuffer {
    pub fn new(coding: Coding, budget: Budget) -> Self {
        BudgetedBuffer { coding, budget, buffer: Buffer::default(), taken: 0, given: 0, allowed: 0 }
    }

    pub fn is_full(&self) -> bool {
        self.buffer.filled == PIECE
    }

    /// The number of input bytes that may be counted at once.
    pub fn grain(&self) -> usize {
        (GRAIN - self.taken % GRAIN) as usize
    }

    /// Counts bytes of input, at most [`BudgetedBuffer::grain`] of them. It is an error if nearly nothing comes out of
    /// them: empty streams, frames and blocks can go on without an end, and cost more time than any others.
    pub fn take(&mut self, length: usize) -> Result<(), DecodeError> {
        self.taken += length as u64;
        let ratio = self.taken.next_multiple_of(GRAIN).saturating_mul(self.budget.ratio);
        self.allowed = ratio.max(RATIO_FREE_BYTES).min(self.budget.decoded_bytes);
        // Between two grains it would depend on the split how much has come out.
        let is_padded = self.taken.is_multiple_of(GRAIN) && self.taken > self.given.saturating_mul(2) + PADDING_BYTES;
        if is_padded { Err(self.padded()) } else { Ok(()) }
    }

    /// The free part of the buffer, which must not be full. It has room for one byte more than is allowed: if that byte
    /// is written, the budget is exceeded.
    pub fn room(&mut self) -> &mut [u8] {
        let left = (self.allowed - self.given).saturating_add(1);
        let Buffer { bytes, filled } = &mut self.buffer;
        let end = PIECE.min(*filled + usize::try_from(left).unwrap_or(PIECE));
        &mut bytes[*filled..end]
    }

    /// Counts bytes of output that were written to the free part.
    pub fn give(&mut self, length: usize) -> Result<(), DecodeError> {
        let within = length.min(usize::try_from(self.allowed - self.given).unwrap_or(usize::MAX));
        self.buffer.filled += within;
        self.given += within as u64;
        if within == length { Ok(()) } else { Err(self.exceeded()) }
    }

    /// Hands on the output, if there is any. The buffer is empty afterwards.
    pub fn hand_on<E>(&mut self, out: impl FnOnce(&mut Buffer) -> Result<(), E>) -> Result<(), E> {
        let result = if self.buffer.filled > 0 { out(&mut self.buffer) } else { Ok(()) };
        self.clear();
        result
    }

    /// Forgets what is in it.
    pub fn clear(&mut self) {
        self.buffer.filled = 0;
    }

    #[cold]
    fn padded(&self) -> DecodeError {
        let (name, taken, given) = (self.coding.name(), self.taken, self.given);
        DecodeError::limit(format!(
            "the {name} data is nearly empty: {taken} bytes of it hold {given} bytes of content"
        ))
    }

    #[cold]
    fn exceeded(&self) -> DecodeError {
        let (name, most) = (self.coding.name(), self.budget.decoded_bytes);
        if self.allowed == most {
            DecodeError::limit(format!("the {name} data holds more than {most} bytes"))
        } else {
            DecodeError::limit(format!("the {name} data unpacks to more than {} times its size", self.budget.ratio))
        }
    }
}
