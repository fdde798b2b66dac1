//! Entries to bytes: validated, escaped exactly, and counted before they count.
//!
//! What is refused here is what the rules of `lint` call an error, in their words; what is written, our own reader
//! takes back unchanged. One entry stands on one line, so that a diff of two documents is a diff of entries.

pub mod arrow;
pub mod assemble;
mod escape;
mod extensions;
mod fields;
pub mod layout;
pub mod prepare;
mod verify;

use flate2::{Compression, GzBuilder};
use std::io::Write as _;

use crate::diagnostic::{Rule, catalogue, wording};
use crate::limits::{BYTES_PER_DOCUMENT, Budget, ENTRIES_PER_DOCUMENT, IMAGES_PER_ENTRY};
use crate::media::{News, Video};
use crate::read::Kind;
use crate::value::{changefreq, lastmod, loc};
use crate::xml::strip_range;
use escape::text;
use extensions::{alternate_element, image_element, news_element, video_element};
use fields::{lastmod_element, loc_element, priority_element};
use layout::{Uses, around, footer, header};

pub use verify::verify;

/// A lastmod to be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lastmod<'a> {
    /// As somebody wrote it: kept to the letter if it is of the W3C profile.
    Text(&'a str),
    /// Microseconds since the epoch, in UTC.
    Instant(i64),
    /// Days since the epoch.
    Day(i32),
}

/// A priority to be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Priority<'a> {
    Text(&'a str),
    Number(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Image<'a> {
    pub loc: &'a str,
    pub title: Option<&'a str>,
    pub caption: Option<&'a str>,
    pub geo_location: Option<&'a str>,
    pub license: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Alternate<'a> {
    pub hreflang: Option<&'a str>,
    pub href: &'a str,
    pub media: Option<&'a str>,
    /// `alternate` where it is not given.
    pub rel: Option<&'a str>,
}

/// One entry on its way out. Empty texts count as absent, and extensions' texts are written without outer blanks,
/// which no reader would give back.
#[derive(Debug, Clone, Default)]
pub struct Row<'a> {
    /// What it says it is; nothing where it could be either.
    pub kind: Option<Kind>,
    pub loc: &'a str,
    pub lastmod: Option<Lastmod<'a>>,
    pub changefreq: Option<&'a str>,
    pub priority: Option<Priority<'a>>,
    pub images: Vec<Image<'a>>,
    pub videos: Vec<Video<Option<&'a str>>>,
    pub alternates: Vec<Alternate<'a>>,
    pub news: Option<News<Option<&'a str>>>,
    /// Further texts that it brings along, in the order in which they were asked for.
    pub extras: Vec<Option<&'a str>>,
}

/// A lastmod with the text that it had where it was read: the text counts as long as it means the same. One that
/// means nothing is kept beside a null, to be refused rather than lost.
pub fn as_written<'a>(typed: Option<Lastmod<'a>>, raw: Option<&'a str>) -> Option<Lastmod<'a>> {
    let Some(raw) = raw else { return typed };
    let meant = lastmod::parse(raw).ok();
    let same = match typed {
        None => meant.is_none(),
        Some(Lastmod::Text(text)) => lastmod::parse(text).ok() == meant && meant.is_some(),
        Some(Lastmod::Instant(micros)) => meant == Some(micros),
        Some(Lastmod::Day(days)) => meant == Some(i64::from(days) * lastmod::DAY_MICROS),
    };
    // An instant whose text has an offset that there is nowhere is written without it.
    let is_named = matches!(typed, Some(Lastmod::Instant(_) | Lastmod::Day(_)));
    if same && (!is_named || lastmod::check(raw).is_ok()) { Some(Lastmod::Text(raw)) } else { typed }
}

/// Why an entry is not written.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub rule: &'static Rule,
    pub message: String,
}

impl Refusal {
    fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Refusal { rule, message: message.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    Added,
    /// The document has no room for it: finish it, then push the entry again.
    Full,
}

/// A finished document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub xml: Vec<u8>,
    pub entries: u64,
}

