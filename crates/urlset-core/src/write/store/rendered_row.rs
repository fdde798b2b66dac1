//! A rendered row: what a set says of one page, ready for its document.

use std::borrow::Cow;
use std::iter;

use super::row::Texts;
use crate::value::{identity, lastmod};
use crate::write::fingerprint::hash;
use crate::write::layout::{Layout, NamespacesUsed};

/// A rendered row.
#[derive(Debug, Clone, Copy)]
pub struct RenderedRow<'r> {
    /// The index of the row in its source.
    pub row: u64,
    pub loc: &'r str,
    pub lastmod: Option<&'r str>,
    /// The XML after the lastmod and before the news.
    pub after_lastmod: Option<&'r str>,
    pub news: Option<&'r str>,
    pub namespaces: NamespacesUsed,
    /// Bytes of the entry without its lastmod.
    pub size: u32,
    /// The number of its shard; 0 as long as rows have none.
    pub shard: u32,
    /// When its loc was first seen, in microseconds since the epoch; 0 if that is not known.
    pub first_seen: u64,
    pub extras: Extras<'r>,
}

impl<'r> RenderedRow<'r> {
    /// A row of which nothing but the loc matters.
    pub fn of_loc(loc: &'r str) -> RenderedRow<'r> {
        RenderedRow {
            row: 0,
            loc,
            lastmod: None,
            after_lastmod: None,
            news: None,
            namespaces: NamespacesUsed::default(),
            size: 0,
            shard: 0,
            first_seen: 0,
            extras: Extras::Given(&[]),
        }
    }

    /// Return the bytes of the entry.
    pub fn bytes(&self, layout: &Layout) -> u64 {
        u64::from(self.size) + self.lastmod.map_or(0, |text| layout.lastmod_size(text))
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

/// The texts of a row beyond those of an entry. An empty one says as little as none.
#[derive(Debug, Clone, Copy)]
pub enum Extras<'r> {
    Given(&'r [Option<&'r str>]),
    /// As a store has them, without the absent ones at the end.
    Stored(Texts<'r>),
}

impl<'r> Extras<'r> {
    /// Return them in their order, and None for those that the row does not have.
    pub fn iter(self) -> impl Iterator<Item = Option<&'r str>> + Clone {
        let (given, mut stored) = match self {
            Extras::Given(given) => (given, Texts::default()),
            Extras::Stored(stored) => (&[][..], stored),
        };
        let stored = iter::from_fn(move || (!stored.is_empty()).then(|| stored.take()));
        given.iter().map(|text| said(text.unwrap_or_default())).chain(stored)
    }
}

/// An empty text says as little as none.
pub fn said(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
