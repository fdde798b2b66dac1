//! UTF-8: checked in whole pieces, and handed on without a copy if it is valid.

use super::writer::Writer;
use crate::decode::error::DecodeError;
use crate::decode::output::Output;
use crate::read::sink::Sink;

/// Checks UTF-8.
#[derive(Debug, Default)]
pub struct Utf8 {
    /// The beginning of a character whose other bytes are still missing; at most three bytes.
    partial: Vec<u8>,
}

impl Utf8 {
    /// Whether no character is incomplete.
    pub fn is_between(&self) -> bool {
        self.partial.is_empty()
    }

    pub fn feed<S: Sink>(
        &mut self,
        mut bytes: &[u8],
        writer: &mut Writer,
        out: &mut Output<'_, S>,
    ) -> Result<(), DecodeError> {
        while !self.partial.is_empty() && !bytes.is_empty() {
            self.partial.push(bytes[0]);
            bytes = &bytes[1..];
            let character = std::mem::take(&mut self.partial);
            self.check(&character, writer, out)?;
        }
        if bytes.is_empty() { Ok(()) } else { self.check(bytes, writer, out) }
    }

    /// Writes everything except an incomplete character at the end.
    fn check<S: Sink>(
        &mut self,
        bytes: &[u8],
        writer: &mut Writer,
        out: &mut Output<'_, S>,
    ) -> Result<(), DecodeError> {
        let (whole, partial) = bytes.split_at(bytes.len() - partial_length(bytes));
        self.partial.extend_from_slice(partial);
        if let Ok(text) = simdutf8::basic::from_utf8(whole) {
            return writer.text(text, out);
        }
        for chunk in whole.utf8_chunks() {
            writer.text(chunk.valid(), out)?;
            if let Some(byte) = chunk.invalid().first() {
                writer.bad(*byte, "UTF-8", out)?;
            }
        }
        Ok(())
    }

    /// Ends the bytes. If they `were_cut` off, an incomplete character is not reported.
    pub fn finish<S: Sink>(
        &mut self,
        were_cut: bool,
        writer: &mut Writer,
        out: &mut Output<'_, S>,
    ) -> Result<(), DecodeError> {
        match std::mem::take(&mut self.partial).first() {
            Some(byte) if !were_cut => writer.bad(*byte, "UTF-8", out),
            _ => Ok(()),
        }
    }
}

/// The number of bytes at the end that begin an incomplete character.
fn partial_length(bytes: &[u8]) -> usize {
    for length in 1..=bytes.len().min(3) {
        let tail = &bytes[bytes.len() - length..];
        if tail[0] >= 0xc0 {
            let is_partial = std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none());
            return if is_partial { length } else { 0 };
        }
        if tail[0] < 0x80 {
            return 0;
        }
    }
    0
}
