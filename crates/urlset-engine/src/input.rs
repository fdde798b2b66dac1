//! The source of a document's bytes: memory, a file, a pipe, or whatever else hands them out.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use crate::interrupt::Interrupt;
use crate::pipe::Pipe;

/// Bytes that are read at once from a file or a file object, or taken at once from memory, so that batches flow meanwhile.
const PIECE: usize = 512 * 1024;

/// Bytes of a file that are held at once, where more of it is asked for.
const MAX_HELD: usize = 4 << 20;

/// A file of fewer bytes is not worth another thread, compressed or not, so that nobody has to peek at it.
const MIN_PEEKED: u64 = 32 * 1024;

/// Bytes that are held by somebody else and do not change.
pub type Bytes = Box<dyn AsRef<[u8]> + Send + Sync>;

/// Hands out the bytes of a document piece by piece, as a file object or an iterator does.
pub trait Pieces: Send {
    /// Return the next piece, of about `size` bytes; None at the end.
    fn next(&mut self, size: usize) -> io::Result<Option<Bytes>>;
}

/// The bytes of one document, in pieces.
pub enum Input {
    Memory {
        bytes: Bytes,
        at: usize,
    },
    File {
        file: File,
        buffer: Vec<u8>,
        /// Bytes of the buffer that were read and not taken yet.
        held: Range<usize>,
    },
    /// Received by a thread of its own.
    Pipe(Arc<Pipe>),
    Pieces(Box<dyn Pieces>),
}

impl Input {
    /// A document that is in memory.
    pub fn memory(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Input::Memory { bytes: Box::new(bytes), at: 0 }
    }

    /// A file, from its beginning. The buffer for a small one is small.
    pub fn file(file: File) -> Self {
        let length = file.metadata().map_or(0, |data| data.len());
        let size = if length == 0 { PIECE } else { PIECE.min(length as usize + 1) };
        Input::File { file, buffer: vec![0; size], held: 0..0 }
    }

    /// Whether any thread may read it. Other sources are asked on the thread that takes the rows.
    pub fn goes_anywhere(&self) -> bool {
        !matches!(self, Input::Pieces(_))
    }

    /// The next bytes, at most so many, which `pass` takes. None where they cannot be had before they are taken.
    pub fn peek(&mut self, most: usize) -> io::Result<Option<&[u8]>> {
        match self {
            Input::Memory { bytes, at } => {
                let bytes = (**bytes).as_ref();
                Ok(Some(&bytes[*at..(*at + most).min(bytes.len())]))
            }
            Input::File { file, buffer, held } => {
                // A pipe has no length. Its bytes are read as they come.
                let length = file.metadata()?.len();
                if length < MIN_PEEKED {
                    return Ok(None);
                }
                let most = most.min(MAX_HELD).min(usize::try_from(length).unwrap_or(MAX_HELD));
                buffer.copy_within(held.clone(), 0);
                *held = 0..held.len();
                buffer.resize(buffer.len().max(most), 0);
                while held.end < most {
                    match file.read(&mut buffer[held.end..most])? {
                        0 => break,
                        length => held.end += length,
                    }
                }
                Ok(Some(&buffer[..held.end]))
            }
            Input::Pipe(_) | Input::Pieces(_) => Ok(None),
        }
    }

    /// Takes bytes that were peeked at.
    pub fn pass(&mut self, length: usize) {
        match self {
            Input::Memory { at, .. } => *at += length,
            Input::File { held, .. } => held.start += length,
            Input::Pipe(_) | Input::Pieces(_) => {}
        }
    }

    /// Hand the next piece to `take`. Returns false when there are no more. `interrupt` is asked now and then while a pipe is
    /// waited for.
    pub fn next(&mut self, interrupt: &dyn Interrupt, take: impl FnOnce(&[u8])) -> io::Result<bool> {
        match self {
            Input::Memory { bytes, at } => {
                let bytes = (**bytes).as_ref();
                let start = *at;
                *at = (start + PIECE).min(bytes.len());
                Ok(some(&bytes[start..*at], take))
            }
            Input::File { file, buffer, held } => {
                if held.start == held.end {
                    *held = 0..file.read(buffer)?;
                }
                let start = held.start;
                held.start = held.end.min(start + PIECE);
                Ok(some(&buffer[start..held.start], take))
            }
            Input::Pipe(pipe) => Ok(some(&pipe.next(interrupt)?, take)),
            Input::Pieces(pieces) => {
                let piece = pieces.next(PIECE)?;
                let is_more = piece.is_some();
                if let Some(piece) = piece {
                    take((*piece).as_ref());
                }
                Ok(is_more)
            }
        }
    }
}

/// Hand over a piece if it has any bytes. Returns whether it has.
fn some(piece: &[u8], take: impl FnOnce(&[u8])) -> bool {
    if !piece.is_empty() {
        take(piece);
    }
    !piece.is_empty()
}
