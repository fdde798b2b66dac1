//! UTF-8: checked in whole pieces, and handed on without a copy where it is what it should be.

use super::Wrong;
use super::stage::Out;
use super::writer::Writer;
use crate::read::sink::Sink;

#[derive(Debug, Default)]
pub struct Utf8 {
    /// The beginning of a character whose other bytes have not come yet; three bytes at most.
    partial: Vec<u8>,
}

impl Utf8 {
    pub fn feed<S: Sink>(&mut self, mut bytes: &[u8], writer: &mut Writer, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        while !self.partial.is_empty() && !bytes.is_empty() {
            self.partial.push(bytes[0]);
            bytes = &bytes[1..];
            let character = std::mem::take(&mut self.partial);
            self.check(&character, writer, out)?;
        }
        if bytes.is_empty() { Ok(()) } else { self.check(bytes, writer, out) }
    }

    /// Writes all of it but a character that is not complete yet.
    fn check<S: Sink>(&mut self, bytes: &[u8], writer: &mut Writer, out: &mut Out<'_, S>) -> Result<(), Wrong> {
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

    /// No more bytes come; where they `were_cut` off, an unfinished character is nobody's mistake.
    pub fn finish<S: Sink>(&mut self, were_cut: bool, writer: &mut Writer, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        match std::mem::take(&mut self.partial).first() {
            Some(byte) if !were_cut => writer.bad(*byte, "UTF-8", out),
            _ => Ok(()),
        }
    }
}

/// How many bytes at the end are the beginning of a character that is not complete.
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
