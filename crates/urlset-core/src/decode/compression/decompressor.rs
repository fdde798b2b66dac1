//! The decompressor of each content coding.

use super::brotli::Brotli;
use super::inflate::Inflate;
use super::step::Step;
use super::zstd::Zstd;
use crate::decode::coding::Coding;

/// Decompresses one stream.
#[derive(Debug)]
pub enum Decompressor {
    Inflate(Inflate),
    Brotli(Box<Brotli>),
    Zstd(Box<Zstd>),
}

impl Decompressor {
    pub fn new(coding: Coding) -> Self {
        match coding {
            Coding::Gzip | Coding::Zlib | Coding::Deflate => Decompressor::Inflate(Inflate::new(coding)),
            Coding::Brotli => Decompressor::Brotli(Box::new(Brotli::new())),
            Coding::Zstd => Decompressor::Zstd(Box::new(Zstd::new())),
        }
    }

    /// Decompresses as much of `input` as there is `room` for, or a part of it.
    pub fn step(&mut self, input: &[u8], room: &mut [u8]) -> Step {
        match self {
            Decompressor::Inflate(inflate) => inflate.step(input, room),
            Decompressor::Brotli(brotli) => brotli.step(input, room),
            Decompressor::Zstd(zstd) => zstd.step(input, room),
        }
    }

    /// Prepares for another stream of the same coding.
    pub fn restart(&mut self, coding: Coding) {
        match self {
            Decompressor::Zstd(zstd) => zstd.renew(),
            decompressor => *decompressor = Decompressor::new(coding),
        }
    }

    /// After the end of a stream: the bytes that were taken and do not belong to it.
    pub fn rest(&mut self) -> Vec<u8> {
        match self {
            Decompressor::Brotli(brotli) => brotli.rest(),
            _ => Vec::new(),
        }
    }

    /// Gives up on the rest of the stream: the next steps hand out what was held back, and then nothing.
    pub fn release(&mut self) {
        if let Decompressor::Zstd(zstd) = self {
            zstd.release();
        }
    }
}
