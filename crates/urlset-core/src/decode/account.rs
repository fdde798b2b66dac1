//! What one layer of compression has taken and given, held against its bounds.

use super::hint::Coding;
use super::{PIECE, Wrong, limit};
use crate::limits::{Budget, RATIO_FREE_BYTES};

/// Input is counted in units of this many bytes, so that what is allowed depends on a place in the input and not on
/// how it was cut.
pub const GRAIN: u64 = 16 * 1024;

/// The output of a layer until it is handed on.
#[derive(Debug)]
pub struct Account {
    coding: Coding,
    budget: Budget,
    buffer: Vec<u8>,
    filled: usize,
    taken: u64,
    given: u64,
    allowed: u64,
}

impl Account {
    pub fn new(coding: Coding, budget: Budget) -> Self {
        Account { coding, budget, buffer: vec![0; PIECE], filled: 0, taken: 0, given: 0, allowed: 0 }
    }

    pub fn is_full(&self) -> bool {
        self.filled == self.buffer.len()
    }

    /// How many bytes of input may be counted at once.
    pub fn grain(&self) -> usize {
        (GRAIN - self.taken % GRAIN) as usize
    }

    /// Counts bytes of input, no more than [`Account::grain`] says.
    pub fn take(&mut self, length: usize) {
        self.taken += length as u64;
        let ratio = self.taken.next_multiple_of(GRAIN).saturating_mul(self.budget.ratio);
        self.allowed = ratio.max(RATIO_FREE_BYTES).min(self.budget.decoded_bytes);
    }

    /// Where the next output goes; the buffer may not be full. There is room for one byte more
    /// than is allowed, which shows that there is one.
    pub fn room(&mut self) -> &mut [u8] {
        let left = (self.allowed - self.given).saturating_add(1);
        let end = self.buffer.len().min(self.filled + usize::try_from(left).unwrap_or(PIECE));
        &mut self.buffer[self.filled..end]
    }

    /// Counts bytes of output that were put into the room.
    pub fn give(&mut self, length: usize) -> Result<(), Wrong> {
        let within = length.min(usize::try_from(self.allowed - self.given).unwrap_or(usize::MAX));
        self.filled += within;
        self.given += within as u64;
        if within == length { Ok(()) } else { Err(self.exceeded()) }
    }

    /// What is to be handed on; the buffer is free again after it.
    pub fn hand_on(&mut self) -> &[u8] {
        &self.buffer[..std::mem::take(&mut self.filled)]
    }

    #[cold]
    fn exceeded(&self) -> Wrong {
        let (name, most) = (self.coding.name(), self.budget.decoded_bytes);
        if self.allowed == most {
            limit(format!("the {name} data holds more than {most} bytes"))
        } else {
            limit(format!("the {name} data unpacks to more than {} times its size", self.budget.ratio))
        }
    }
}
