//! What a page says of itself in metas, links, microdata and JSON-LD, as written.

use super::refresh;
use super::tag::{Attribute, Tag};

/// Metas with a date.
const DATES: [&[u8]; 6] = [
    b"article:modified_time",
    b"og:updated_time",
    b"last-modified",
    b"dcterms.modified",
    b"dc.date.modified",
    b"article:published_time",
];
const ITEMS: [&str; 2] = ["dateModified", "datePublished"];
/// A canonical link with one of these is about another version of the page, and does not count.
/// Source: Google Search Central, how to specify a canonical URL.
const OF_VERSIONS: [Attribute; 4] = [Attribute::Hreflang, Attribute::Lang, Attribute::Media, Attribute::Type];
/// Types of an alternate link that are feeds. Source: RSS Advisory Board and RFC 4287, autodiscovery of feeds.
const FEEDS: [&[u8]; 2] = [b"application/rss+xml", b"application/atom+xml"];
/// The type of an alternate link that leads to the same page as Markdown. Source: RFC 7763.
const MARKDOWN: &[u8] = b"text/markdown";
/// Elements of each list that are kept.
const MAX_ITEMS: usize = 50_000;

/// The metadata of a page.
#[derive(Debug, Default)]
pub struct Metadata {
    /// The first description in a meta.
    pub description: Option<String>,
    /// The first link to the same page as Markdown.
    pub markdown: Option<String>,
    pub canonicals: Vec<String>,
    /// The first canonical link in the body, which counts for nothing.
    pub body_canonical: Option<String>,
    /// The names of bots, and the instructions for them.
    pub robots: Vec<(String, String)>,
    pub hreflang: Vec<(String, String)>,
    /// Sitemaps and feeds, each as `link` or `feed`.
    pub documents: Vec<(String, &'static str)>,
    /// The target of the first refresh that browsers follow: empty if it only reloads.
    pub refresh: Option<String>,
    /// The first text that a script puts into `location`.
    pub script_target: Option<String>,
    /// Metas with dates, and elements of microdata with dates.
    pub dates: Vec<(String, String)>,
    pub items: Vec<(String, String)>,
    /// JSON-LD that mentions dates, and how many scripts of it are beyond the bound.
    pub json_ld: Vec<String>,
    pub long_json: usize,
    json_left: usize,
}

impl Metadata {
    pub fn new(most_json: usize) -> Metadata {
        Metadata { json_left: most_json, ..Metadata::default() }
    }

    /// A link of the head. Those in the body are ignored. Source: Google Search Central, how to specify a canonical URL.
    pub fn link(&mut self, tag: &Tag) {
        let Some(href) = tag.text(Attribute::Href) else { return };
        if is_canonical(tag) && self.canonicals.len() < MAX_ITEMS {
            self.canonicals.push(href.clone());
        }
        if self.documents.len() < MAX_ITEMS
            && let Some(kind) = document_kind(tag)
        {
            self.documents.push((href.clone(), kind));
        }
        if self.markdown.is_none()
            && tag.has_word(Attribute::Rel, b"alternate")
            && media_type(tag).is_some_and(|kind| kind.eq_ignore_ascii_case(MARKDOWN))
        {
            self.markdown = Some(href.clone());
        }
        if tag.has_word(Attribute::Rel, b"alternate")
            && self.hreflang.len() < MAX_ITEMS
            && let Some(code) = tag.text(Attribute::Hreflang)
        {
            self.hreflang.push((code, href));
        }
    }

    /// A link of the body.
    pub fn body_link(&mut self, tag: &Tag) {
        if self.body_canonical.is_none() && is_canonical(tag) {
            self.body_canonical = tag.text(Attribute::Href);
        }
    }

    pub fn script(&mut self, text: &str) {
        if self.script_target.is_none() {
            self.script_target = refresh::script_target(text).map(str::to_owned);
        }
    }

    pub fn meta(&mut self, tag: &Tag) {
        let Some(content) = tag.text(Attribute::Content) else { return };
        if self.refresh.is_none()
            && tag.get(Attribute::HttpEquiv).is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case(b"refresh"))
        {
            self.refresh = refresh::target(&content).map(str::to_owned);
        }
        if self.description.is_none()
            && tag.get(Attribute::Name).is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case(b"description"))
        {
            self.description = Some(content.clone());
        }
        for attribute in [Attribute::Name, Attribute::Property] {
            let Some(name) = tag.text(attribute).map(|name| name.to_ascii_lowercase()) else { continue };
            let list = if DATES.contains(&name.as_bytes()) {
                &mut self.dates
            } else if is_bot(&name) {
                &mut self.robots
            } else {
                continue;
            };
            if list.len() < MAX_ITEMS {
                list.push((name, content.clone()));
            }
        }
    }

    /// Take a date in microdata, and return its name if its value is the text of the element. Source: HTML Standard,
    /// microdata, values.
    pub fn microdata(&mut self, tag: &Tag) -> Option<&'static str> {
        if tag.get(Attribute::Itemprop).is_none() || self.items.len() >= MAX_ITEMS {
            return None;
        }
        let mut awaited = None;
        for item in ITEMS {
            if tag.has_word(Attribute::Itemprop, item.as_bytes()) {
                match tag.text(Attribute::Datetime).or_else(|| tag.text(Attribute::Content)) {
                    Some(value) => self.items.push((item.to_owned(), value)),
                    None => awaited = Some(item),
                }
            }
        }
        awaited
    }

    /// JSON-LD that mentions dates.
    pub fn json_ld(&mut self, script: String) {
        if !ITEMS.iter().any(|item| memchr::memmem::find(script.as_bytes(), item.as_bytes()).is_some()) {
            return;
        }
        if script.len() > self.json_left {
            self.long_json += 1;
        } else {
            self.json_left -= script.len();
            self.json_ld.push(script);
        }
    }
}

fn is_canonical(tag: &Tag) -> bool {
    tag.has_word(Attribute::Rel, b"canonical") && !OF_VERSIONS.iter().any(|name| tag.get(*name).is_some())
}

/// What a link to a sitemap or a feed is. `rel=sitemap` is a habit of the web that no standard has; the relation is not
/// registered by IANA.
fn document_kind(tag: &Tag) -> Option<&'static str> {
    if tag.has_word(Attribute::Rel, b"sitemap") {
        return Some("link");
    }
    let kind = media_type(tag)?;
    let is_feed = FEEDS.iter().any(|feed| kind.eq_ignore_ascii_case(feed));
    (is_feed && tag.has_word(Attribute::Rel, b"alternate")).then_some("feed")
}

/// The media type of a link, without its parameters.
fn media_type(tag: &Tag) -> Option<&[u8]> {
    Some(tag.get(Attribute::Type)?.split(|byte| *byte == b';').next()?.trim_ascii())
}

/// Whether a meta of this name is an instruction for bots: `robots`, or the name of one.
fn is_bot(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let base = name.strip_suffix("-news").unwrap_or(name);
    plain
        && (matches!(name, "robots" | "yandex" | "teoma")
            || ["bot", "spider", "slurp", "crawler"].iter().any(|end| base.ends_with(end)))
}
