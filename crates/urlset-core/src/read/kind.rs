//! The kinds of documents.

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Urlset,
    Sitemapindex,
    /// A list of URLs, one a line.
    Text,
    /// RSS 2.0, its forerunners, and RSS 1.0.
    Rss,
    /// Atom 1.0 and 0.3.
    Atom,
    /// The `Sitemap:` lines of a robots.txt.
    Robots,
}

impl Kind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Kind; 6] = [Kind::Urlset, Kind::Sitemapindex, Kind::Text, Kind::Rss, Kind::Atom, Kind::Robots];

    pub const fn name(self) -> &'static str {
        match self {
            Kind::Urlset => "urlset",
            Kind::Sitemapindex => "sitemapindex",
            Kind::Text => "text",
            Kind::Rss => "rss",
            Kind::Atom => "atom",
            Kind::Robots => "robots",
        }
    }

    /// It is written in XML, rather than line by line.
    pub const fn is_markup(self) -> bool {
        !matches!(self, Kind::Text | Kind::Robots)
    }

    pub const fn is_feed(self) -> bool {
        matches!(self, Kind::Rss | Kind::Atom)
    }
}
