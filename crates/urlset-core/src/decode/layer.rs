//! One layer of compression: its streams one after the other, and what may follow them.

use super::account::{Account, GRAIN};
use super::brotli::Brotli;
use super::hint::Coding;
use super::inflate::Inflate;
use super::sniff::{self, Found};
use super::zstd::Zstd;
use super::{Wrong, limit};
use crate::diagnostic::catalogue;
use crate::limits::Budget;
use crate::read::FaultKind;

/// Input kept until the first byte of output proves that it is what it was taken for. Whole grains, so that it makes
/// no difference how they were cut.
const TRIAL: usize = 4 * GRAIN as usize;

/// What came of one step of unpacking. One that reads and writes nothing waits for more.
#[derive(Debug)]
pub struct Step {
    pub read: usize,
    pub written: usize,
    pub state: State,
}

#[derive(Debug)]
pub enum State {
    Open,
    /// The stream is complete, and its checksum, where there is one, is right.
    Ended,
    Broken(String),
    /// It asks for more than we allow.
    Exceeded(String),
}

/// Why a layer cannot go on.
#[derive(Debug)]
pub enum Halt {
    Wrong(Wrong),
    /// It gave nothing and is broken: the bytes are something else.
    Mistaken,
}

impl From<Wrong> for Halt {
    fn from(wrong: Wrong) -> Self {
        Halt::Wrong(wrong)
    }
}

#[derive(Debug)]
enum Unpacker {
    Inflate(Inflate),
    Brotli(Box<Brotli>),
    Zstd(Box<Zstd>),
}

impl Unpacker {
    fn new(coding: Coding) -> Self {
        match coding {
            Coding::Gzip | Coding::Zlib | Coding::Deflate => Unpacker::Inflate(Inflate::new(coding)),
            Coding::Brotli => Unpacker::Brotli(Box::new(Brotli::new())),
            Coding::Zstd => Unpacker::Zstd(Box::new(Zstd::new())),
        }
    }

    fn step(&mut self, input: &[u8], room: &mut [u8]) -> Step {
        match self {
            Unpacker::Inflate(inflate) => inflate.step(input, room),
            Unpacker::Brotli(brotli) => brotli.step(input, room),
            Unpacker::Zstd(zstd) => zstd.step(input, room),
        }
    }
}

#[derive(Debug)]
enum Place {
    /// In a stream.
    Inside,
    /// After a stream, with the first bytes of what may be another.
    Between(Vec<u8>),
    /// In bytes that are nothing of ours any more.
    After { is_junk: bool },
}

#[derive(Debug)]
pub struct Layer {
    coding: Coding,
    unpacker: Unpacker,
    place: Place,
    account: Account,
    /// The input so far, while it may have been taken for what it is not.
    trial: Option<Vec<u8>>,
}

impl Layer {
    /// A layer that is `coding` for certain, or perhaps.
    pub fn new(coding: Coding, is_certain: bool, budget: Budget) -> Self {
        Layer {
            coding,
            unpacker: Unpacker::new(coding),
            place: Place::Inside,
            account: Account::new(coding, budget),
            trial: (!is_certain).then(Vec::new),
        }
    }

    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// How many bytes may be fed at once.
    pub fn grain(&self) -> usize {
        self.account.grain()
    }

    /// Whether bytes that were nothing of its own followed the last stream.
    pub fn has_junk(&self) -> bool {
        matches!(self.place, Place::After { is_junk: true })
    }

    /// After [`Halt::Mistaken`]: the bytes fed so far.
    pub fn mistaken(&mut self) -> Vec<u8> {
        self.trial.take().unwrap_or_default()
    }

