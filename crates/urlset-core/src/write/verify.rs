//! Verification of a stored document: it unpacks to the bytes that were written, and every entry that our own reader
//! finds in it gives the same bytes when it is written again. Rules can look at the document in the same pass.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use super::entry::{sitemap, url};
use super::error::{Difference, Refusal};
use super::layout::indented;
use super::row::{Alternate, Image, Lastmod, Priority, Row};
use crate::decode::Decoder;
use crate::diagnostic::{Finding, Findings, Note};
use crate::limits::Budget;
use crate::read::Reader;
use crate::read::entry::{Entry, EntryKind};
use crate::read::sink::Sink;

/// A document that reads back as it was written: its entries, and what was found in it.
#[derive(Debug, PartialEq)]
pub struct Verified {
    pub entries: u64,
    pub findings: Vec<Finding>,
}

/// Read `stored` (gzip or not) and compare it with the `xml` that it was made from. `rules` sees what is read, and
/// `findings` says which findings are kept.
pub fn verify(stored: &[u8], xml: &[u8], rules: &mut impl Sink, findings: Findings) -> Result<Verified, Difference> {
    // Unpacked once: what was unpacked is what is read.
    let Some(unpacked) = unpacked(stored, xml.len()).filter(|unpacked| **unpacked == *xml) else {
        return Err(Difference("its bytes are not the ones that were written".into()));
    };
    let rest = body(xml);
    let is_pretty = rest.starts_with(b" ");
    let mut echo = Echo { rest, entries: 0, difference: None, line: String::new(), is_pretty };
    let (mut decoder, mut reader) = (Decoder::default(), Reader::new(Budget::DEFAULT, findings));
    let mut sink = (&mut echo, rules);
    decoder.feed(&unpacked, &mut reader, &mut sink);
    decoder.finish(&mut reader, &mut sink);
    if let Some(fault) = reader.fault() {
        return Err(Difference(format!("line {}: {}", fault.finding.position.line, fault.finding.message)));
    }
    if reader.is_recovered() {
        return Err(Difference("it is not well-formed".into()));
    }
    if let Some(difference) = echo.difference {
        return Err(Difference(difference));
    }
    if !echo.rest.starts_with(b"</") {
        return Err(Difference(format!("only {} entries were read back", echo.entries)));
    }
    Ok(Verified { entries: echo.entries, findings: reader.findings() })
}

/// Unpack the stored bytes with the library alone; None if there are too many, or the gzip data is not complete.
fn unpacked(stored: &[u8], expected: usize) -> Option<Cow<'_, [u8]>> {
    if !stored.starts_with(&[0x1f, 0x8b]) {
        return Some(Cow::Borrowed(stored));
    }
    let mut bytes = Vec::with_capacity(expected + 1);
    let most = expected as u64 + 1;
    MultiGzDecoder::new(stored).take(most).read_to_end(&mut bytes).ok()?;
    Some(Cow::Owned(bytes))
}

/// Return what follows the declaration, the stylesheet if there is one, and the root's tag, which take one line each.
fn body(xml: &[u8]) -> &[u8] {
    let mut rest = xml;
    let mut is_before = true;
    while is_before && !rest.is_empty() {
        is_before = rest.starts_with(b"<?");
        let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
        rest = &rest[line..];
    }
    rest
}

/// Writes each entry that is read again, and compares it with the XML.
struct Echo<'x> {
    rest: &'x [u8],
    entries: u64,
    difference: Option<String>,
    line: String,
    is_pretty: bool,
}

impl Sink for Echo<'_> {
    fn entry(&mut self, entry: &Entry<'_>, _notes: &mut Vec<Note>) {
        if self.difference.is_some() {
            return;
        }
        self.line.clear();
        let written = again(entry, &mut self.line);
        if self.is_pretty {
            let dense = std::mem::take(&mut self.line);
            indented(&dense, &mut self.line);
        }
        match self.rest.strip_prefix(self.line.as_bytes()) {
            Some(rest) if written.is_ok() => {
                self.rest = rest;
                self.entries += 1;
            }
            _ => {
                self.difference = Some(format!("line {}: the entry read back differs from the one written", entry.line))
            }
        }
    }
}

fn again(entry: &Entry<'_>, out: &mut String) -> Result<(), Refusal> {
    let slots = entry.slots;
    let row = Row {
        kind: None,
        loc: entry.text(*slots.loc()).unwrap_or_default(),
        lastmod: entry.text(*slots.lastmod()).map(Lastmod::Text),
        changefreq: entry.text(*slots.changefreq()),
        priority: entry.text(*slots.priority()).map(Priority::Text),
        images: slots
            .images
            .iter()
            .map(|image| Image {
                loc: entry.text(image.loc).unwrap_or_default(),
                title: entry.text(image.title),
                caption: entry.text(image.caption),
                geo_location: entry.text(image.geo_location),
                license: entry.text(image.license),
            })
            .collect(),
        videos: slots.videos.iter().map(|video| video.values.map(|slot| entry.text(*slot))).collect(),
        alternates: slots
            .alternates
            .iter()
            .map(|link| Alternate {
                hreflang: entry.text(link.hreflang),
                href: entry.text(link.href).unwrap_or_default(),
                media: entry.text(link.media),
                rel: entry.text(link.rel),
            })
            .collect(),
        news: slots.news.as_ref().map(|news| news.values.map(|slot| entry.text(slot))),
        extras: Vec::new(),
        fault: None,
    };
    match entry.kind {
        EntryKind::Url => url(&row, out),
        EntryKind::Sitemap => sitemap(&row, out),
    }
}
