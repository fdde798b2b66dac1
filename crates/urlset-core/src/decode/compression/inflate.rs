//! Gzip, zlib and raw deflate.

use flate2::{Decompress, FlushDecompress, Status};

use super::step::{Step, StreamState};
use crate::decode::coding::Coding;

/// Source: RFC 1951: distances reach back up to 32 KiB, which is 2 to the power of this.
const WINDOW_BITS: u8 = 15;

/// Decompresses one gzip member, or one stream of the other two, and verifies its checksum.
#[derive(Debug)]
pub struct Inflate(Decompress);

impl Inflate {
    pub fn new(coding: Coding) -> Self {
        Inflate(match coding {
            Coding::Gzip => Decompress::new_gzip(WINDOW_BITS),
            _ => Decompress::new(coding == Coding::Zlib),
        })
    }

    pub fn step(&mut self, input: &[u8], room: &mut [u8]) -> Step {
        let (taken, given) = (self.0.total_in(), self.0.total_out());
        let result = self.0.decompress(input, room, FlushDecompress::None);
        let state = match result {
            Ok(Status::StreamEnd) => StreamState::Ended,
            Ok(_) => StreamState::Open,
            Err(error) => {
                StreamState::Corrupt(error.message().filter(|message| is_definite(message)).map(str::to_owned))
            }
        };
        Step { read: (self.0.total_in() - taken) as usize, written: (self.0.total_out() - given) as usize, state }
    }
}

/// Whether a message of the library is about a header or a trailer. Its messages about the data between depend on how the
/// input was split.
fn is_definite(message: &str) -> bool {
    ["header", "incorrect", "unknown"].iter().any(|start| message.starts_with(start))
}
