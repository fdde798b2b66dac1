//! Verification of a stored document: it unpacks to the bytes that were written, and every entry that our own reader
//! finds in it gives the same bytes when it is written again. Rules can look at the document in the same pass.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use super::body::Body;
use super::entry::{sitemap, url};
use super::error::Difference;
use super::layout::indented;
use super::row::{Alternate, Image, Lastmod, Priority, Row};
use super::usual::UsualEntries;
use crate::decode::Decoder;
use crate::diagnostic::{Finding, Findings, Note};
use crate::limits::Budget;
use crate::read::Reader;
use crate::read::entry::{Entry, EntryKind};
use crate::read::sink::Sink;

/// Bytes that are unpacked at once.
const UNPACKED_AT_ONCE: usize = 1 << 16;

/// A document that reads back as it was written: its entries, and what was found in it.
#[derive(Debug, PartialEq)]
pub struct Verified {
    pub entries: u64,
    pub findings: Vec<Finding>,
}

/// Read `stored` (gzip or not) and compare it with the `xml` that it was made from. `rules` sees what is read, and
/// `findings` says which findings are kept.
pub fn verify(stored: &[u8], xml: &[u8], rules: &mut impl Sink, findings: Findings) -> Result<Verified, Difference> {
    if !unpacks_to(stored, xml) {
        return Err(Difference("its bytes are not the ones that were written".into()));
    }
    let rest = body(xml);
    let is_pretty = rest.starts_with(b" ");
    let mut echo = Echo { rest, is_pretty, ..Echo::default() };
    let (mut decoder, mut reader) = (Decoder::default(), Reader::new(Budget::DEFAULT, findings));
    let mut sink = (&mut echo, rules);
    decoder.feed(xml, &mut reader, &mut sink);
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

/// Whether the stored bytes, unpacked by the library alone if they are gzip, are the same as the `xml`. If so, whoever reads
/// the one reads the other, so what was unpacked need not be kept.
fn unpacks_to(stored: &[u8], xml: &[u8]) -> bool {
    if !stored.starts_with(&[0x1f, 0x8b]) {
        return stored == xml;
    }
    let (mut unpacked, mut rest, mut piece) = (MultiGzDecoder::new(stored), xml, vec![0; UNPACKED_AT_ONCE]);
    loop {
        match unpacked.read(&mut piece) {
            Ok(0) => return rest.is_empty(),
            Ok(read) => match rest.strip_prefix(&piece[..read]) {
                Some(behind) => rest = behind,
                None => return false,
            },
            Err(_) => return false,
        }
    }
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
#[derive(Default)]
struct Echo<'x> {
    rest: &'x [u8],
    entries: u64,
    difference: Option<String>,
    usual: UsualEntries,
    body: Body,
    line: String,
    is_pretty: bool,
}

impl Sink for Echo<'_> {
    fn entry(&mut self, entry: &Entry<'_>, _notes: &mut Vec<Note>) {
        if self.difference.is_some() {
            return;
        }
        let row = row_of(entry);
        let is_same = match entry.kind {
            EntryKind::Url if !self.is_pretty && !row.has_extensions() => {
                self.is_usual(&row) || self.is_any(entry, &row)
            }
            _ => self.is_any(entry, &row),
        };
        if !is_same {
            self.difference = Some(format!("line {}: the entry read back differs from the one written", entry.line));
        }
    }
}

impl Echo<'_> {
    /// Whether a row is a usual one, and written so.
    fn is_usual(&mut self, row: &Row<'_>) -> bool {
        self.body.truncate(0);
        self.usual.push(row, &mut self.body).is_some() && follows(&mut self.rest, &mut self.entries, self.body.piece())
    }

    /// The same by the grammar.
    fn is_any(&mut self, entry: &Entry<'_>, row: &Row<'_>) -> bool {
        self.line.clear();
        let written = match entry.kind {
            EntryKind::Url => url(row, &mut self.line),
            EntryKind::Sitemap => sitemap(row, &mut self.line),
        };
        if self.is_pretty {
            let dense = std::mem::take(&mut self.line);
            indented(&dense, &mut self.line);
        }
        written.is_ok() && follows(&mut self.rest, &mut self.entries, self.line.as_bytes())
    }
}

/// Whether these bytes come next. If so, they are done.
fn follows(rest: &mut &[u8], entries: &mut u64, entry: &[u8]) -> bool {
    let Some(behind) = rest.strip_prefix(entry) else { return false };
    *rest = behind;
    *entries += 1;
    true
}

/// Return an entry as a row that is to be written.
fn row_of<'e>(entry: &Entry<'e>) -> Row<'e> {
    let slots = entry.slots;
    Row {
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
    }
}
