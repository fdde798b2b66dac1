//! Rows to documents, one after the other.

use super::arrow::BatchRows;
use super::body::{Body, ROOM};
use super::document::{Finished, Piece};
use super::entry::{check_readable, from_extensions, sitemap, url};
use super::error::Refusal;
use super::judged;
use super::layout::{NamespacesUsed, around, footer, header};
use super::row::{Lastmod, Row};
use super::usual::UsualEntries;
use super::values::{OnBadValue, ValuePolicy};
use crate::diagnostic::{catalogue, wording};
use crate::limits::{BYTES_PER_DOCUMENT, ENTRIES_PER_DOCUMENT, NEWS_PER_DOCUMENT};
use crate::read::Kind;
use crate::value::hrefs::Hrefs;
use crate::value::{host, loc};

/// What came of adding an entry that was not refused.
#[derive(Debug, Clone, PartialEq)]
pub enum Pushed {
    /// It was added; these of its values were left out or repaired.
    Added(Vec<Refusal>),
    /// The document has no room for the entry: finish it, then push the entry again.
    Full,
}

/// Writes one document after the other, each exactly within both limits of the protocol.
#[derive(Debug)]
pub struct Encoder {
    kind: Kind,
    /// The host that every loc has to have, if that is asked for.
    host: Option<String>,
    values: ValuePolicy,
    body: Body,
    /// The entry at hand.
    line: String,
    usual: UsualEntries,
    hrefs: Hrefs,
    entries: u64,
    articles: u64,
    namespaces: NamespacesUsed,
    /// The bytes around the entries of a document with these `namespaces`.
    around: usize,
}

impl Encoder {
    pub fn new(kind: Kind, host: Option<String>) -> Self {
        let namespaces = NamespacesUsed::default();
        Encoder {
            kind,
            host,
            values: ValuePolicy::default(),
            body: Body::default(),
            line: String::new(),
            usual: UsualEntries::default(),
            hrefs: Hrefs::default(),
            entries: 0,
            articles: 0,
            namespaces,
            around: around(kind, namespaces),
        }
    }

