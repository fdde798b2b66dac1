//! A place on the way from bytes to text: not known yet, one layer of compression, or the text itself.

use super::hint::Hint;
use super::layer::{Halt, Layer};
use super::sniff::{self, Found};
use super::text::Text;
use super::{Wrong, limit};
use crate::diagnostic::catalogue;
use crate::limits::Budget;
use crate::read::Reader;
use crate::read::sink::Sink;

/// Where text goes in the end.
pub struct Out<'a, S> {
    pub reader: &'a mut Reader,
    pub sink: &'a mut S,
}

#[derive(Debug)]
enum Kind {
    Unknown {
        /// Too few bytes to tell.
        first: Vec<u8>,
        hint: Hint,
        /// They have been taken for what their mark says, and it was not so.
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
    /// Layers of compression around it.
    depth: usize,
}

impl Stage {
    pub fn new(budget: Budget, hint: Hint) -> Self {
        Stage::inside(budget, hint, 0)
    }

    fn inside(budget: Budget, hint: Hint, depth: usize) -> Self {
        Stage { kind: Kind::Unknown { first: Vec::new(), hint, is_markless: false }, budget, depth }
    }

    pub fn layers(&self) -> Vec<&'static str> {
        let (mut names, mut stage) = (Vec::new(), self);
        while let Kind::Layer { layer, next } = &stage.kind {
            names.push(layer.coding().name());
            stage = next;
        }
        names
    }

    /// Takes the next bytes. After an error it may only be finished.
    pub fn feed<S: Sink>(&mut self, mut bytes: &[u8], out: &mut Out<'_, S>) -> Result<(), Wrong> {
        while !bytes.is_empty() {
            match &mut self.kind {
                Kind::Text(text) => return text.feed(bytes, out),
                Kind::Unknown { first, .. } => {
                    first.extend_from_slice(std::mem::take(&mut bytes));
                    self.decide(false, out)?;
                }
                Kind::Layer { layer, next } => {
                    let (grain, rest) = bytes.split_at(bytes.len().min(layer.grain()));
                    bytes = rest;
                    match layer.feed(grain, &mut |piece| next.feed(piece, out)) {
                        Ok(()) => {}
                        Err(Halt::Wrong(wrong)) => return Err(wrong),
                        Err(Halt::Mistaken) => {
                            self.mistaken();
                            self.decide(false, out)?;
                        }
                    }
                }
            }
        }
        match &mut self.kind {
            Kind::Layer { layer, next } => layer.hand_on(&mut |piece| next.feed(piece, out)),
            _ => Ok(()),
        }
    }

    /// Says that the bytes have ended: of themselves, or because they `were_cut` off by something around them.
    pub fn finish<S: Sink>(&mut self, were_cut: bool, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        match &mut self.kind {
            Kind::Text(text) => text.finish(were_cut, out),
            Kind::Unknown { first, hint, .. } => {
                if were_cut && sniff::by_mark(first, false, hint) == Found::Unclear {
                    first.clear();
                }
                self.decide(true, out)?;
                self.finish(were_cut, out)
            }
            Kind::Layer { layer, next } => {
                let ended = match layer.finish(&mut |piece| next.feed(piece, out)) {
                    Ok(()) => Ok(()),
                    Err(Halt::Wrong(wrong)) => Err(wrong),
                    Err(Halt::Mistaken) => {
                        self.mistaken();
                        return self.finish(were_cut, out);
                    }
                };
                let inner = next.finish(were_cut || ended.is_err(), out);
                ended.and(inner)?;
                if layer.has_junk() {
                    let message = format!("bytes after the end of the {} data", layer.coding().name());
                    out.reader.defer_note(&catalogue::XML001, message, true, None);
                }
                Ok(())
            }
        }
    }

    /// What was taken for a layer is none: its bytes are looked at again.
    fn mistaken(&mut self) {
        if let Kind::Layer { layer, next } = &mut self.kind
            && let Kind::Unknown { hint, .. } = &mut next.kind
        {
            let (first, hint) = (layer.mistaken(), std::mem::take(hint));
            self.kind = Kind::Unknown { first, hint, is_markless: true };
        }
    }

    /// Finds out what the bytes are, if there are enough of them, and takes them as that.
    fn decide<S: Sink>(&mut self, at_end: bool, out: &mut Out<'_, S>) -> Result<(), Wrong> {
        let Kind::Unknown { first, hint, is_markless } = &mut self.kind else {
            return Ok(());
        };
        let mut found = if *is_markless { Found::Text } else { sniff::by_mark(first, at_end, hint) };
        if found == Found::Text {
            found = sniff::by_hint(first, at_end, hint);
        }
        let (first, hint) = match found {
            Found::Unclear => return Ok(()),
            _ => (std::mem::take(first), std::mem::take(hint)),
        };
        self.kind = match found {
            Found::Coded(coding) | Found::Perhaps(coding) => {
                if self.depth == self.budget.layers {
                    self.kind = Kind::Text(Box::new(Text::new(self.budget)));
                    return Err(limit(format!("it is compressed more than {} times over", self.budget.layers)));
                }
                let layer = Layer::new(coding, matches!(found, Found::Coded(_)), self.budget);
                let next = Stage::inside(self.budget, hint, self.depth + 1);
                Kind::Layer { layer: Box::new(layer), next: Box::new(next) }
            }
            Found::Text | Found::Unclear => Kind::Text(Box::new(Text::new(self.budget))),
        };
        self.feed(&first, out)
    }
}
