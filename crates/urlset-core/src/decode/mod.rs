//! Bytes as they were found to text: compression undone layer by layer, then the charset, each told by the bytes.
//!
//! The name of a file and the headers it came with say nothing reliable about either; its bytes do. A hint is needed
//! only for what leaves no mark of its own in them, and is never believed against them.
//!
//! The parts hand on to each other: a [`stage::Stage`] finds out what its bytes are and becomes a layer of
//! compression with another stage behind it, or the text, which goes to the [`Reader`]. How the bytes were cut makes
//! no difference anywhere: what is decided is decided at a place in the bytes.

mod account;
mod brotli;
mod charset;
mod declaration;
mod foreign;
pub mod hint;
mod inflate;
mod layer;
mod sniff;
mod stage;
mod text;
mod utf8;
mod writer;
mod zstd;

use hint::Hint;
use stage::{Out, Stage};

use crate::diagnostic::{Rule, catalogue};
use crate::limits::Budget;
use crate::read::sink::Sink;
use crate::read::{FaultKind, Reader};

/// What is worked on at once: small enough to stay in a core's own cache between the passes over it. Every layer has
/// one buffer of this size.
const PIECE: usize = 128 * 1024;

/// What is wrong with the bytes of a document, as a fault of its reader says it.
type Wrong = (FaultKind, &'static Rule, String);

#[cold]
fn limit(message: String) -> Wrong {
    (FaultKind::Limit, &catalogue::LIM007, message)
}

/// The bytes of one document on their way into its [`Reader`].
#[derive(Debug)]
pub struct Decoder {
    stage: Stage,
    budget: Budget,
    wire_bytes: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(Budget::DEFAULT, Hint::default())
    }
}

impl Decoder {
    /// For bytes that may have been encoded as `hint` says; the default hint says nothing.
    pub fn new(budget: Budget, hint: Hint) -> Self {
        Decoder { stage: Stage::new(budget, hint), budget, wire_bytes: 0 }
    }

    /// Bytes fed so far, before any decompression.
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
            let left = self.budget.wire_bytes.saturating_sub(self.wire_bytes);
            let within = &piece[..piece.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            self.wire_bytes += piece.len() as u64;
            let mut out = Out { reader, sink };
            let mut fed = self.stage.feed(within, &mut out);
            if within.len() < piece.len() {
                let most = self.budget.wire_bytes;
                fed = fed.and_then(|()| Err(limit(format!("the document is longer than {most} bytes"))));
            }
            if let Err((kind, rule, message)) = fed {
                // Whatever was decoded before it counts, also what still waited for more.
                let _ = self.stage.finish(true, &mut out);
                reader.refuse(kind, rule, message, sink);
            }
        }
    }

    /// Says that the bytes have ended.
    pub fn finish(&mut self, reader: &mut Reader, sink: &mut impl Sink) {
        if reader.fault().is_none()
            && let Err((kind, rule, message)) = self.stage.finish(false, &mut Out { reader, sink })
        {
            reader.refuse(kind, rule, message, sink);
        }
        reader.finish(sink);
    }
}

#[cfg(test)]
mod tests;
