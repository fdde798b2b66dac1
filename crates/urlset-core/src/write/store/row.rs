//! A rendered row, as it is added to a store and as it is read from one.

use std::borrow::Cow;

use crate::value::{identity, lastmod};
use crate::write::layout::{Layout, NamespacesUsed};
use crate::write::render::fingerprint::hash;

/// One row as it is added to a store.
#[derive(Debug)]
pub struct Rendered<'r> {
    /// The index of the row in its source.
    pub row: u64,
    pub loc: &'r str,
    pub lastmod: &'r str,
    /// The XML after the lastmod and before the news.
    pub after_lastmod: &'r str,
    pub news: &'r str,
    pub namespaces: NamespacesUsed,
    /// Bytes of the entry without its lastmod.
    pub size: usize,
    /// The number of its shard; 0 as long as rows have none.
    pub shard: u32,
    /// When its loc was first seen, in microseconds since the epoch; 0 if that is not known.
    pub first_seen: u64,
}

impl<'r> Rendered<'r> {
    /// A row of which nothing but the loc matters.
    pub fn of_loc(loc: &'r str) -> Rendered<'r> {
        let (row, lastmod, after_lastmod, news, size) = (0, "", "", "", 0);
        let namespaces = NamespacesUsed::default();
        Rendered { row, loc, lastmod, after_lastmod, news, namespaces, size, shard: 0, first_seen: 0 }
    }
}

/// A rendered row, as it is read from a store.
#[derive(Debug, Clone, Copy)]
pub struct StoredRow<'s> {
    /// The index of the row in its source.
    pub row: u64,
    pub loc: &'s str,
    pub lastmod: Option<&'s str>,
    /// The XML after the lastmod and before the news.
    pub after_lastmod: Option<&'s str>,
    pub news: Option<&'s str>,
    pub namespaces: NamespacesUsed,
    /// Bytes of the entry without its lastmod.
    pub size: u32,
    /// The number of its shard; 0 as long as rows have none.
    pub shard: u32,
    /// When its loc was first seen, in microseconds since the epoch; 0 if that is not known.
    pub first_seen: u64,
    /// The texts of the extras, and what follows them.
    pub(super) extras: &'s str,
    pub(super) lengths: &'s [u32],
}

impl<'s> StoredRow<'s> {
    /// The row as it was added, without its extras.
    pub fn rendered(&self) -> Rendered<'s> {
        Rendered {
            row: self.row,
            loc: self.loc,
            lastmod: self.lastmod.unwrap_or_default(),
            after_lastmod: self.after_lastmod.unwrap_or_default(),
            news: self.news.unwrap_or_default(),
            namespaces: self.namespaces,
            size: self.size as usize,
            shard: self.shard,
            first_seen: self.first_seen,
        }
    }

    /// Return the bytes of the entry.
    pub fn bytes(&self, layout: &Layout) -> u64 {
        u64::from(self.size) + self.lastmod.map_or(0, |text| layout.lastmod_size(text))
    }

    /// Return the extras in their order; None for those that the row does not have.
    pub fn extras(&self) -> impl Iterator<Item = Option<&'s str>> {
        let mut rest = self.extras;
        self.lengths.iter().map(move |length| {
            let (text, after) = rest.split_at(*length as usize);
            rest = after;
            said(text)
        })
    }

    /// The lastmod in microseconds since the epoch.
    pub fn instant(&self) -> Option<i64> {
        self.lastmod.and_then(|text| lastmod::parse(text).ok())
    }

    /// The hash of everything but the loc and the lastmod.
    pub fn entry_hash(&self) -> u64 {
        match (self.after_lastmod.unwrap_or_default(), self.news) {
            (after, None) => hash(after),
            (after, Some(news)) => hash(&[after, news].concat()),
        }
    }

    /// The normal form of the loc, if that is another text.
    pub fn normal(&self) -> Option<String> {
        match identity::normalized(self.loc) {
            Some(Cow::Owned(normal)) if normal != self.loc => Some(normal),
            _ => None,
        }
    }
}

/// An empty text says as little as none.
pub fn said(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
