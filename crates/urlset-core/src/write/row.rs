//! One entry on its way out.

use std::hash::{Hash, Hasher};

use super::element::stripped;
use super::error::Refusal;
use crate::media::{News, VIDEO_URLS, Video};
use crate::read::Kind;
use crate::value::calendar::DAY_MICROS;
use crate::value::lastmod;

/// A lastmod to be written.
#[derive(Debug, Clone, Copy, PartialEq, Hash)]
pub enum Lastmod<'a> {
    /// As somebody wrote it: kept as it is if it is in the W3C profile.
    Text(&'a str),
    /// Microseconds since the epoch, in UTC.
    Instant(i64),
    /// Days since the epoch.
    Day(i32),
    /// Microseconds since the epoch on a clock whose time zone is not known.
    Local(i64),
}

/// A priority to be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Priority<'a> {
    Text(&'a str),
    Number(f64),
}

impl Hash for Priority<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Priority::Text(text) => (0_u8, text).hash(state),
            Priority::Number(number) => (1_u8, number.to_bits()).hash(state),
        }
    }
}

/// The fields of the protocol, as a table has them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fields<'a> {
    pub loc: &'a str,
    pub lastmod: Option<Lastmod<'a>>,
    /// The text that the lastmod had where it was read.
    pub lastmod_raw: Option<&'a str>,
    pub changefreq: Option<&'a str>,
    pub priority: Option<Priority<'a>>,
}

/// An image of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Default, Hash)]
pub struct Image<'a> {
    pub loc: &'a str,
    pub title: Option<&'a str>,
    pub caption: Option<&'a str>,
    pub geo_location: Option<&'a str>,
    pub license: Option<&'a str>,
}

/// A link to another version of the page.
#[derive(Debug, Clone, Copy, PartialEq, Default, Hash)]
pub struct Alternate<'a> {
    pub hreflang: Option<&'a str>,
    pub href: &'a str,
    pub media: Option<&'a str>,
    /// `alternate` if it is not given.
    pub rel: Option<&'a str>,
}

/// One entry. Empty texts count as absent, and the texts of extensions are written without outer blanks, which readers
/// would strip.
#[derive(Debug, Clone, Default)]
pub struct Row<'a> {
    /// The kind of document that it belongs to; None if it could be either.
    pub kind: Option<Kind>,
    pub loc: &'a str,
    pub lastmod: Option<Lastmod<'a>>,
    pub changefreq: Option<&'a str>,
    pub priority: Option<Priority<'a>>,
    pub images: Vec<Image<'a>>,
    pub videos: Vec<Video<Option<&'a str>>>,
    pub alternates: Vec<Alternate<'a>>,
    pub news: Option<News<Option<&'a str>>>,
    /// Further texts of the row, in the order in which they were asked for.
    pub extras: Vec<Option<&'a str>>,
    /// Why the row cannot be written, if a value of it cannot even be represented here.
    pub fault: Option<&'a Refusal>,
}

impl<'a> Alternate<'a> {
    /// Return its `rel` as it is written.
    #[inline(always)]
    pub fn rel(&self) -> &'a str {
        stripped(self.rel).unwrap_or("alternate")
    }
}

impl<'a> Row<'a> {
    /// Return the URLs of its extensions: of images, videos, and other versions of the page.
    pub fn links(&self) -> impl Iterator<Item = &'a str> {
        let of_videos = self.videos.iter().flat_map(|video| {
            let texts = VIDEO_URLS.into_iter().filter_map(|index| video.texts[index]);
            texts.chain(video.segments.iter().filter_map(|[url, _]| *url))
        });
        let of_images = self.images.iter().map(|image| image.loc);
        of_images.chain(of_videos).chain(self.alternates.iter().map(|link| link.href))
    }

    /// Replace each of [`links`](Self::links), in the same order.
    pub fn replace_links(&mut self, mut other: impl FnMut(&'a str) -> &'a str) {
        for image in &mut self.images {
            image.loc = other(image.loc);
        }
        for video in &mut self.videos {
            for index in VIDEO_URLS {
                video.texts[index] = video.texts[index].map(&mut other);
            }
            for [url, _] in &mut video.segments {
                *url = url.map(&mut other);
            }
        }
        for link in &mut self.alternates {
            link.href = other(link.href);
        }
    }
}

impl Row<'_> {
    /// Whether there is anything but the fields of the protocol.
    #[inline]
    pub fn has_extensions(&self) -> bool {
        !self.images.is_empty() || !self.videos.is_empty() || !self.alternates.is_empty() || self.news.is_some()
    }

    /// Return the bytes of the longest text of the extensions; the protocol limits all others.
    pub fn longest_text(&self) -> usize {
        let images = self.images.iter();
        let images = images.flat_map(|image| [image.title, image.caption, image.geo_location, image.license]);
        let alternates = self.alternates.iter().flat_map(|link| [link.hreflang, link.media, link.rel]);
        let videos = self.videos.iter().flat_map(|video| video.all().copied());
        let hrefs = self.images.iter().map(|image| image.loc).chain(self.alternates.iter().map(|link| link.href));
        let texts = images.chain(alternates).chain(videos).chain(self.news.iter().flatten().copied()).flatten();
        texts.chain(hrefs).map(str::len).max().unwrap_or(0)
    }
}

/// Return a lastmod with the text that it had where it was read: the text counts as long as it means the same. An invalid
/// text without a typed value is kept, so that it is refused and not lost.
pub fn as_written<'a>(typed: Option<Lastmod<'a>>, raw: Option<&'a str>) -> Option<Lastmod<'a>> {
    let Some(raw) = raw else { return typed };
    let meant = lastmod::parse(raw).ok();
    let same = match typed {
        None => meant.is_none(),
        Some(Lastmod::Text(text)) => lastmod::parse(text).ok() == meant && meant.is_some(),
        Some(Lastmod::Instant(micros)) => meant == Some(micros),
        Some(Lastmod::Day(days)) => meant == Some(i64::from(days).saturating_mul(DAY_MICROS)),
        Some(Lastmod::Local(_)) => false,
    };
    // An instant whose text has an offset that exists nowhere is written in UTC.
    let is_named = matches!(typed, Some(Lastmod::Instant(_) | Lastmod::Day(_)));
    if same && (!is_named || lastmod::is_somewhere(raw)) { Some(Lastmod::Text(raw)) } else { typed }
}
