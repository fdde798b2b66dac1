//! One entry as it was written: slices of the window, or of a scratch text where references had to be resolved.

use std::ops::Range;

use super::Kind;
use super::element::Element;
use super::feed::ItemSlots;
use super::news::NewsSlots;
use super::video::VideoSlots;
use crate::diagnostic::removal::whole_lines;
use crate::diagnostic::{Fix, Note, Safety};
use crate::xml::escaped;

/// Which of the two entries it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Url,
    Sitemap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Home {
    #[default]
    Absent,
    Window,
    Scratch,
}

/// A value of the entry: where its text is, and where in the window it was written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slot {
    home: Home,
    start: u32,
    end: u32,
    written_start: u32,
    written_end: u32,
}

impl Slot {
    /// The text stands in the window just as it is.
    #[inline]
    pub fn window(start: usize, end: usize) -> Slot {
        let (start, end) = (start as u32, end as u32);
        Slot { home: Home::Window, start, end, written_start: start, written_end: end }
    }

    /// The text stands in the scratch; `written` is what it was made from.
    pub fn scratch(start: usize, end: usize, written: Range<usize>) -> Slot {
        Slot {
            home: Home::Scratch,
            start: start as u32,
            end: end as u32,
            written_start: written.start as u32,
            written_end: written.end as u32,
        }
    }

    /// The element or attribute was there, if only empty.
    #[inline]
    pub fn is_present(&self) -> bool {
        self.home != Home::Absent
    }

    /// Bytes of its text.
    pub fn length(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// It holds no text.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Where in the window it was written.
    pub fn written(&self) -> Range<usize> {
        self.written_start as usize..self.written_end as usize
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct ImageSlots {
    /// Where in the window its tag stands.
    pub at: usize,
    pub loc: Slot,
    pub title: Slot,
    pub caption: Slot,
    pub geo_location: Slot,
    pub license: Slot,
}

impl ImageSlots {
    /// Keeps the value of a child, unless the image has one already.
    pub fn keep(&mut self, element: Element, slot: Slot) {
        let field = match element {
            Element::ImageLoc => &mut self.loc,
            Element::ImageTitle => &mut self.title,
            Element::ImageCaption => &mut self.caption,
            Element::ImageGeoLocation => &mut self.geo_location,
            _ => &mut self.license,
        };
        if !field.is_present() {
            *field = slot;
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct AlternateSlots {
    /// Where in the window its tag stands.
    pub at: usize,
    pub hreflang: Slot,
    pub href: Slot,
    pub media: Slot,
    pub rel: Slot,
}

/// The fields of one entry; cleared and filled again for the next one, so that an entry allocates nothing.
#[derive(Debug, Default)]
pub struct EntrySlots {
    pub loc: Slot,
    pub lastmod: Slot,
    pub changefreq: Slot,
    pub priority: Slot,
    pub images: Vec<ImageSlots>,
    pub videos: Vec<VideoSlots>,
    pub alternates: Vec<AlternateSlots>,
    /// Only of an item of a feed; else it is what it was.
    pub item: ItemSlots,
    pub news: Option<NewsSlots>,
    pub scratch: String,
}

impl EntrySlots {
    #[inline]
    pub fn clear(&mut self) {
        self.loc = Slot::default();
        self.lastmod = Slot::default();
        self.changefreq = Slot::default();
        self.priority = Slot::default();
        self.images.clear();
        self.videos.clear();
        self.alternates.clear();
        self.news = None;
        self.scratch.clear();
    }

    /// Bytes of the longest text.
    pub fn longest(&self) -> usize {
        let images = self
            .images
            .iter()
            .flat_map(|image| [image.loc, image.title, image.caption, image.geo_location, image.license]);
        let alternates = self.alternates.iter().flat_map(|link| [link.hreflang, link.href, link.media, link.rel]);
        let videos = self.videos.iter().flat_map(|video| video.values.all().copied());
        let news = self.news.iter().flat_map(|news| news.values);
        let fields = [self.loc, self.lastmod, self.changefreq, self.priority];
        let slots = fields.into_iter().chain(images).chain(alternates).chain(videos).chain(news);
        slots.map(|slot| slot.length()).max().unwrap_or(0)
    }
}

/// A complete entry, lent to a [`Sink`] for as long as one call lasts.
#[derive(Debug)]
pub struct Entry<'a> {
    pub kind: EntryKind,
    /// Of the document it stands in.
    pub document: Kind,
    pub window: &'a str,
    /// Where what belongs to it begins, with the blanks before it.
    pub piece: usize,
    /// Of its opening `<`, and after its closing `>`.
    pub start: usize,
    pub end: usize,
    pub line: u32,
    pub slots: &'a EntrySlots,
}

impl<'a> Entry<'a> {
    /// All of it, with the line that it begins: what has to go for it to be dropped.
    pub fn whole(&self) -> Range<usize> {
        whole_lines(self.window, self.piece, self.start..self.end)
    }

    /// Another text in place of a value's, as it has to be written in this document.
    pub fn fixed_value(&self, written: Range<usize>, safety: Safety, text: &str) -> Fix {
        let text = match self.document {
            Kind::Text | Kind::Robots => text.to_owned(),
            _ => escaped(text),
        };
        Fix::replace(safety, written, text)
    }

    /// Where its loc is written; its beginning where that is not, or is taken from elsewhere.
    pub fn loc_place(&self) -> Range<usize> {
        let slot = self.slots.loc;
        if slot.is_present() { slot.written() } else { self.start..self.start + 1 }
    }

    /// The value of a slot, references resolved and outer blanks stripped; an empty one is absent.
    #[inline(always)]
    pub fn text(&self, slot: Slot) -> Option<&'a str> {
        let range = slot.start as usize..slot.end as usize;
        let text = match slot.home {
            Home::Absent => return None,
            Home::Window => &self.window[range],
            Home::Scratch => &self.slots.scratch[range],
        };
        (!text.is_empty()).then_some(text)
    }
}

/// Whatever takes entries as they are read: the table, the rules, or both. What is odd about one is noted, its place
/// given in the entry's window.
pub trait Sink {
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>);

    /// The next piece of the text, before anything of it is read. Only fixes need it.
    #[inline(always)]
    fn text(&mut self, _text: &str) {}
}

impl<A: Sink, B: Sink> Sink for (A, B) {
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        self.0.entry(entry, notes);
        self.1.entry(entry, notes);
    }

    #[inline(always)]
    fn text(&mut self, text: &str) {
        self.0.text(text);
        self.1.text(text);
    }
}

impl<S: Sink> Sink for &mut S {
    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        (**self).entry(entry, notes);
    }

    #[inline(always)]
    fn text(&mut self, text: &str) {
        (**self).text(text);
    }
}

/// Keeps the text of a document, in which its fixes are applied.
#[derive(Debug, Default)]
pub struct TextCopy {
    pub text: String,
}

impl Sink for TextCopy {
    fn entry(&mut self, _entry: &Entry<'_>, _notes: &mut Vec<Note>) {}

    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }
}
