//! The last step: text to the reader, without byte order marks and no more of it than is allowed.

use super::stage::Out;
use super::{Wrong, limit};
use crate::diagnostic::{Fix, catalogue};
use crate::read::sink::Sink;

const MARK: char = '\u{feff}';

#[derive(Debug)]
pub struct Writer {
    left: u64,
    most: u64,
    /// Byte order marks at the beginning.
    marks: usize,
    has_begun: bool,
    /// What was written last stands for bytes that mean nothing.
    is_bad: bool,
}

impl Writer {
    pub fn new(most: u64) -> Self {
        Writer { left: most, most, marks: 0, has_begun: false, is_bad: false }
    }

    pub fn text<S: Sink>(&mut self, mut text: &str, out: &mut Out<'_, S>) -> Result<(), Wrong> {
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

    /// Writes U+FFFD in the place of bytes that mean nothing; of adjacent ones the first is told.
    pub fn bad<S: Sink>(&mut self, byte: u8, charset: &str, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        self.begin(out);
        if !std::mem::replace(&mut self.is_bad, true) {
            let message = format!("the byte 0x{byte:02X} here is not {charset}");
            out.reader.defer_note(&catalogue::XML002, message, true, None);
        }
        self.write("\u{fffd}", out)
    }

    /// The text begins, or has ended without a beginning: all byte order marks have been seen.
    pub fn begin<S: Sink>(&mut self, out: &mut Out<'_, S>) {
        if !std::mem::replace(&mut self.has_begun, true) && self.marks > 1 {
            let message = format!("{} byte order marks, where one may be", self.marks);
            out.reader.defer_note(&catalogue::XML004, message, true, Some(Fix::charset()));
        }
    }

    fn write<S: Sink>(&mut self, text: &str, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        if out.reader.fault().is_some() {
            // It keeps the fault it has; this only ends what is on its way here.
            return Err(limit("reading has ended".into()));
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
        Err(limit(format!("the text is longer than {} bytes", self.most)))
    }
}
