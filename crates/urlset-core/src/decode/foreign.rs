//! Charsets other than UTF-8.

use encoding_rs::{Decoder, DecoderResult, Encoding};

use super::stage::Out;
use super::writer::Writer;
use super::{PIECE, Wrong};
use crate::read::sink::Sink;

/// Bytes read back at most to find the one that meant nothing. Source: encoding_rs: "the worst-case sum is 6".
const TAIL: usize = 8;

pub struct Foreign {
    charset: &'static Encoding,
    decoder: Decoder,
    buffer: String,
    /// The last bytes that were decoded.
    tail: Vec<u8>,
}

impl std::fmt::Debug for Foreign {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Foreign").field("charset", &self.charset.name()).finish_non_exhaustive()
    }
}

impl Foreign {
    pub fn new(charset: &'static Encoding) -> Self {
        Foreign {
            charset,
            decoder: charset.new_decoder_without_bom_handling(),
            buffer: String::with_capacity(PIECE),
            tail: Vec::new(),
        }
    }

    /// Decodes bytes, the last ones where `is_last` says so: then nothing may follow.
    pub fn feed<S: Sink>(
        &mut self,
        mut bytes: &[u8],
        is_last: bool,
        writer: &mut Writer,
        out: &mut Out<'_, S>,
    ) -> Result<(), Wrong> {
        loop {
            self.buffer.clear();
            let (result, read) = self.decoder.decode_to_string_without_replacement(bytes, &mut self.buffer, is_last);
            self.remember(&bytes[..read]);
            bytes = &bytes[read..];
            writer.text(&self.buffer, out)?;
            match result {
                DecoderResult::InputEmpty => return Ok(()),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(length, after) => {
                    let back = usize::from(length) + usize::from(after);
                    let byte = self.tail[self.tail.len().saturating_sub(back)];
                    writer.bad(byte, self.charset.name(), out)?;
                }
            }
        }
    }

    fn remember(&mut self, read: &[u8]) {
        self.tail.extend_from_slice(&read[read.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }
}
