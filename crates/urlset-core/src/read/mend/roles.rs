//! What an element is for the structure of a document, by its name alone: a broken one may declare anything.

use super::super::name::split;
use super::Outer;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The root's own name, or another root's.
    Outer,
    Entry,
    Loc,
    /// Another field of an entry, which holds text alone.
    Field,
    /// An extension's element that holds others, such as `image:image`.
    Group,
    Other,
}

impl Role {
    pub fn is_field(self) -> bool {
        matches!(self, Role::Loc | Role::Field)
    }
}

/// The names of one document.
#[derive(Debug, Clone, Copy)]
pub struct Roles<'w> {
    root: &'w str,
    in_channel: bool,
}

impl<'w> Roles<'w> {
    pub fn new(root: &'w str, in_channel: bool) -> Self {
        Roles { root, in_channel }
    }

    pub fn of(&self, name: &str) -> Role {
        let (prefix, local) = split(name);
        let is_core = prefix.is_empty() || prefix.eq_ignore_ascii_case(split(self.root).0);
        let is = |known: &[&str]| known.iter().any(|known| local.eq_ignore_ascii_case(known));
        if !is_core {
            return if is(&["image", "video", "news"]) { Role::Group } else { Role::Other };
        }
        if self.is_feed() {
            return match () {
                () if is(&["item", "entry"]) => Role::Entry,
                () if is(&["rss", "feed", "RDF"]) => Role::Outer,
                () => Role::Other,
            };
        }
        match () {
            () if is(&["url", "sitemap"]) => Role::Entry,
            () if is(&["loc"]) => Role::Loc,
            () if is(&["lastmod", "changefreq", "priority"]) => Role::Field,
            () if is(&["urlset", "sitemapindex"]) => Role::Outer,
            () => Role::Other,
        }
    }

    fn is_feed(&self) -> bool {
        !["urlset", "sitemapindex"].iter().any(|root| split(self.root).1.eq_ignore_ascii_case(root))
    }

    /// What the closing tag of this name closes around the entries.
    pub fn outer(&self, name: &str) -> Option<Outer> {
        if self.in_channel && same_name(name, "channel") {
            return Some(Outer::Channel);
        }
        // One kind of sitemap may be closed by the other's name.
        (same_name(name, self.root) || (!self.is_feed() && self.of(name) == Role::Outer)).then_some(Outer::Root)
    }

    /// A core name as this document writes it.
    pub fn named(&self, local: &str) -> String {
        match split(self.root).0 {
            "" => local.to_owned(),
            prefix => format!("{prefix}:{local}"),
        }
    }

    /// The name of its entries.
    pub fn entry_name(&self) -> String {
        let is_index = split(self.root).1.eq_ignore_ascii_case("sitemapindex");
        self.named(if is_index { "sitemap" } else { "url" })
    }
}

/// Whether two names are meant to be the same: but for the letters' case and the prefix.
pub fn same_name(one: &str, other: &str) -> bool {
    split(one).1.eq_ignore_ascii_case(split(other).1)
}