/// Writes one document after the other, each within both limits of the protocol, exactly.
#[derive(Debug)]
pub struct Encoder {
    kind: Kind,
    /// The host that every loc has to have, where that is asked for.
    host: Option<String>,
    body: String,
    entries: u64,
    uses: Uses,
    /// Bytes of what stands around the entries of a document with these `uses`.
    around: usize,
}

impl Encoder {
    pub fn new(kind: Kind, host: Option<String>) -> Self {
        let uses = Uses::default();
        Encoder { kind, host, body: String::new(), entries: 0, uses, around: around(kind, uses) }
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Bytes that the document would have if it were finished now.
    pub fn bytes(&self) -> u64 {
        (self.around + self.body.len()) as u64
    }

    /// Adds an entry, or refuses it, or says that it needs the next document. Only the first changes anything.
    pub fn push(&mut self, row: &Row<'_>) -> Result<Pushed, Refusal> {
        let before = self.body.len();
        let uses = self.uses.and(Uses::of(row));
        let written = match (self.kind, row.kind) {
            (Kind::Sitemapindex, Some(Kind::Urlset)) => {
                Err(Refusal::new(&catalogue::IDX006, "a url entry in an index"))
            }
            (Kind::Sitemapindex, _) => sitemap(row, &mut self.body),
            (_, Some(Kind::Sitemapindex)) => Err(Refusal::new(&catalogue::IDX006, "a sitemap entry in a urlset")),
            _ => url(row, &mut self.body),
        };
        let written = written
            .and_then(|()| self.check_host(row.loc))
            .and_then(|()| check_readable(row, self.body.len() - before));
        let around = if uses == self.uses { self.around } else { around(self.kind, uses) };
        let fits = self.entries < ENTRIES_PER_DOCUMENT && (around + self.body.len()) as u64 <= BYTES_PER_DOCUMENT;
        if written.is_ok() && fits {
            self.entries += 1;
            (self.uses, self.around) = (uses, around);
            return Ok(Pushed::Added);
        }
        self.body.truncate(before);
        written?;
        Ok(Pushed::Full)
    }

    fn check_host(&self, value: &str) -> Result<(), Refusal> {
        let Some(host) = &self.host else { return Ok(()) };
        match loc::host_name(value) {
            Some(own) if !host.eq_ignore_ascii_case(own) => {
                Err(Refusal::new(&catalogue::LOC011, wording::foreign_host(own, host)))
            }
            _ => Ok(()),
        }
    }

    /// Ends the document, if it has entries, and begins the next one.
    pub fn finish(&mut self) -> Option<Finished> {
        let (xml, entries) = self.finish_into(|pieces| pieces.concat())?;
        Some(Finished { xml, entries })
    }

    /// The same, with the pieces of the XML lent to `make`, and what that makes of them: a document is large.
    pub fn finish_into<T>(&mut self, make: impl FnOnce([&[u8]; 3]) -> T) -> Option<(T, u64)> {
        if self.entries == 0 {
            return None;
        }
        let header = header(self.kind, self.uses, None);
        let made = make([header.as_bytes(), self.body.as_bytes(), footer(self.kind).as_bytes()]);
        let entries = std::mem::take(&mut self.entries);
        self.body.clear();
        self.uses = Uses::default();
        self.around = around(self.kind, self.uses);
        Some((made, entries))
    }
}

/// Gzip without a name and without a time, so that the same bytes in give the same bytes out.
pub fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::with_capacity(bytes.len() / 8), Compression::new(level));
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// What our own reader would give up on is not written; it is far below what a document may have.
fn check_readable(row: &Row<'_>, bytes: usize) -> Result<(), Refusal> {
    let Budget { piece_bytes, text_bytes, items_per_entry, .. } = Budget::DEFAULT;
    let refuse = |message: String| Err(Refusal::new(&catalogue::LIM007, message));
    if bytes > piece_bytes {
        return refuse(format!("the entry alone has {bytes} bytes; no more than {piece_bytes} are read back"));
    }
    let longest = if bytes > text_bytes { row.longest_text() } else { 0 };
    if longest > text_bytes {
        return refuse(format!("a text of {longest} bytes; no more than {text_bytes} are read back"));
    }
    let lists = [(row.videos.len(), "videos"), (row.alternates.len(), "alternates")];
    match lists.into_iter().chain(row.videos.iter().map(Video::longest)).find(|(items, _)| *items > items_per_entry) {
        Some((items, what)) => refuse(format!("{items} {what}; no more than {items_per_entry} are read back")),
        None => Ok(()),
    }
}

