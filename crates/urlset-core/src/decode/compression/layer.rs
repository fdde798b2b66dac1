//! One layer of compression: its streams, one after the other, and what may follow them.

use super::budgeted_buffer::{BudgetedBuffer, Buffer, GRAIN};
use super::decompressor::Decompressor;
use super::step::StreamState;
use crate::decode::coding::Coding;
use crate::decode::error::DecodeError;
use crate::decode::sniff::{self, Found};
use crate::limits::Budget;

/// Input that is kept until the first byte of output proves that the bytes are what they were taken for. A whole number
/// of grains, so that the split of the bytes makes no difference.
const TRIAL: usize = 4 * GRAIN as usize;

/// Why a layer cannot go on.
#[derive(Debug)]
pub enum Halt {
    Error(DecodeError),
    /// It is corrupt from its beginning: the bytes are something else.
    Mistaken,
}

impl Halt {
    /// The error of a layer that is certain, which is never mistaken.
    pub fn of_certain(self) -> DecodeError {
        match self {
            Halt::Error(error) => error,
            Halt::Mistaken => DecodeError::malformed("the bytes are not compressed as they begin".to_owned()),
        }
    }
}

impl From<DecodeError> for Halt {
    fn from(error: DecodeError) -> Self {
        Halt::Error(error)
    }
}

#[derive(Debug)]
enum Position {
    /// In a stream.
    Inside,
    /// After a stream, with the first bytes of what may be another.
    Between(Vec<u8>),
    /// In bytes after the last stream, which are ignored.
    After { is_junk: bool },
}

#[derive(Debug)]
pub struct Layer {
    coding: Coding,
    decompressor: Decompressor,
    position: Position,
    buffer: BudgetedBuffer,
    /// The input so far, while it may turn out to be something else.
    trial: Option<Vec<u8>>,
}

impl Layer {
    /// A layer of `coding`, which may be a guess unless it `is_certain`.
    pub fn new(coding: Coding, is_certain: bool, budget: Budget) -> Self {
        Layer {
            coding,
            decompressor: Decompressor::new(coding),
            position: Position::Inside,
            buffer: BudgetedBuffer::new(coding, budget),
            trial: (!is_certain).then(Vec::new),
        }
    }

    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Whether its bytes have proved to be what they were taken for.
    pub fn is_certain(&self) -> bool {
        self.trial.is_none()
    }

    /// Whether bytes that do not belong to the layer followed its last stream.
    pub fn has_junk(&self) -> bool {
        matches!(self.position, Position::After { is_junk: true })
    }

    /// After [`Halt::Mistaken`]: the bytes fed so far.
    pub fn mistaken(&mut self) -> Vec<u8> {
        self.trial.take().unwrap_or_default()
    }

    /// Takes bytes, and hands on what they hold. After an error, those are left that were not taken.
    pub fn feed(
        &mut self,
        bytes: &mut &[u8],
        out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>,
    ) -> Result<(), Halt> {
        while !bytes.is_empty() {
            let (grain, rest) = bytes.split_at(bytes.len().min(self.buffer.grain()));
            *bytes = rest;
            self.feed_grain(grain, out)?;
        }
        Ok(self.hand_on(out)?)
    }

    /// Takes bytes that are counted at once, and hands on full buffers.
    fn feed_grain(
        &mut self,
        mut input: &[u8],
        out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>,
    ) -> Result<(), Halt> {
        if let Err(error) = self.buffer.take(input.len()) {
            return Err(self.fail(error, out));
        }
        if let Some(kept) = &mut self.trial {
            kept.extend_from_slice(input);
            if kept.len() > TRIAL {
                self.trial = None;
            }
        }
        self.take(&mut input, out)
    }

