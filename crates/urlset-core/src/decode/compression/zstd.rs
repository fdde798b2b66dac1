//! Zstandard, frame by frame.

use std::fmt;
use std::io::Read;

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::step::{Step, StreamState};
use crate::limits::ZSTD_WINDOW_BYTES;

const MAGIC_BYTES: usize = 4;
const SKIPPABLE_HEADER: usize = 8;
const BLOCK_HEADER: usize = 3;
const CHECKSUM: usize = 4;
/// An empty last block. After it, the decoder hands out what it held back because later blocks could refer to it.
const NO_MORE: [u8; BLOCK_HEADER] = [1, 0, 0];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Header,
    /// This many bytes of a skippable frame.
    Skip(u64),
    Block,
    Checksum,
    End,
}

/// A block that says it is longer than any block may be.
struct OversizedBlock {
    size: usize,
}

/// Decompresses one frame.
pub struct Zstd {
    decoder: FrameDecoder,
    next: Next,
    /// The beginning of what comes next, until it is complete: a block is taken whole.
    waiting: Vec<u8>,
    has_checksum: bool,
}

impl fmt::Debug for Zstd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Zstd").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Zstd {
    pub fn new() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(ZSTD_WINDOW_BYTES);
        Zstd { decoder, next: Next::Header, waiting: Vec::new(), has_checksum: false }
    }

    /// Prepares the decoder for another frame, in the same memory.
    pub fn renew(&mut self) {
        self.next = Next::Header;
        self.waiting.clear();
    }

    pub fn step(&mut self, input: &[u8], room: &mut [u8]) -> Step {
        // Reading from memory does not fail.
        let written = self.decoder.read(room).unwrap_or(0);
        let done = |read, state| Step { read, written, state };
        if written > 0 || room.is_empty() {
            return done(0, StreamState::Open);
        }
        if let Next::Skip(left) = &mut self.next {
            let skipped = (*left).min(input.len() as u64);
            *left -= skipped;
            let state = if *left == 0 { StreamState::Ended } else { StreamState::Open };
            return done(skipped as usize, state);
        }
        if self.next == Next::End {
            return done(0, StreamState::Ended);
        }
        let mut read = 0;
        loop {
            let needed = match self.needed() {
                Ok(needed) => needed,
                Err(OversizedBlock { size }) => {
                    return done(read, StreamState::Corrupt(Some(format!("it has a block of {size} bytes"))));
                }
            };
            let missing = (needed - self.waiting.len()).min(input.len() - read);
            self.waiting.extend_from_slice(&input[read..read + missing]);
            read += missing;
            if self.waiting.len() < needed {
                return done(read, StreamState::Open);
            }
            // Only these bytes may show that more are needed.
            if self.needed().is_ok_and(|needed| needed == self.waiting.len()) {
                let state = self.take();
                self.waiting.clear();
                return done(read, state);
            }
        }
    }

    /// The length of what comes next, as far as the waiting bytes show it.
    fn needed(&self) -> Result<usize, OversizedBlock> {
        let waiting = &self.waiting;
        match self.next {
            Next::Header if waiting.len() < MAGIC_BYTES => Ok(MAGIC_BYTES),
            Next::Header if is_skippable(waiting) => Ok(SKIPPABLE_HEADER),
            Next::Header => Ok(waiting.get(MAGIC_BYTES).map_or(MAGIC_BYTES + 1, |flags| header_length(*flags))),
            Next::Block => match waiting[..] {
                [first, second, third, ..] => {
                    let header = u32::from_le_bytes([first, second, third, 0]);
                    // Source: RFC 8878, section 3.1.1.2: a block of type 1 is one byte, to be repeated.
                    let size = if header >> 1 & 3 == 1 { 1 } else { (header >> 3) as usize };
                    let most = 128 * 1024;
                    if size > most { Err(OversizedBlock { size }) } else { Ok(BLOCK_HEADER + size) }
                }
                _ => Ok(BLOCK_HEADER),
            },
            Next::Checksum => Ok(CHECKSUM),
            Next::Skip(_) | Next::End => Ok(0),
        }
    }

    /// Takes what comes next, which is waiting as a whole.
    fn take(&mut self) -> StreamState {
        match self.next {
            Next::Header if is_skippable(&self.waiting) => {
                let length = [self.waiting[4], self.waiting[5], self.waiting[6], self.waiting[7]];
                self.next = Next::Skip(u32::from_le_bytes(length).into());
                StreamState::Open
            }
            Next::Header => {
                self.has_checksum = self.waiting[MAGIC_BYTES] & 4 != 0;
                self.next = Next::Block;
                match self.decoder.init(self.waiting.as_slice()) {
                    Ok(()) => StreamState::Open,
                    Err(FrameDecoderError::WindowSizeTooBig { requested, max }) => StreamState::Exceeded(format!(
                        "the zstd data asks for a window of {requested} bytes, more than {max}"
                    )),
                    Err(error) => StreamState::Corrupt(Some(error.to_string())),
                }
            }
            Next::Block => {
                let is_last = self.waiting[0] & 1 != 0;
                if is_last && self.has_checksum {
                    // The decoder expects a checksum along with the block. We verify the real one once it is there.
                    self.waiting.extend_from_slice(&[0; CHECKSUM]);
                }
                if let Err(error) = self.decode() {
                    return StreamState::Corrupt(Some(error.to_string()));
                }
                self.next = match (is_last, self.has_checksum) {
                    (false, _) => Next::Block,
                    (true, true) => Next::Checksum,
                    (true, false) => Next::End,
                };
                StreamState::Open
            }
            Next::Checksum => {
                self.next = Next::End;
                let given = self.waiting.as_slice().try_into().map(u32::from_le_bytes).ok();
                let same = given == self.decoder.get_calculated_checksum();
                if same { StreamState::Open } else { StreamState::Corrupt(Some("the checksum does not match".into())) }
            }
            Next::Skip(_) | Next::End => StreamState::Open,
        }
    }

    fn decode(&mut self) -> Result<(), FrameDecoderError> {
        self.decoder.decode_blocks(self.waiting.as_slice(), BlockDecodingStrategy::UptoBlocks(1)).map(|_| ())
    }

    /// Gives up on the rest of the frame: the next steps hand out what was held back, and then nothing.
    pub fn release(&mut self) {
        if self.next == Next::Block {
            self.waiting = NO_MORE.to_vec();
            self.waiting.extend_from_slice(&[0; CHECKSUM]);
            let _ = self.decode();
            self.waiting.clear();
        }
        self.next = Next::End;
    }
}

fn is_skippable(header: &[u8]) -> bool {
    header.len() >= MAGIC_BYTES && header[1..MAGIC_BYTES] == [0x2a, 0x4d, 0x18]
}

/// The length of a frame's header, from its first byte after the magic number. Source: RFC 8878, section 3.1.1.1.
fn header_length(flags: u8) -> usize {
    let is_single_segment = flags >> 5 & 1 == 1;
    let window = usize::from(!is_single_segment);
    let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
    let content = [usize::from(is_single_segment), 2, 4, 8][usize::from(flags >> 6)];
    MAGIC_BYTES + 1 + window + dictionary + content
}