    /// Take values in this way.
    pub fn with_values(self, values: ValuePolicy) -> Encoder {
        Encoder { values, ..self }
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The bytes that the document would have if it were finished now.
    pub fn bytes(&self) -> u64 {
        (self.around + self.body.len()) as u64
    }

    /// Adds an entry, refuses it, or says that it needs the next document. The last two change nothing.
    pub fn push(&mut self, row: &Row<'_>) -> Result<Pushed, Refusal> {
        if let Some(fault) = row.fault {
            return Err(fault.clone());
        }
        let mut corrected = Vec::new();
        if self.values.on_bad_value == OnBadValue::Refuse {
            return self.push_as_it_is(row, corrected);
        }
        let loc = self.values.loc(row.loc, &mut corrected);
        let repairs = self.values.repairs(row, &loc);
        let row = self.values.corrected(row, &loc, &repairs, &mut corrected);
        let mut lastmod = String::new();
        self.values.lastmod(row.lastmod, &mut lastmod, &mut corrected)?;
        let row = Row { loc: &loc, lastmod: Some(Lastmod::Text(&lastmod)), ..row.into_owned() };
        self.push_as_it_is(&row, corrected)
    }

    /// Adds rows of a table from `from` on, at most `most` of them, up to the first that is not like nearly all rows, or that
    /// the document may have no room for. Returns how many were added; [`push`](Self::push) takes the next one.
    pub fn push_usual(&mut self, rows: &BatchRows, from: usize, most: u64) -> u64 {
        if self.kind != Kind::Urlset || self.host.is_some() || rows.may_have_videos_or_news() {
            return 0;
        }
        let begin = self.entries;
        let end = begin + most.min((rows.len() - from) as u64).min(ENTRIES_PER_DOCUMENT - begin);
        let mut at = from;
        if rows.may_have_images_or_links() {
            while self.entries < end && self.push_with_lists(rows, at).is_some() {
                self.entries += 1;
                at += 1;
            }
            return self.entries - begin;
        }
        while self.entries < end
            // The room of one entry is the most that it takes.
            && (self.around + self.body.len() + ROOM) as u64 <= BYTES_PER_DOCUMENT
            && self.usual.push_fields(&rows.fields(at), false, &mut self.body).is_some()
        {
            self.entries += 1;
            at += 1;
        }
        self.entries - begin
    }

    /// Adds rows of a table from `from` on, at most `most` of them, up to the first that is refused, or has a value that is
    /// left out or repaired, or finds no room. Returns how many were added; [`push`](Self::push) says what it is about the
    /// next one.
    pub fn push_rows(&mut self, rows: &BatchRows, from: usize, most: u64) -> u64 {
        let most = most.min((rows.len() - from) as u64);
        let mut added = 0;
        loop {
            added += self.push_usual(rows, from + added as usize, most - added);
            // A correction is told only once, to whoever pushes the row.
            let is_last = added == most || self.values.on_bad_value != OnBadValue::Refuse;
            if is_last || !matches!(self.push(&rows.row(from + added as usize)), Ok(Pushed::Added(_))) {
                return added;
            }
            added += 1;
        }
    }

    /// Append the entry of a row of a table that may have images and links. None: it is not a usual one, or needs a
    /// declaration or more room, and nothing was appended.
    #[inline(always)]
    fn push_with_lists(&mut self, rows: &BatchRows, at: usize) -> Option<()> {
        let (images, links, before) = (rows.images(at), rows.links(at), self.body.len());
        let used = NamespacesUsed::of_lists(!images.is_empty(), !links.is_empty());
        if self.namespaces.and(used) != self.namespaces {
            return None;
        }
        let images = images.map(|index| rows.image(index));
        let links = links.map(|index| rows.link(index));
        let pushed = self.usual.push_with_lists(&rows.fields(at), images, links, &mut self.body);
        if pushed.is_none() || self.bytes() > BYTES_PER_DOCUMENT {
            self.body.truncate(before);
            return None;
        }
        Some(())
    }

    fn push_as_it_is(&mut self, row: &Row<'_>, corrected: Vec<Refusal>) -> Result<Pushed, Refusal> {
        let before = self.body.len();
        self.append(row)?;
        let namespaces = self.namespaces.and(NamespacesUsed::of(row));
        let around = if namespaces == self.namespaces { self.around } else { around(self.kind, namespaces) };
        let articles = self.articles + u64::from(row.news.is_some());
        let fits = self.entries < ENTRIES_PER_DOCUMENT
            && articles <= NEWS_PER_DOCUMENT
            && (around + self.body.len()) as u64 <= BYTES_PER_DOCUMENT;
        if !fits {
            self.body.truncate(before);
            return Ok(Pushed::Full);
        }
        self.entries += 1;
        self.articles = articles;
        (self.namespaces, self.around) = (namespaces, around);
        Ok(Pushed::Added(corrected))
    }

    /// Append the entry of a row to the body, or refuse the row, which changes nothing.
    fn append(&mut self, row: &Row<'_>) -> Result<(), Refusal> {
        match (self.kind, row.kind) {
            (Kind::Sitemapindex, Some(Kind::Urlset)) => {
                Err(Refusal::new(&catalogue::IDX006, "a url entry in an index"))
            }
            (Kind::Sitemapindex, _) => {
                self.line.clear();
                sitemap(row, &mut self.line)?;
                self.check_host(row.loc)?;
                self.body.push_str(&self.line);
                Ok(())
            }
            (_, Some(Kind::Sitemapindex)) => Err(Refusal::new(&catalogue::IDX006, "a sitemap entry in a urlset")),
            _ => {
                let before = self.body.len();
                let appended = self.append_url(row);
                if appended.is_err() {
                    self.body.truncate(before);
                }
                appended
            }
        }
    }

    fn append_url(&mut self, row: &Row<'_>) -> Result<(), Refusal> {
        let before = self.body.len();
        self.line.clear();
        match self.usual.push(row, &mut self.body) {
            None => url(row, &mut self.line)?,
            Some(()) if !row.has_extensions() => return self.check_host(row.loc),
            Some(()) => {
                let begun = self.body.len();
                if self.usual.push_extensions(row, &mut self.body).is_some() {
                    return self.check_host(row.loc);
                }
                self.body.truncate(begun);
                from_extensions(row, &mut self.line)?;
            }
        }
        judged::check(row, row.loc, self.values.now, &mut self.hrefs)?;
        self.check_host(row.loc)?;
        self.body.push_str(&self.line);
        check_readable(row, self.body.len() - before)
    }

    fn check_host(&self, value: &str) -> Result<(), Refusal> {
        let Some(here) = &self.host else { return Ok(()) };
        match loc::host_name(value) {
            Some(own) if !host::is_same(here, own) => {
                Err(Refusal::new(&catalogue::LOC011, wording::foreign_host(own, here)))
            }
            _ => Ok(()),
        }
    }

    /// Returns an encoder for entries that come later in the same document, for [`join`](Self::join).
    pub fn fork(&self) -> Encoder {
        let (namespaces, around) = (self.namespaces, self.around);
        let fork = Encoder::new(self.kind, self.host.clone()).with_values(self.values.clone());
        Encoder { namespaces, around, ..fork }
    }

    /// Adds the entries of a fork, and returns whether the document has room for all of them. If not, none is added.
    pub fn join(&mut self, fork: Encoder) -> bool {
        let (entries, articles) = (self.entries + fork.entries, self.articles + fork.articles);
        let namespaces = self.namespaces.and(fork.namespaces);
        let around = around(self.kind, namespaces);
        // What fits as a whole would have fitted entry by entry.
        let fits = entries <= ENTRIES_PER_DOCUMENT
            && articles <= NEWS_PER_DOCUMENT
            && (around + self.body.len() + fork.body.len()) as u64 <= BYTES_PER_DOCUMENT;
        if fits {
            self.body.append(fork.body);
            (self.entries, self.articles) = (entries, articles);
            (self.namespaces, self.around) = (namespaces, around);
        }
        fits
    }

    /// Ends the document, if it has entries, and begins the next one.
    pub fn finish(&mut self) -> Option<Finished> {
        let (xml, entries) = self.finish_in_place()?;
        Some(Finished { xml: xml.concat(), entries })
    }

    /// The same, but hands over the memory in which the document was written, which saves a copy of it.
    pub fn finish_in_place(&mut self) -> Option<(Vec<Piece>, u64)> {
        if self.entries == 0 {
            return None;
        }
        let body = std::mem::take(&mut self.body);
        let xml = body.into_document(&header(self.kind, self.namespaces, None), footer(self.kind));
        let entries = std::mem::take(&mut self.entries);
        self.articles = 0;
        self.namespaces = NamespacesUsed::default();
        self.around = around(self.kind, self.namespaces);
        Some((xml, entries))
    }
}
