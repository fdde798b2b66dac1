//! The last step: text goes to the reader without byte order marks, and only as much of it as is allowed.

use crate::decode::error::DecodeError;
use crate::decode::output::Output;
use crate::diagnostic::{Fix, grammar};
use crate::read::sink::Sink;

const MARK: char = '\u{feff}';

/// Writes the text of one document.
#[derive(Debug)]
pub struct Writer {
    left: u64,
    most: u64,
    /// Byte order marks at the beginning.
    marks: usize,
    has_begun: bool,
    /// What was written last stands for invalid bytes.
    is_bad: bool,
}

impl Writer {
    pub fn new(most: u64) -> Self {
        Writer { left: most, most, marks: 0, has_begun: false, is_bad: false }
    }

    /// The same for a later part of the text, in which a mark is a character like any other.
    pub fn of_part(most: u64) -> Self {
        Writer { has_begun: true, ..Writer::new(most) }
    }

    /// Bytes that may still be written.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Counts bytes of valid text that were written elsewhere.
    pub fn pass(&mut self, bytes: u64) {
        self.left -= bytes;
        self.is_bad = false;
    }

    pub fn text<S: Sink>(&mut self, mut text: &str, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        if text.is_empty() {
            return Ok(());
        }
        if !self.has_begun {
            let rest = text.trim_start_matches(MARK);
            self.marks += (text.len() - rest.len()) / MARK.len_utf8();
            if rest.is_empty() {
                return Ok(());
            }
            self.begin(out);
            text = rest;
        }
        self.is_bad = false;
        self.write(text, out)
    }

    /// Writes U+FFFD in place of invalid bytes. Only the first of adjacent ones is reported.
    pub fn bad<S: Sink>(&mut self, byte: u8, charset: &str, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        self.begin(out);
        if !std::mem::replace(&mut self.is_bad, true) {
            let message = format!("the byte 0x{byte:02X} here is not {charset}");
            out.reader.defer_note(&grammar::XML002, message, true, None);
        }
        self.write("\u{fffd}", out)
    }

    /// Begins the text, or ends one that never began: all byte order marks have been seen.
    pub fn begin<S: Sink>(&mut self, out: &mut Output<'_, S>) {
        if !std::mem::replace(&mut self.has_begun, true) && self.marks > 1 {
            let message = format!("{} byte order marks at the beginning; there may be only one", self.marks);
            out.reader.defer_note(&grammar::XML004, message, true, Some(Fix::charset()));
        }
    }

    fn write<S: Sink>(&mut self, text: &str, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        if out.reader.fault().is_some() {
            // The reader keeps its fault. This only ends what is on its way to it.
            return Err(DecodeError::limit("reading has ended".into()));
        }
        let mut within = text.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        while !text.is_char_boundary(within) {
            within -= 1;
        }
        self.left -= within as u64;
        out.reader.feed(&text[..within], out.sink);
        if within == text.len() {
            return Ok(());
        }
        self.left = 0;
        Err(DecodeError::limit(format!("the text is longer than {} bytes", self.most)))
    }
}