impl Row<'_> {
    /// Bytes of the longest text of the extensions; the protocol bounds all others.
    fn longest_text(&self) -> usize {
        let images = self.images.iter();
        let images = images.flat_map(|image| [image.title, image.caption, image.geo_location, image.license]);
        let alternates = self.alternates.iter().flat_map(|link| [link.hreflang, link.media, link.rel]);
        let videos = self.videos.iter().flat_map(|video| video.all().copied());
        let hrefs = self.images.iter().map(|image| image.loc).chain(self.alternates.iter().map(|link| link.href));
        let texts = images.chain(alternates).chain(videos).chain(self.news.iter().flatten().copied()).flatten();
        texts.chain(hrefs).map(str::len).max().unwrap_or(0)
    }
}

/// `<url>`, its children in the order of the protocol's schema.
fn url(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    out.push_str("<url>");
    loc_element(row.loc, out)?;
    lastmod_element(row.lastmod, out)?;
    details(row, out)?;
    if let Some(news) = &row.news {
        news_element(news, out)?;
    }
    out.push_str("</url>\n");
    Ok(())
}

/// What stands between the lastmod and the news.
fn details(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    if let Some(word) = row.changefreq.filter(|word| !word.is_empty()) {
        if changefreq::parse(word).is_none() {
            let (rule, message) = wording::changefreq_problem(word);
            return Err(Refusal::new(rule, message));
        }
        element("changefreq", word, out)?;
    }
    priority_element(row.priority, out)?;
    if row.images.len() > IMAGES_PER_ENTRY {
        let message = format!("{} images; Google takes {IMAGES_PER_ENTRY}", row.images.len());
        return Err(Refusal::new(&catalogue::IMG002, message));
    }
    for image in &row.images {
        image_element(image, out)?;
    }
    for video in &row.videos {
        video_element(video, out)?;
    }
    for alternate in &row.alternates {
        alternate_element(alternate, out)?;
    }
    Ok(())
}

/// `<sitemap>`: loc and lastmod, nothing else.
fn sitemap(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    let has_extensions =
        !row.images.is_empty() || !row.videos.is_empty() || !row.alternates.is_empty() || row.news.is_some();
    if row.changefreq.is_some() || row.priority.is_some() || has_extensions {
        return Err(Refusal::new(&catalogue::IDX006, "a sitemap entry has only loc and lastmod"));
    }
    out.push_str("<sitemap>");
    loc_element(row.loc, out)?;
    lastmod_element(row.lastmod, out)?;
    out.push_str("</sitemap>\n");
    Ok(())
}

/// A text as reading gives it back; nothing where nothing is left.
fn stripped(value: Option<&str>) -> Option<&str> {
    value.map(|value| &value[strip_range(value)]).filter(|value| !value.is_empty())
}

fn element(name: &str, value: &str, out: &mut String) -> Result<(), Refusal> {
    out.push('<');
    out.push_str(name);
    out.push('>');
    text(value, out)?;
    out.push_str("</");
    out.push_str(name);
    out.push('>');
    Ok(())
}

fn with_help(message: String, help: Option<String>) -> String {
    match help {
        Some(help) => format!("{message}; {help}"),
        None => message,
    }
}

/// The beginning of a value, for a message.
fn shown(value: &str) -> String {
    let mut start: String = value.chars().take(80).collect();
    if start.len() < value.len() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests;
