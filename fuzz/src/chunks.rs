//! Any bytes, with the header of a response, cut at offsets that the input chooses: nothing may come out differently.
//!
//! The first byte says how much is allowed, what header the bytes came with, and how many sizes of pieces follow; the
//! pieces have those in turn. Without sizes, every byte is fed separately.

use crate::outcome::{ROOMY, TIGHT, read_bytes};
use crate::pack;

const ENCODINGS: [&str; 8] = ["", "br", "deflate", "zstd", "gzip", "br, gzip", "deflate, br", "zstd, deflate, br"];

pub fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let budget = if first & 1 == 0 { ROOMY } else { TIGHT };
    let encoding = ENCODINGS[usize::from(first >> 1 & 7)];
    let (sizes, bytes) = rest.split_at(usize::from(first >> 4).min(rest.len()));
    let whole = read_bytes([bytes], encoding, budget);
    assert_eq!(whole, read_bytes(Cuts::new(bytes, sizes), encoding, budget));
}

pub fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    let first = |encoding: u8, budget: u8, sizes: &[u8]| {
        let byte = (sizes.len() as u8) << 4 | encoding << 1 | budget;
        [&[byte], sizes].concat()
    };
    let with = |first: Vec<u8>, bytes: &[u8]| [&first, bytes].concat();
    vec![
        with(first(0, 0, &[]), document),
        with(first(0, 1, &[1, 100, 17]), document),
        with(first(0, 0, &[210, 3]), document),
        with(first(7, 1, &[60, 5]), document),
        with(first(1, 0, &[2, 60]), &pack::brotli(document)),
        with(first(2, 0, &[]), &pack::deflate(document)),
        with(first(3, 0, &[4, 60]), &pack::zstd(document)),
        with(first(5, 0, &[3, 60]), &pack::gzip(&pack::brotli(document))),
        with(first(6, 0, &[]), &pack::brotli(&pack::deflate(document))),
    ]
}

/// Pieces of the sizes, in turn; of one byte each if no size is positive.
pub struct Cuts<'b> {
    rest: &'b [u8],
    sizes: &'b [u8],
    next: usize,
}

impl<'b> Cuts<'b> {
    pub fn new(bytes: &'b [u8], sizes: &'b [u8]) -> Self {
        let sizes = if sizes.iter().all(|size| *size == 0) { &[1] } else { sizes };
        Cuts { rest: bytes, sizes, next: 0 }
    }
}

impl<'b> Iterator for Cuts<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        let size = usize::from(self.sizes[self.next % self.sizes.len()]);
        self.next += 1;
        // Larger ones are of some use only if they pass what is stitched to a carry, 4 KiB.
        let size = if size < 200 { size } else { (size - 199) * 200 };
        let (piece, rest) = self.rest.split_at(size.min(self.rest.len()));
        self.rest = rest;
        (!piece.is_empty() || !rest.is_empty()).then_some(piece)
    }
}
