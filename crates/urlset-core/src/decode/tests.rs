//! Whole, one byte at a time and cut at random: what comes out is the same.

mod bounds;
mod charsets;
mod compression;

use super::Decoder;
use super::content_encoding::ContentEncoding;
use crate::diagnostic::{Findings, Note};
use crate::limits::Budget;
use crate::read::entry::Entry;
use crate::read::sink::Sink;
use crate::read::{FaultKind, Reader};

#[derive(Debug, Default, PartialEq)]
struct Seen {
    locs: Vec<String>,
    /// Code, line, column, message.
    findings: Vec<(&'static str, u32, u32, String)>,
    is_recovered: bool,
    bytes: u64,
    fault: Option<(FaultKind, u32, u32, String)>,
}

impl Sink for Seen {
    fn entry(&mut self, entry: &Entry<'_>, _notes: &mut Vec<Note>) {
        self.locs.push(entry.text(*entry.slots.loc()).unwrap_or_default().to_owned());
    }
}

impl Seen {
    fn codes(&self) -> Vec<(&'static str, u32, u32)> {
        self.findings.iter().map(|(code, line, column, _)| (*code, *line, *column)).collect()
    }
}

fn read_pieces<'b>(pieces: impl Iterator<Item = &'b [u8]>, header: &str, budget: Budget) -> Seen {
    read_by(pieces, header, budget, Decoder::feed)
}

/// Reads pieces with another thread that undoes the compression, as soon as it is proved.
fn read_overlapped<'b>(pieces: impl Iterator<Item = &'b [u8]>, header: &str, budget: Budget) -> Seen {
    read_by(pieces, header, budget, Decoder::feed_overlapped)
}

fn read_by<'b>(
    pieces: impl Iterator<Item = &'b [u8]>,
    header: &str,
    budget: Budget,
    feed: impl Fn(&mut Decoder, &[u8], &mut Reader, &mut Seen),
) -> Seen {
    let mut seen = Seen::default();
    let (mut decoder, mut reader) =
        (Decoder::new(budget, ContentEncoding::parse(header).unwrap()), Reader::new(budget, Findings::default()));
    for piece in pieces {
        feed(&mut decoder, piece, &mut reader, &mut seen);
    }
    decoder.finish(&mut reader, &mut seen);
    seen.findings = reader
        .findings()
        .iter()
        .map(|finding| (finding.rule.code, finding.position.line, finding.position.column, finding.message.clone()))
        .collect();
    seen.is_recovered = reader.is_recovered();
    seen.bytes = reader.bytes();
    seen.fault = reader.fault().map(|fault| {
        let position = fault.finding.position;
        (fault.kind, position.line, position.column, fault.finding.message.clone())
    });
    seen
}

/// Sizes of pieces that are the same every time.
struct Cuts<'b> {
    rest: &'b [u8],
    most: usize,
    seed: u64,
}

impl<'b> Iterator for Cuts<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = (self.seed >> 33) as usize % (self.most + 1);
        let (piece, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        Some(piece)
    }
}

/// Reads bytes that came with a header, in every way.
fn read_with(bytes: &[u8], header: &str, budget: Budget) -> Seen {
    let whole = read_pieces(std::iter::once(bytes), header, budget);
    if bytes.len() < 100_000 {
        assert_eq!(whole, read_pieces(bytes.chunks(1), header, budget), "one byte at a time");
    }
    for (seed, most) in (0..).zip([3, 16, 100, 5_000, 100_000]) {
        if most * 5_000 > bytes.len() {
            assert_eq!(whole, read_pieces(Cuts { rest: bytes, most, seed }, header, budget), "{most} bytes at most");
        }
    }
    // One byte proves nothing about the layer, and a few bytes do. The rest comes at once, or in pieces.
    for at in [1, 100] {
        let (head, rest) = bytes.split_at(bytes.len().min(at));
        assert_eq!(whole, read_overlapped([head, rest].into_iter(), header, budget), "on two threads");
    }
    if bytes.len() > 20_000 {
        assert_eq!(whole, read_overlapped(bytes.chunks(5_000), header, budget), "on two threads, in pieces");
    }
    whole
}

fn read(bytes: &[u8]) -> Seen {
    read_with(bytes, "", Budget::DEFAULT)
}

/// A urlset with entries 1 and 2 and, on line 4, one whose loc ends in `text`.
fn document(text: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n\
         <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n\
         <url><loc>http://a.example/1</loc></url><url><loc>http://a.example/2</loc></url>\n\
         <url><loc>http://a.example/{text}</loc></url>\n\
         </urlset>\n"
    )
}

fn locs(text: &str) -> Vec<String> {
    vec!["http://a.example/1".into(), "http://a.example/2".into(), format!("http://a.example/{text}")]
}

/// Everything was read, and nothing was reported.
fn assert_fine(seen: &Seen, text: &str) {
    let expected = Seen { locs: locs(text), bytes: seen.bytes, ..Seen::default() };
    assert_eq!(*seen, expected);
}
