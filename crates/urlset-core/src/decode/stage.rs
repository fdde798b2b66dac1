//! A stage on the way from bytes to text: not known yet, one layer of compression, or the text itself.

use super::compression::{Halt, Layer};
use super::content_encoding::ContentEncoding;
use super::error::DecodeError;
use super::foreign::{self, Format};
use super::output::Output;
use super::sniff::{self, Found};
use super::text::Text;
use crate::diagnostic::grammar;
use crate::limits::Budget;
use crate::read::sink::Sink;

#[derive(Debug)]
enum Kind {
    Unknown {
        /// Too few bytes to decide.
        first: Vec<u8>,
        encoding: ContentEncoding,
        /// The bytes were taken for what their mark says, and that was wrong.
        is_markless: bool,
    },
    Layer {
        layer: Box<Layer>,
        next: Box<Stage>,
    },
    Text(Box<Text>),
}

#[derive(Debug)]
pub struct Stage {
    kind: Kind,
    budget: Budget,
    /// The number of layers of compression around it.
    depth: usize,
}

impl Stage {
    pub fn new(budget: Budget, encoding: ContentEncoding) -> Self {
        Stage::inside(budget, encoding, 0)
    }

    fn inside(budget: Budget, encoding: ContentEncoding, depth: usize) -> Self {
        Stage { kind: Kind::Unknown { first: Vec::new(), encoding, is_markless: false }, budget, depth }
    }

    pub fn layers(&self) -> Vec<&'static str> {
        let (mut names, mut stage) = (Vec::new(), self);
        while let Kind::Layer { layer, next } = &stage.kind {
            names.push(layer.coding().name());
            stage = next;
        }
        names
    }

    /// A layer of compression that has proved to be one, and what comes after it.
    pub fn layer(&mut self) -> Option<(&mut Layer, &mut Stage)> {
        match &mut self.kind {
            Kind::Layer { layer, next } if layer.is_certain() => Some((layer, next)),
            _ => None,
        }
    }

    /// Whether the bytes of the document are text in UTF-8.
    pub fn is_utf8(&self) -> bool {
        matches!(&self.kind, Kind::Text(text) if text.is_utf8())
    }

    /// What decodes a later part of the text, if its bytes are those of the document.
    pub fn fork(&self) -> Option<Stage> {
        let Kind::Text(text) = &self.kind else { return None };
        let text = text.fork(self.budget)?;
        Some(Stage { kind: Kind::Text(Box::new(text)), budget: self.budget, depth: self.depth })
    }

    /// Bytes that the text may still have, where they are between two characters of UTF-8.
    pub fn left(&self) -> Option<u64> {
        let Kind::Text(text) = &self.kind else { return None };
        text.left()
    }

    /// Counts bytes of text that were decoded elsewhere.
    pub fn pass(&mut self, bytes: u64) {
        if let Kind::Text(text) = &mut self.kind {
            text.pass(bytes);
        }
    }

    /// Takes the next bytes. After an error it may only be finished.
    pub fn feed<S: Sink>(&mut self, mut bytes: &[u8], out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        while !bytes.is_empty() {
            match &mut self.kind {
                Kind::Text(text) => return text.feed(bytes, out),
                Kind::Unknown { first, .. } => {
                    first.extend_from_slice(std::mem::take(&mut bytes));
                    self.decide(false, out)?;
                }
                Kind::Layer { layer, next } => {
                    match layer.feed(&mut bytes, &mut |piece| next.feed(piece.content(), out)) {
                        Ok(()) => {}
                        Err(Halt::Error(error)) => return Err(error),
                        Err(Halt::Mistaken) => {
                            self.mistaken();
                            self.decide(false, out)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the bytes, either by themselves or because they `were_cut` off by an error around them.
    pub fn finish<S: Sink>(&mut self, were_cut: bool, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        match &mut self.kind {
            Kind::Text(text) => text.finish(were_cut, out),
            Kind::Unknown { first, encoding, .. } => {
                if were_cut && sniff::by_mark(first, false, encoding) == Found::Unclear {
                    first.clear();
                }
                self.decide(true, out)?;
                self.finish(were_cut, out)
            }
            Kind::Layer { layer, next } => {
                let ended = match layer.finish(&mut |piece| next.feed(piece.content(), out)) {
                    Ok(()) => Ok(()),
                    Err(Halt::Error(error)) => Err(error),
                    Err(Halt::Mistaken) => {
                        self.mistaken();
                        return self.finish(were_cut, out);
                    }
                };
                let inner = next.finish(were_cut || ended.is_err(), out);
                ended.and(inner)?;
                if layer.has_junk() {
                    let message = format!("bytes after the end of the {} data", layer.coding().name());
                    out.reader.defer_note(&grammar::XML001, message, true, None);
                }
                Ok(())
            }
        }
    }

    /// Takes back a wrong guess: what was taken for a layer is something else, and its bytes are sniffed again.
    fn mistaken(&mut self) {
        if let Kind::Layer { layer, next } = &mut self.kind
            && let Kind::Unknown { encoding, .. } = &mut next.kind
        {
            let (first, encoding) = (layer.mistaken(), std::mem::take(encoding));
            self.kind = Kind::Unknown { first, encoding, is_markless: true };
        }
    }

    /// Finds out what the bytes are, if there are enough of them, and feeds them to that.
    fn decide<S: Sink>(&mut self, at_end: bool, out: &mut Output<'_, S>) -> Result<(), DecodeError> {
        let Kind::Unknown { first, encoding, is_markless } = &mut self.kind else {
            return Ok(());
        };
        let mut found = if *is_markless { Found::Text } else { sniff::by_mark(first, at_end, encoding) };
        if found == Found::Text {
            found = sniff::by_encoding(first, at_end, encoding);
        }
        if found == Found::Text {
            match foreign::format(first, at_end) {
                Format::Unclear => return Ok(()),
                Format::Foreign(what) => {
                    self.kind = Kind::Text(Box::new(Text::new(self.budget)));
                    return Err(DecodeError::foreign(what));
                }
                Format::Other => {}
            }
        }
        let (first, encoding) = match found {
            Found::Unclear => return Ok(()),
            _ => (std::mem::take(first), std::mem::take(encoding)),
        };
        self.kind = match found {
            Found::Coded(coding) | Found::Perhaps(coding) => {
                if self.depth == self.budget.layers {
                    self.kind = Kind::Text(Box::new(Text::new(self.budget)));
                    return Err(too_many_layers(self.budget.layers));
                }
                let layer = Layer::new(coding, matches!(found, Found::Coded(_)), self.budget);
                let next = Stage::inside(self.budget, encoding, self.depth + 1);
                Kind::Layer { layer: Box::new(layer), next: Box::new(next) }
            }
            Found::Text | Found::Unclear => Kind::Text(Box::new(Text::new(self.budget))),
        };
        self.feed(&first, out)
    }
}

#[cold]
fn too_many_layers(most: usize) -> DecodeError {
    let layers = if most == 1 { "layer" } else { "layers" };
    DecodeError::limit(format!("the document has more than {most} {layers} of compression"))
}
