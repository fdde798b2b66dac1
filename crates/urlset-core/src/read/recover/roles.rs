//! What an element is for the structure of a document.

use crate::read::lexer::name::split;
use crate::read::namespaces::element::Element;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A root's.
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
    pub fn of(element: Element, is_feed: bool) -> Role {
        match element {
            Element::Item if is_feed => Role::Entry,
            _ if is_feed => Role::Other,
            Element::Url | Element::Sitemap => Role::Entry,
            Element::Loc => Role::Loc,
            Element::Lastmod | Element::Changefreq | Element::Priority => Role::Field,
            Element::Image | Element::Video | Element::News => Role::Group,
            Element::Urlset | Element::Sitemapindex => Role::Outer,
            _ => Role::Other,
        }
    }

    pub fn is_field(self) -> bool {
        matches!(self, Role::Loc | Role::Field)
    }
}

/// What a tag has done to what stands around the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outer {
    /// The root has closed.
    Root,
    /// The channel has.
    Channel,
    /// Another root has begun inside the root.
    Nested,
}

/// What stands around the entries: the root, and in RSS a channel.
#[derive(Debug, Clone, Copy)]
pub struct Around<'w> {
    pub root: &'w str,
    pub in_channel: bool,
    pub is_feed: bool,
}

impl Around<'_> {
    /// What a closing tag closes around the entries.
    pub fn outer(&self, name: &str, role: Role) -> Option<Outer> {
        if self.in_channel && same_name(name, "channel") {
            return Some(Outer::Channel);
        }
        // One kind of sitemap may be closed by the other's name.
        (same_name(name, self.root) || role == Role::Outer).then_some(Outer::Root)
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