    /// Decompresses all of the input, stream after stream.
    fn take(
        &mut self,
        input: &mut &[u8],
        out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>,
    ) -> Result<(), Halt> {
        while !input.is_empty() {
            match &mut self.position {
                Position::Inside => self.decompress(input, out)?,
                Position::After { .. } => return Ok(()),
                Position::Between(first) => {
                    let byte = input[0];
                    *input = &input[1..];
                    // Zeros are padding: they fill up the blocks of tapes and disks.
                    if byte != 0 || !first.is_empty() {
                        first.push(byte);
                        self.check_next_stream(out)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Decides whether the bytes after a stream begin another.
    fn check_next_stream(&mut self, out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>) -> Result<(), Halt> {
        let Position::Between(first) = &mut self.position else {
            return Ok(());
        };
        match sniff::again(first, self.coding) {
            Found::Unclear => Ok(()),
            Found::Text | Found::Perhaps(_) if self.trial.is_some() => Err(Halt::Mistaken),
            Found::Text | Found::Perhaps(_) => {
                self.position = Position::After { is_junk: true };
                Ok(())
            }
            Found::Coded(_) => {
                let first = std::mem::take(first);
                self.decompressor.restart(self.coding);
                self.position = Position::Inside;
                self.decompress(&mut first.as_slice(), out)
            }
        }
    }

    /// Decompresses until the stream ends or more input is needed.
    fn decompress(
        &mut self,
        input: &mut &[u8],
        out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>,
    ) -> Result<(), Halt> {
        loop {
            if self.buffer.is_full() {
                self.hand_on(out)?;
            }
            let step = self.decompressor.step(input, self.buffer.room());
            *input = &input[step.read..];
            if step.written > 0 {
                self.trial = None;
                if let Err(error) = self.buffer.give(step.written) {
                    return Err(self.fail(error, out));
                }
            }
            match step.state {
                StreamState::Ended => {
                    self.position = Position::Between(Vec::new());
                    // Only brotli takes too much, and what follows it is never more brotli: this recurses no deeper.
                    let rest = self.decompressor.rest();
                    return self.take(&mut rest.as_slice(), out);
                }
                StreamState::Corrupt(_) if self.trial.is_some() => return Err(Halt::Mistaken),
                StreamState::Corrupt(reason) => {
                    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                    let message = format!("the {} data is corrupt{reason}", self.coding.name());
                    return Err(self.fail(DecodeError::malformed(message), out));
                }
                StreamState::Exceeded(message) => return Err(self.fail(DecodeError::limit(message), out)),
                StreamState::Open if step.read == 0 && step.written == 0 => return Ok(()),
                StreamState::Open => {}
            }
        }
    }

    /// Ends the layer with an error, unless there is an error inside of it: that comes first, because it would have been
    /// found first if the bytes had come one by one.
    fn fail(&mut self, error: DecodeError, out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>) -> Halt {
        Halt::Error(self.drain(out).err().unwrap_or(error))
    }

    /// Hands on everything that was decompressed and gives up on the rest.
    fn drain(&mut self, out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        self.decompressor.release();
        self.position = Position::After { is_junk: false };
        loop {
            if self.buffer.is_full() {
                self.hand_on(out)?;
            }
            let step = self.decompressor.step(&[], self.buffer.room());
            if step.written == 0 {
                break;
            }
            self.trial = None;
            if self.buffer.give(step.written).is_err() {
                break;
            }
        }
        self.hand_on(out)
    }

    /// Hands on what is in the buffer.
    fn hand_on(&mut self, out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        self.buffer.hand_on(out).inspect_err(|_| self.give_up())
    }

    /// Ignores what is in the buffer and what comes, because of an error in what was handed on.
    pub fn give_up(&mut self) {
        self.buffer.clear();
        self.position = Position::After { is_junk: false };
    }

    /// Ends the input, either by itself or because of an error elsewhere. Hands on everything that is there.
    pub fn finish(&mut self, out: &mut impl FnMut(&mut Buffer) -> Result<(), DecodeError>) -> Result<(), Halt> {
        if let (Position::Inside, Decompressor::Brotli(brotli)) = (&self.position, &mut self.decompressor) {
            brotli.end();
            self.decompress(&mut [].as_slice(), out)?;
        }
        let is_cut_off = match &self.position {
            Position::Inside => true,
            Position::Between(first) => !first.is_empty(),
            Position::After { .. } => false,
        };
        if matches!(self.position, Position::Inside) { self.drain(out) } else { self.hand_on(out) }?;
        // A guess that has given no output yet may be wrong.
        if is_cut_off && self.trial.as_deref().is_some_and(sniff::is_text) {
            return Err(Halt::Mistaken);
        }
        if is_cut_off {
            let message = format!("the {} data is cut off", self.coding.name());
            return Err(DecodeError::truncated(message).into());
        }
        Ok(())
    }
}
