//! Proof that what was stored is what was meant: our own reader reads it back, and every entry it finds, written
//! again, has to be the very bytes that were written the first time.

use super::{Alternate, Image, Lastmod, Priority, Refusal, Row, sitemap, url};
use crate::decode::Decoder;
use crate::limits::Budget;
use crate::read::Reader;
use crate::read::entry::{Entry, EntryKind, Sink};
use crate::read::place::Places;

/// Reads `stored` (gzip or not) and compares it with the `xml` it was made from; gives the number of entries, or
/// says in a sentence what differs.
pub fn verify(stored: &[u8], xml: &[u8]) -> Result<u64, String> {
    let mut echo = Echo { rest: body(xml), entries: 0, difference: None, line: String::new() };
    let (mut decoder, mut reader) = (Decoder::default(), Reader::new(Budget::DEFAULT));
    decoder.feed(stored, &mut reader, &mut echo);
    decoder.finish(&mut reader, &mut echo);
    if let Some(fault) = reader.fault() {
        return Err(format!("line {}: {}", fault.finding.place.line, fault.finding.message));
    }
    if let Some(difference) = echo.difference {
        return Err(difference);
    }
    if !echo.rest.starts_with(b"</") || reader.bytes() != xml.len() as u64 {
        return Err(format!("{} bytes were read back of {}", reader.bytes(), xml.len()));
    }
    Ok(echo.entries)
}

/// What follows the declaration and the root's tag, one line each.
fn body(xml: &[u8]) -> &[u8] {
    let mut rest = xml;
    for _ in 0..2 {
        let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
        rest = &rest[line..];
    }
    rest
}

struct Echo<'x> {
    rest: &'x [u8],
    entries: u64,
    difference: Option<String>,
    line: String,
}

impl Sink for Echo<'_> {
    fn entry(&mut self, entry: &Entry<'_>, _places: &mut Places) {
        if self.difference.is_some() {
            return;
        }
        self.line.clear();
        let written = again(entry, &mut self.line);
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
        loc: entry.text(slots.loc).unwrap_or_default(),
        lastmod: entry.text(slots.lastmod).map(Lastmod::Text),
        changefreq: entry.text(slots.changefreq),
        priority: entry.text(slots.priority).map(Priority::Text),
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
    };
    match entry.kind {
        EntryKind::Url => url(&row, out),
        EntryKind::Sitemap => sitemap(&row, out),
    }
}
