//! Gzip, zlib and raw deflate.

use flate2::{Decompress, FlushDecompress, Status};

use super::hint::Coding;
use super::layer::{State, Step};

/// Source: RFC 1951: distances reach back over 32 KiB, which is 2 to the power of this.
const WINDOW_BITS: u8 = 15;

/// One gzip member, or one stream of the others; its checksum is verified.
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
            Ok(Status::StreamEnd) => State::Ended,
            Ok(_) => State::Open,
            Err(error) => State::Broken(told(error.message().unwrap_or_default()).to_owned()),
        };
        Step { read: (self.0.total_in() - taken) as usize, written: (self.0.total_out() - given) as usize, state }
    }
}

/// What the library says of headers and trailers; what it says of the data between depends on how that was cut.
fn told(message: &str) -> &str {
    let is_told = ["header", "incorrect", "unknown"].iter().any(|start| message.starts_with(start));
    if is_told { message } else { "it makes no sense" }
}