    /// Takes bytes, no more than [`Layer::grain`] says, and hands on full buffers.
    pub fn feed(&mut self, mut input: &[u8], out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Halt> {
        self.account.take(input.len());
        if let Some(kept) = &mut self.trial {
            kept.extend_from_slice(input);
            if kept.len() > TRIAL {
                self.trial = None;
            }
        }
        self.take(&mut input, out)
    }

    /// Unpacks all of the input, stream after stream.
    fn take(&mut self, input: &mut &[u8], out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Halt> {
        while !input.is_empty() {
            match &mut self.place {
                Place::Inside => self.unpack(input, out)?,
                Place::After { .. } => return Ok(()),
                Place::Between(first) => {
                    let byte = input[0];
                    *input = &input[1..];
                    // Zeros fill up blocks of tapes and disks and mean nothing.
                    if byte != 0 || !first.is_empty() {
                        first.push(byte);
                        self.look(out)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Decides whether the bytes after a stream begin another.
    fn look(&mut self, out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Halt> {
        let Place::Between(first) = &mut self.place else {
            return Ok(());
        };
        match sniff::again(first, self.coding) {
            Found::Unclear => Ok(()),
            Found::Text | Found::Perhaps(_) if self.trial.is_some() => Err(Halt::Mistaken),
            Found::Text | Found::Perhaps(_) => {
                self.place = Place::After { is_junk: true };
                Ok(())
            }
            Found::Coded(_) => {
                let first = std::mem::take(first);
                match &mut self.unpacker {
                    Unpacker::Zstd(zstd) => zstd.renew(),
                    unpacker => *unpacker = Unpacker::new(self.coding),
                }
                self.place = Place::Inside;
                self.unpack(&mut first.as_slice(), out)
            }
        }
    }

    /// Unpacks until the stream ends or more input is needed.
    fn unpack(&mut self, input: &mut &[u8], out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Halt> {
        loop {
            if self.account.is_full() {
                self.hand_on(out)?;
            }
            let step = self.unpacker.step(input, self.account.room());
            *input = &input[step.read..];
            if step.written > 0 {
                self.trial = None;
                if let Err(wrong) = self.account.give(step.written) {
                    return Err(self.fail(wrong, out));
                }
            }
            match step.state {
                State::Ended => {
                    self.place = Place::Between(Vec::new());
                    // What brotli took too much of is never the beginning of more brotli: this does not go deeper.
                    let rest = match &mut self.unpacker {
                        Unpacker::Brotli(brotli) => brotli.rest(),
                        _ => return Ok(()),
                    };
                    return self.take(&mut rest.as_slice(), out);
                }
                State::Broken(_) if self.trial.is_some() => return Err(Halt::Mistaken),
                State::Broken(what) => {
                    let message = format!("the {} data is broken: {what}", self.coding.name());
                    return Err(self.fail((FaultKind::Malformed, &catalogue::XML001, message), out));
                }
                State::Exceeded(message) => return Err(self.fail(limit(message), out)),
                State::Open if step.read == 0 && step.written == 0 => return Ok(()),
                State::Open => {}
            }
        }
    }

    /// Ends the layer for what is wrong with it, unless something is wrong inside of it: that comes first, for it
    /// would have been found first if the bytes had come one by one.
    fn fail(&mut self, wrong: Wrong, out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Halt {
        Halt::Wrong(self.drain(out).err().unwrap_or(wrong))
    }

    /// Hands on all that has come out and gives up on the rest.
    fn drain(&mut self, out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Wrong> {
        if let Unpacker::Zstd(zstd) = &mut self.unpacker {
            zstd.release();
        }
        self.place = Place::After { is_junk: false };
        loop {
            if self.account.is_full() {
                self.hand_on(out)?;
            }
            let step = self.unpacker.step(&[], self.account.room());
            if step.written == 0 {
                break;
            }
            self.trial = None;
            if self.account.give(step.written).is_err() {
                break;
            }
        }
        self.hand_on(out)
    }

    /// Hands on what came out and still lies in the buffer.
    pub fn hand_on(&mut self, out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Wrong> {
        let piece = self.account.hand_on();
        if piece.is_empty() {
            return Ok(());
        }
        out(piece).inspect_err(|_| self.place = Place::After { is_junk: false })
    }

    /// Says that the input has ended, or ends here for another's fault. Hands on all that is there.
    pub fn finish(&mut self, out: &mut impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Halt> {
        if let (Place::Inside, Unpacker::Brotli(brotli)) = (&self.place, &mut self.unpacker) {
            brotli.end();
            self.unpack(&mut [].as_slice(), out)?;
        }
        let is_cut_off = match &self.place {
            Place::Inside => true,
            Place::Between(first) => !first.is_empty(),
            Place::After { .. } => false,
        };
        if matches!(self.place, Place::Inside) { self.drain(out) } else { self.hand_on(out) }?;
        // It may have been about to give something, or never.
        if is_cut_off && self.trial.as_deref().is_some_and(sniff::is_text) {
            return Err(Halt::Mistaken);
        }
        if is_cut_off {
            let message = format!("the {} data is cut off", self.coding.name());
            return Err((FaultKind::Truncated, &catalogue::XML001, message).into());
        }
        Ok(())
    }
}
