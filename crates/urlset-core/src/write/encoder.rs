//! Rows to documents, one after the other.

use super::document::Finished;
use super::entry::{check_readable, sitemap, url};
use super::error::Refusal;
use super::judged;
use super::layout::{NamespacesUsed, around, footer, header};
use super::row::{Lastmod, Row};
use super::values::{OnBadValue, ValuePolicy};
use crate::diagnostic::{catalogue, wording};
use crate::limits::{BYTES_PER_DOCUMENT, ENTRIES_PER_DOCUMENT, NEWS_PER_DOCUMENT};
use crate::read::Kind;
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
    body: String,
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
            body: String::new(),
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

    fn push_as_it_is(&mut self, row: &Row<'_>, corrected: Vec<Refusal>) -> Result<Pushed, Refusal> {
        let before = self.body.len();
        let namespaces = self.namespaces.and(NamespacesUsed::of(row));
        let written = match (self.kind, row.kind) {
            (Kind::Sitemapindex, Some(Kind::Urlset)) => {
                Err(Refusal::new(&catalogue::IDX006, "a url entry in an index"))
            }
            (Kind::Sitemapindex, _) => sitemap(row, &mut self.body),
            (_, Some(Kind::Sitemapindex)) => Err(Refusal::new(&catalogue::IDX006, "a sitemap entry in a urlset")),
            _ => url(row, &mut self.body).and_then(|()| judged::check(row, row.loc, self.values.now)),
        };
        let written = written
            .and_then(|()| self.check_host(row.loc))
            .and_then(|()| check_readable(row, self.body.len() - before));
        let around = if namespaces == self.namespaces { self.around } else { around(self.kind, namespaces) };
        let articles = self.articles + u64::from(row.news.is_some());
        let fits = self.entries < ENTRIES_PER_DOCUMENT
            && articles <= NEWS_PER_DOCUMENT
            && (around + self.body.len()) as u64 <= BYTES_PER_DOCUMENT;
        if written.is_ok() && fits {
            self.entries += 1;
            self.articles = articles;
            (self.namespaces, self.around) = (namespaces, around);
            return Ok(Pushed::Added(corrected));
        }
        self.body.truncate(before);
        written?;
        Ok(Pushed::Full)
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

    /// Ends the document, if it has entries, and begins the next one.
    pub fn finish(&mut self) -> Option<Finished> {
        let (xml, entries) = self.finish_into(|pieces| pieces.concat())?;
        Some(Finished { xml, entries })
    }

    /// The same, but lends the pieces of the XML to `make` and returns its result, which saves a copy of the document.
    pub fn finish_into<T>(&mut self, make: impl FnOnce([&[u8]; 3]) -> T) -> Option<(T, u64)> {
        if self.entries == 0 {
            return None;
        }
        let header = header(self.kind, self.namespaces, None);
        let made = make([header.as_bytes(), self.body.as_bytes(), footer(self.kind).as_bytes()]);
        let entries = std::mem::take(&mut self.entries);
        self.body.clear();
        self.articles = 0;
        self.namespaces = NamespacesUsed::default();
        self.around = around(self.kind, self.namespaces);
        Some((made, entries))
    }
}
