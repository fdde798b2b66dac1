//! The text of a document out of its bytes, whatever charset they are in.

use encoding_rs::Encoding;

use super::Wrong;
use super::charset::{Charset, Decision, decide, in_another};
use super::foreign::Foreign;
use super::stage::Out;
use super::utf8::Utf8;
use super::writer::Writer;
use crate::diagnostic::{Fix, catalogue};
use crate::limits::Budget;
use crate::read::sink::Sink;

/// Bytes looked at in a row to tell UTF-8 from a charset of one byte a character.
const RUN: usize = 64;

#[derive(Debug)]
enum State {
    /// Too few bytes to tell the charset.
    Unknown(Vec<u8>),
    Utf8(Utf8),
    Doubtful(Doubtful),
    Foreign(Box<Foreign>),
}

/// Declared to be in a charset of one byte a character, and ASCII so far.
#[derive(Debug)]
struct Doubtful {
    charset: &'static Encoding,
    is_ascii: bool,
    declared: String,
    /// The first bytes that are not ASCII, in a row.
    run: Vec<u8>,
}

#[derive(Debug)]
pub struct Text {
    state: State,
    writer: Writer,
}

impl Text {
    pub fn new(budget: Budget) -> Self {
        Text { state: State::Unknown(Vec::new()), writer: Writer::new(budget.decoded_bytes) }
    }

    pub fn feed<S: Sink>(&mut self, bytes: &[u8], out: &mut Out<'_, S>) -> Result<(), Wrong> {
        match &mut self.state {
            State::Utf8(utf8) => utf8.feed(bytes, &mut self.writer, out),
            State::Foreign(foreign) => foreign.feed(bytes, false, &mut self.writer, out),
            State::Doubtful(_) => self.doubt(bytes, out),
            State::Unknown(first) => {
                // Nearly always the first piece is enough, and is not copied.
                if first.is_empty()
                    && let Some(decision) = decide(bytes, false)
                {
                    self.settle(decision, out);
                    return self.feed(bytes, out);
                }
                first.extend_from_slice(bytes);
                match decide(first, false) {
                    Some(decision) => self.settle_waiting(decision, out),
                    None => Ok(()),
                }
            }
        }
    }

    fn settle_waiting<S: Sink>(&mut self, decision: Decision, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        let first = match &mut self.state {
            State::Unknown(first) => std::mem::take(first),
            _ => Vec::new(),
        };
        self.settle(decision, out);
        self.feed(&first, out)
    }

    fn settle<S: Sink>(&mut self, decision: Decision, out: &mut Out<'_, S>) {
        for (rule, message, is_mended) in decision.notes {
            out.reader.defer_note(rule, message, is_mended, Some(Fix::charset()));
        }
        self.state = match decision.charset {
            Charset::Utf8 => State::Utf8(Utf8::default()),
            Charset::Certain(charset) => State::Foreign(Box::new(Foreign::new(charset))),
            Charset::Declared { charset, is_ascii } => {
                State::Doubtful(Doubtful { charset, is_ascii, declared: decision.declared, run: Vec::new() })
            }
        };
    }

    /// Writes ASCII until the first bytes come that are not, and decides by those.
    fn doubt<S: Sink>(&mut self, mut bytes: &[u8], out: &mut Out<'_, S>) -> Result<(), Wrong> {
        let State::Doubtful(doubtful) = &mut self.state else {
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

    /// Decides whether the run is UTF-8, which hardly any text is by accident. It `goes_on`, as far as is known.
    fn believe<S: Sink>(&mut self, goes_on: bool, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        let State::Doubtful(Doubtful { charset, is_ascii, declared, run }) = &mut self.state else {
            return Ok(());
        };
        let (charset, run) = (*charset, std::mem::take(run));
        let is_utf8 = std::str::from_utf8(&run).map_or_else(|error| goes_on && error.error_len().is_none(), |_| true);
        if is_utf8 {
            let message = format!("the document is declared as {declared:?}, but this is UTF-8, and is read as that");
            out.reader.defer_note(&catalogue::XML004, message, false, Some(Fix::charset()));
        } else if *is_ascii {
            let (rule, message, is_mended) = in_another(charset);
            out.reader.defer_note(rule, message, is_mended, Some(Fix::charset()));
        }
        self.state =
            if is_utf8 { State::Utf8(Utf8::default()) } else { State::Foreign(Box::new(Foreign::new(charset))) };
        self.feed(&run, out)
    }

    /// Says that the bytes have ended: of themselves, or because they `were_cut` off by something around them.
    pub fn finish<S: Sink>(&mut self, were_cut: bool, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        if let State::Unknown(first) = &self.state
            && let Some(decision) = decide(first, true)
        {
            self.settle_waiting(decision, out)?;
        }
        if let State::Doubtful(doubtful) = &self.state
            && !doubtful.run.is_empty()
        {
            self.believe(were_cut, out)?;
        }
        match &mut self.state {
            State::Utf8(utf8) => utf8.finish(were_cut, &mut self.writer, out)?,
            State::Foreign(foreign) if !were_cut => foreign.feed(&[], true, &mut self.writer, out)?,
            _ => {}
        }
        self.writer.begin(out);
        Ok(())
    }
}
