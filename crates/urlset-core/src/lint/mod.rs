//! The rules, in the reading pass: a [`Sink`] that looks at every entry as it was written.

mod alternate;
mod date;
mod image;
mod loc;
#[cfg(test)]
mod media_tests;
mod news;
mod rules;
mod site;
mod video;
mod whole;

use crate::diagnostic::{Note, Rule, Selection, catalogue};
use crate::limits::LOC_CHARS;
use crate::read::entry::{Entry, EntryKind, Sink};
use crate::read::namespace::{NEWS, VIDEO, XHTML};
use crate::read::{ElementRules, Reader};
use site::Site;
use whole::Whole;

/// What differs from one consumer to the next, and what the caller knows.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Microseconds since the epoch; nothing here reads a clock.
    pub now: i64,
    /// Of times that have none, `Z` or `+01:00`.
    pub zone: Option<String>,
    /// Most characters of a loc, and most bytes.
    pub loc_chars: usize,
    pub loc_bytes: Option<usize>,
    /// Most bytes of lastmod, changefreq and priority.
    pub tag_bytes: Option<usize>,
    /// Whether feeds, indexes and extensions are taken at all, and elements of other namespaces right under the root.
    pub feeds: bool,
    pub indexes: bool,
    pub extensions: bool,
    pub foreign_children: bool,
    /// Hosts whose robots.txt names this document: it may list their pages.
    pub proven_hosts: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            now: i64::MAX,
            zone: None,
            loc_chars: LOC_CHARS - 1,
            loc_bytes: None,
            tag_bytes: None,
            feeds: true,
            indexes: true,
            extensions: true,
            foreign_children: true,
            proven_hosts: Vec::new(),
        }
    }
}

/// The rules that see one document, as a sink of the reader that keeps their findings.
#[derive(Debug)]
pub struct Linter {
    selection: Selection,
    settings: Settings,
    /// Where the document lives, if that is known.
    site: Option<Site>,
    /// A loc of no more bytes is not too long for anybody asked.
    few_bytes: usize,
    /// Scheme and host of the loc before, with the slash behind them.
    origin: String,
    whole: Whole,
}

impl Linter {
    /// Rules for the document at `location`, which decides what its locs may be.
    pub fn new(location: Option<&str>, selection: Selection, settings: Settings) -> Self {
        let site = location.and_then(Site::new);
        let few_bytes = settings.loc_chars.min(settings.loc_bytes.unwrap_or(usize::MAX));
        Linter { whole: Whole::new(location), selection, settings, site, few_bytes, origin: String::new() }
    }

    /// What the reader has to ask of elements that it passes over.
    pub fn element_rules(&self) -> ElementRules {
        let Settings { feeds, extensions, foreign_children, .. } = self.settings;
        ElementRules { feeds, extensions, foreign_children }
    }

    pub fn entries(&self) -> u64 {
        self.whole.entries
    }

    /// How many entries have links to other languages.
    pub fn entries_with_alternates(&self) -> u64 {
        self.whole.with_alternates
    }

    /// Says what is to be said of the document as a whole, which has been read to its end.
    pub fn finish(&self, reader: &mut Reader) {
        if reader.fault().is_none() {
            self.whole.tell(&self.selection, &self.settings, reader);
        }
    }

    #[inline(always)]
    fn asks(&self, rule: &Rule) -> bool {
        self.selection.takes(rule)
    }
}

impl Sink for Linter {
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        self.check_kind(entry, notes);
        if let Some((loc, is_spelled)) = self.check_loc(entry, notes)
            && (self.asks(&catalogue::LOC014) || self.asks(&catalogue::IDX005))
        {
            self.whole.repeated(entry, &loc, is_spelled, notes);
        }
        let lastmod = self.check_lastmod(entry, notes);
        let mut priority = None;
        if entry.kind == EntryKind::Url {
            priority = self.check_hints(entry, lastmod, notes);
            self.check_extensions(entry, notes);
        }
        self.whole.entry(entry, lastmod, priority);
    }
}

impl Linter {
    #[inline(always)]
    fn check_extensions(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let slots = entry.slots;
        if !self.settings.extensions {
            check_support(entry, notes);
        }
        if !slots.images.is_empty() {
            self.check_images(entry, notes);
        }
        if !slots.videos.is_empty() {
            self.check_videos(entry, notes);
        }
        if let Some(news) = &slots.news {
            self.check_news(entry, notes);
            self.whole.article(news.at, notes);
        }
        if !slots.alternates.is_empty() {
            self.check_alternates(entry, notes);
        }
    }
}

/// NS006: extensions that we read and this consumer does not take. Images are taken by whoever takes any: also Yandex,
/// which takes no other, documents them.
fn check_support(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let slots = entry.slots;
    let first = [
        (slots.videos.first().map(|video| video.at), "video", VIDEO),
        (slots.news.as_ref().map(|news| news.at), "news", NEWS),
        (slots.alternates.first().map(|link| link.at), "link", XHTML),
    ];
    for (at, name, uri) in first.into_iter().filter_map(|(at, name, uri)| Some((at?, name, uri))) {
        let message = format!("the extension of `{name}` is one that this consumer does not take");
        notes.push(Note::new(&catalogue::NS006, at..at + 1, message).once(uri));
    }
}
