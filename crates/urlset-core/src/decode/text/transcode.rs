//! Transcoding from charsets other than UTF-8.

use encoding_rs::{Decoder, DecoderResult, Encoding};

use super::writer::Writer;
use crate::decode::error::DecodeError;
use crate::decode::output::Output;
use crate::decode::piece::PIECE;
use crate::read::sink::Sink;

/// The most bytes to go back to find the invalid one. Source: encoding_rs: "the worst-case sum is 6".
const TAIL: usize = 8;

/// Transcodes the bytes of one charset.
pub struct Transcoder {
    charset: &'static Encoding,
    decoder: Decoder,
    buffer: String,
    /// The last bytes that were decoded.
    tail: Vec<u8>,
    /// Bytes from 0x80 to 0x9f are control characters in the charset that is declared, and letters in this one.
    is_extended: bool,
}

impl std::fmt::Debug for Transcoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Transcoder").field("charset", &self.charset.name()).finish_non_exhaustive()
    }
}

impl Transcoder {
    pub fn new(charset: &'static Encoding) -> Self {
        Transcoder {
            charset,
            decoder: charset.new_decoder_without_bom_handling(),
            buffer: String::with_capacity(PIECE),
            tail: Vec::new(),
            is_extended: false,
        }
    }

    /// The same, for a charset of one byte a character that has more of them than the declared one.
    pub fn watching(mut self, is_extended: bool) -> Self {
        self.is_extended = is_extended;
        self
    }

    /// Transcodes bytes. Nothing may follow the bytes that are the last.
    pub fn feed<S: Sink>(
        &mut self,
        mut bytes: &[u8],
        is_last: bool,
        writer: &mut Writer,
        out: &mut Output<'_, S>,
    ) -> Result<(), DecodeError> {
        if self.is_extended && bytes.iter().any(|byte| matches!(byte, 0x80..=0x9f)) {
            out.reader.doubt_charset();
        }
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
