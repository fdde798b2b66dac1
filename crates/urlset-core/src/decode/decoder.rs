//! The bytes of one document on their way into its reader.

use super::content_encoding::ContentEncoding;
use super::error::DecodeError;
use super::output::Output;
use super::overlap;
use super::piece::PIECE;
use super::stage::Stage;
use crate::limits::Budget;
use crate::read::Reader;
use crate::read::sink::Sink;

/// Decodes the bytes of one document and feeds the text to its [`Reader`].
#[derive(Debug)]
pub struct Decoder {
    stage: Stage,
    budget: Budget,
    wire_bytes: u64,
    /// How many layers of compression a header names.
    named: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(Budget::DEFAULT, ContentEncoding::default())
    }
}

impl Decoder {
    /// A decoder for bytes that may have been encoded as the header says; the default encoding says nothing.
    pub fn new(budget: Budget, encoding: ContentEncoding) -> Self {
        let named = encoding.len();
        Decoder { stage: Stage::new(budget, encoding), budget, wire_bytes: 0, named }
    }

    /// The number of bytes fed so far, before any decompression.
    pub fn wire_bytes(&self) -> u64 {
        self.wire_bytes
    }

    /// The layers of compression around the text, from the outermost on.
    pub fn layers(&self) -> Vec<&'static str> {
        self.stage.layers()
    }

    /// Takes the next bytes, of any number. What is wrong with them becomes the reader's fault.
    pub fn feed(&mut self, bytes: &[u8], reader: &mut Reader, sink: &mut impl Sink) {
        for piece in bytes.chunks(PIECE) {
            if reader.fault().is_some() {
                break;
            }
            let mut output = Output { reader, sink };
            if let Err(error) = self.feed_piece(piece, &mut output) {
                self.fail(error, &mut output);
            }
        }
    }

    /// Whether another thread may undo the compression of what comes: it is compressed, as has been proved by what came.
    pub fn can_overlap(&mut self) -> bool {
        self.stage.layer().is_some()
    }

    /// Takes the next bytes as [`Decoder::feed`] does, but undoes their compression on another thread, if it can be.
    pub fn feed_overlapped(&mut self, bytes: &[u8], reader: &mut Reader, sink: &mut impl Sink) {
        let left = self.budget.wire_bytes.saturating_sub(self.wire_bytes);
        let mut taken = 0;
        if reader.fault().is_none()
            && bytes.len() as u64 <= left
            && let Some((layer, next)) = self.stage.layer()
        {
            let mut output = Output { reader, sink };
            let (length, result) = overlap::feed(layer, next, bytes, &mut output);
            (taken, self.wire_bytes) = (length, self.wire_bytes + length as u64);
            if let Err(error) = result {
                self.fail(error, &mut output);
            }
        }
        self.feed(&bytes[taken..], reader, sink);
    }

    /// Ends the bytes with an error. Whatever was decoded before it counts, also what still waited for more.
    fn fail<S: Sink>(&mut self, error: DecodeError, output: &mut Output<'_, S>) {
        let _ = self.stage.finish(true, output);
        refuse(error, output.reader, output.sink);
    }

    fn feed_piece<S: Sink>(&mut self, piece: &[u8], output: &mut Output<'_, S>) -> Result<(), DecodeError> {
        let left = self.budget.wire_bytes.saturating_sub(self.wire_bytes);
        let within = &piece[..piece.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        self.wire_bytes += piece.len() as u64;
        self.stage.feed(within, output)?;
        if within.len() < piece.len() {
            return Err(DecodeError::limit(format!("the document is longer than {} bytes", self.budget.wire_bytes)));
        }
        Ok(())
    }

    /// Whether its bytes are text in UTF-8 as they come.
    pub fn can_fork(&self) -> bool {
        self.stage.is_utf8()
    }

    /// A decoder of a later part of the document. None: its bytes are not text in UTF-8, or that is not known yet.
    pub fn fork(&self) -> Option<Decoder> {
        Some(Decoder { stage: self.stage.fork()?, budget: self.budget, wire_bytes: 0, named: self.named })
    }

    /// Whether the bytes that a fork has decoded may come next.
    pub fn can_join(&self, fork: &Decoder) -> bool {
        self.wire_bytes + fork.wire_bytes <= self.budget.wire_bytes && self.stage.left() >= Some(fork.wire_bytes)
    }

    /// Goes on where a fork has ended that it can join.
    pub fn join(&mut self, fork: &Decoder) {
        self.wire_bytes += fork.wire_bytes;
        self.stage.pass(fork.wire_bytes);
    }

    /// Ends the document: there are no more bytes.
    pub fn finish(&mut self, reader: &mut Reader, sink: &mut impl Sink) {
        if reader.fault().is_none()
            && let Err(error) = self.stage.finish(false, &mut Output { reader, sink })
        {
            refuse(error, reader, sink);
        }
        reader.encoding().layers = self.layers().len().saturating_sub(self.named);
        reader.finish(sink);
    }
}

fn refuse(error: DecodeError, reader: &mut Reader, sink: &mut impl Sink) {
    reader.refuse(error.kind, error.rule, error.message, sink);
}
