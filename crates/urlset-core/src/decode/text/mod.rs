//! The text of a document from its bytes, whatever charset they are in.

mod charset;
mod declaration;
mod transcode;
mod utf8;
mod writer;

use encoding_rs::Encoding;

use self::charset::{Charset, CharsetNote, Decision, decide, other_charset};
use self::transcode::Transcoder;
use self::utf8::Utf8;
use self::writer::Writer;
use super::error::DecodeError;
use super::output::Output;
use crate::diagnostic::{Fix, grammar};
use crate::limits::Budget;
use crate::read::sink::Sink;

/// Bytes in a row by which UTF-8 is distinguished from a charset of one byte per character.
const RUN: usize = 64;

#[derive(Debug)]
enum CharsetState {
    /// Too few bytes to decide on a charset.
    Unknown(Vec<u8>),
    Utf8(Utf8),
    Doubtful(Doubtful),
    Other(Box<Transcoder>),
}

/// Declared to be in a charset of one byte per character, and ASCII so far.
#[derive(Debug)]
struct Doubtful {
    charset: &'static Encoding,
    is_ascii: bool,
    declared: String,
    /// The first bytes that are not ASCII, in a row.
    run: Vec<u8>,
}

/// Decodes the text of one document.
#[derive(Debug)]
pub struct Text {
    state: CharsetState,
    writer: Writer,
}

impl Text {
    pub fn new(budget: Budget) -> Self {
        Text { state: CharsetState::Unknown(Vec::new()), writer: Writer::new(budget.decoded_bytes) }
    }

    /// Whether that was decided, and is so.
    pub fn is_utf8(&self) -> bool {
        matches!(self.state, CharsetState::Utf8(_))
    }

    /// What decodes a later part, if the text is in UTF-8.
    pub fn fork(&self, budget: Budget) -> Option<Self> {
        self.is_utf8()
            .then(|| Text { state: CharsetState::Utf8(Utf8::default()), writer: Writer::of_part(budget.decoded_bytes) })
    }

    /// Bytes that may still come, where the next one begins a character of UTF-8.
    pub fn left(&self) -> Option<u64> {
        matches!(&self.state, CharsetState::Utf8(utf8) if utf8.is_between()).then(|| self.writer.left())
    }

    /// Counts bytes of valid text that were written elsewhere.
    pub fn pass(&mut self, bytes: u64) {
        self.writer.pass(bytes);
    }

    pub fn feed<S: Sink>(&mut self, bytes: &[u8], out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        match &mut self.state {
            CharsetState::Utf8(utf8) => utf8.feed(bytes, &mut self.writer, out),
            CharsetState::Other(transcoder) => transcoder.feed(bytes, false, &mut self.writer, out),
            CharsetState::Doubtful(_) => self.doubt(bytes, out),
            CharsetState::Unknown(first) => {
                // Nearly always the first piece is enough, and is not copied.
                if first.is_empty()
                    && let Some(decision) = decide(bytes, false)
                {
                    let skipped = decision.skipped;
                    self.settle(decision, out);
                    return self.feed(&bytes[skipped..], out);
                }
                first.extend_from_slice(bytes);
                match decide(first, false) {
                    Some(decision) => self.settle_waiting(decision, out),
                    None => Ok(()),
                }
            }
        }
    }

    fn settle_waiting<S: Sink>(&mut self, decision: Decision, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        let first = match &mut self.state {
            CharsetState::Unknown(first) => std::mem::take(first),
            _ => Vec::new(),
        };
        let skipped = decision.skipped;
        self.settle(decision, out);
        self.feed(&first[skipped..], out)
    }

    fn settle<S: Sink>(&mut self, decision: Decision, out: &mut Output<'_, S>) {
        out.reader.encoding().has_mark = decision.has_mark;
        if decision.is_doubtful {
            out.reader.doubt_charset();
        }
        for note in decision.notes {
            defer(note, out);
        }
        self.state = match decision.charset {
            Charset::Utf8 => CharsetState::Utf8(Utf8::default()),
            Charset::Certain(charset) => CharsetState::Other(Box::new(Transcoder::new(charset))),
            Charset::Declared { charset, is_ascii } => {
                CharsetState::Doubtful(Doubtful { charset, is_ascii, declared: decision.declared, run: Vec::new() })
            }
        };
    }

    /// Writes ASCII until the first bytes that are not ASCII, and decides by those.
    fn doubt<S: Sink>(&mut self, mut bytes: &[u8], out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        let CharsetState::Doubtful(doubtful) = &mut self.state else {
            return Ok(());
        };
        if doubtful.run.is_empty() {
            let (ascii, rest) = bytes.split_at(Encoding::ascii_valid_up_to(bytes));
            if let Ok(text) = simdutf8::basic::from_utf8(ascii) {
                self.writer.text(text, out)?;
            }
            bytes = rest;
        }
        let length = bytes.iter().take(RUN - doubtful.run.len()).take_while(|byte| !byte.is_ascii()).count();
        let (more, rest) = bytes.split_at(length);
        doubtful.run.extend_from_slice(more);
        if doubtful.run.len() == RUN {
            self.believe(true, out)?;
        } else if !rest.is_empty() {
            self.believe(false, out)?;
        }
        if rest.is_empty() { Ok(()) } else { self.feed(rest, out) }
    }

    /// Decides whether the run is UTF-8, which hardly any text is by accident. The run may go on if it `goes_on`.
    fn believe<S: Sink>(&mut self, goes_on: bool, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        let CharsetState::Doubtful(Doubtful { charset, is_ascii, declared, run }) = &mut self.state else {
            return Ok(());
        };
        let (charset, run) = (*charset, std::mem::take(run));
        let is_utf8 = std::str::from_utf8(&run).map_or_else(|error| goes_on && error.error_len().is_none(), |_| true);
        if is_utf8 {
            let message = format!("the document is declared as {declared:?}, but this is UTF-8, and is read as that");
            defer(CharsetNote { rule: &grammar::XML004, message, is_repair: false }, out);
            // A reader that believes the declaration reads each of these bytes as a character of its own.
            out.reader.doubt_charset();
        } else if *is_ascii {
            defer(other_charset(charset), out);
        }
        // Browsers take the name for more than it means, which shows in these bytes only.
        let is_extended = !declared.contains("125") && !declared.eq_ignore_ascii_case(charset.name());
        let transcoder = || Box::new(Transcoder::new(charset).watching(is_extended));
        self.state = if is_utf8 { CharsetState::Utf8(Utf8::default()) } else { CharsetState::Other(transcoder()) };
        self.feed(&run, out)
    }

    /// Ends the bytes, either by themselves or because they `were_cut` off by an error around them.
    pub fn finish<S: Sink>(&mut self, were_cut: bool, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        if let CharsetState::Unknown(first) = &self.state
            && let Some(decision) = decide(first, true)
        {
            self.settle_waiting(decision, out)?;
        }
        if let CharsetState::Doubtful(doubtful) = &self.state
            && !doubtful.run.is_empty()
        {
            self.believe(were_cut, out)?;
        }
        match &mut self.state {
            CharsetState::Utf8(utf8) => utf8.finish(were_cut, &mut self.writer, out)?,
            CharsetState::Other(transcoder) if !were_cut => transcoder.feed(&[], true, &mut self.writer, out)?,
            _ => {}
        }
        self.writer.begin(out);
        Ok(())
    }
}

/// Keeps a note about the charset, with its fix, until the text that it is about is read.
fn defer<S: Sink>(note: CharsetNote, out: &mut Output<'_, S>) {
    out.reader.defer_note(note.rule, note.message, note.is_repair, Some(Fix::charset()));
}
