//! The values of an entry: where the text of each is, and where it was written.

use std::ops::Range;

use crate::media::{News, Video};
use crate::read::namespaces::element::{Element, Field};

/// As wide as the numbers beside it, so that the slots of an entry are cleared in few steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
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
    /// What a text of the scratch was made from.
    written_start: u32,
    written_end: u32,
}

impl Slot {
    /// The text is in the window just as it is.
    #[inline]
    pub fn window(start: usize, end: usize) -> Slot {
        Slot { home: Home::Window, start: start as u32, end: end as u32, ..Slot::default() }
    }

    /// The same in the place of an absent value; None if there is one. A value that is made elsewhere and copied would be
    /// read back in other pieces than it was written in, for which the processor has to wait.
    #[inline(always)]
    pub fn fill(&mut self, start: usize, end: usize) -> Option<()> {
        if self.is_present() {
            return None;
        }
        (self.home, self.start, self.end) = (Home::Window, start as u32, end as u32);
        Some(())
    }

    /// Takes a value in the place of an absent one; None if there is one.
    pub fn keep(&mut self, value: Slot) -> Option<()> {
        if self.is_present() {
            return None;
        }
        *self = value;
        Some(())
    }

    /// Nothing is there any more.
    #[inline(always)]
    fn clear(&mut self) {
        // An absent value has no length.
        (self.home, self.start, self.end) = (Home::Absent, 0, 0);
    }

    /// The text is in the scratch; `written` is what it was made from.
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

    /// The window or the scratch text, and which part of it is the text of this slot; `None` where it is absent.
    #[inline(always)]
    pub fn part_of<'a>(&self, window: &'a str, scratch: &'a str) -> Option<(&'a str, Range<usize>)> {
        let range = self.start as usize..self.end as usize;
        match self.home {
            Home::Absent => None,
            Home::Window => Some((window, range)),
            Home::Scratch => Some((scratch, range)),
        }
    }

    /// In which of three texts the text of this slot is, and which part of that it is: none, the window, or the scratch. The
    /// processor then has nothing to guess.
    #[inline(always)]
    pub fn place(&self) -> (usize, Range<usize>) {
        (self.home as usize, self.start as usize..self.end as usize)
    }

    /// Where in the window it was written.
    pub fn written(&self) -> Range<usize> {
        match self.home {
            Home::Scratch => self.written_start as usize..self.written_end as usize,
            _ => self.start as usize..self.end as usize,
        }
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
    /// The value of a child.
    #[inline(always)]
    pub fn field(&mut self, element: Element) -> &mut Slot {
        match element {
            Element::ImageLoc => &mut self.loc,
            Element::ImageTitle => &mut self.title,
            Element::ImageCaption => &mut self.caption,
            Element::ImageGeoLocation => &mut self.geo_location,
            _ => &mut self.license,
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

#[derive(Debug, Clone, Default)]
pub struct VideoSlots {
    /// Where in the window its tag stands.
    pub at: usize,
    pub values: Video<Slot>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct NewsSlots {
    /// Where in the window its tag stands.
    pub at: usize,
    pub values: News<Slot>,
}

/// The attribute that says what URLs are relative to. Source: RFC 4287, section 2, and XML Base.
pub const BASE: &str = "xml:base";

/// What has been read of an item and decides about what follows.
#[derive(Debug, Default, Clone, Copy)]
pub struct ItemSlots {
    /// Its permanent link, or an id that is a URL: its loc where it has no link.
    pub id: Slot,
    /// The `xml:base` of the item, and of its link: what its link is relative to.
    pub bases: [Slot; 2],
    /// Of the date in `lastmod`: a lower one replaces it.
    pub date_rank: u8,
    /// What describes all its images and videos, by the index in `VIDEO_TEXTS`.
    pub shared: [Slot; SHARED],
    pub inside: Inside,
}

/// Whose description is being read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    #[default]
    Item,
    Image,
    Video,
    /// A medium that is neither.
    Other,
}

/// Of `VIDEO_TEXTS`: thumbnail, title, description, content and player.
pub const SHARED: usize = 5;

/// The fields of one entry; cleared and filled again for the next one, so that an entry allocates nothing.
#[derive(Debug, Default)]
pub struct EntrySlots {
    /// By the number of their `Field`.
    pub fields: [Slot; 4],
    pub images: Vec<ImageSlots>,
    pub videos: Vec<VideoSlots>,
    pub alternates: Vec<AlternateSlots>,
    /// Only of an item of a feed; else it is what it was.
    pub item: ItemSlots,
    /// The `xml:base` of the root of a feed.
    pub feed_base: String,
    pub news: Option<NewsSlots>,
    pub scratch: String,
}

impl EntrySlots {
    #[inline]
    pub fn clear(&mut self) {
        self.fields.iter_mut().for_each(Slot::clear);
        self.images.clear();
        self.videos.clear();
        self.alternates.clear();
        self.news = None;
        self.scratch.clear();
    }

    #[inline(always)]
    pub fn loc(&self) -> &Slot {
        &self.fields[Field::Loc as usize]
    }

    #[inline(always)]
    pub fn lastmod(&self) -> &Slot {
        &self.fields[Field::Lastmod as usize]
    }

    #[inline(always)]
    pub fn changefreq(&self) -> &Slot {
        &self.fields[Field::Changefreq as usize]
    }

    #[inline(always)]
    pub fn priority(&self) -> &Slot {
        &self.fields[Field::Priority as usize]
    }

    /// It has images, videos, links or news.
    #[inline(always)]
    pub fn has_items(&self) -> bool {
        !(self.images.is_empty() && self.videos.is_empty() && self.alternates.is_empty() && self.news.is_none())
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
        let slots = self.fields.into_iter().chain(images).chain(alternates).chain(videos).chain(news);
        slots.map(|slot| slot.length()).max().unwrap_or(0)
    }
}
