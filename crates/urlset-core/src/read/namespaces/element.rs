//! What an element means to a reader of sitemaps, by its namespace and local name.

use super::namespace::Namespace;
use crate::media::{NEWS_ELEMENTS, SHOW, VIDEO_PARTS};

/// What an element is to a reader of sitemaps, its namespace resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Urlset,
    Sitemapindex,
    Url,
    Sitemap,
    Loc,
    Lastmod,
    Changefreq,
    Priority,
    Image,
    ImageLoc,
    ImageTitle,
    ImageCaption,
    ImageGeoLocation,
    ImageLicense,
    Video,
    /// By its index in `VIDEO_PARTS`.
    VideoPart(u8),
    /// By its index in `SHOW`.
    ShowPart(u8),
    News,
    NewsPublication,
    /// By its index in `NEWS_ELEMENTS`.
    NewsPart(u8),
    Link,
    Channel,
    /// An `<item>` of RSS or an `<entry>` of Atom.
    Item,
    FeedLink,
    FeedId,
    /// A date; the one with the lowest number is the page's.
    FeedDate(u8),
    Enclosure,
    MediaGroup,
    MediaContent,
    MediaThumbnail,
    MediaPlayer,
    MediaTitle,
    MediaDescription,
    /// Skipped whole.
    Other,
}

/// The fields of an entry that the protocol itself has, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Loc,
    Lastmod,
    Changefreq,
    Priority,
}

impl Element {
    /// What an element is, and whether its name is written as it should be: some write `<URL>` for `<url>`.
    pub fn of(namespace: Namespace, local: &str) -> (Element, bool) {
        let exactly = Element::named(namespace, local);
        if exactly != Element::Other || !local.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return (exactly, true);
        }
        match Element::named(namespace, &local.to_ascii_lowercase()) {
            Element::Other => (Element::Other, true),
            element => (element, false),
        }
    }

    /// It belongs to the formats of sitemaps, the extensions included, rather than to a feed; each has its place there.
    pub fn is_of_sitemaps(self) -> bool {
        let is_of_feed = matches!(self, Element::Channel | Element::Item | Element::FeedLink | Element::FeedId);
        let is_of_medium = matches!(self, Element::MediaGroup | Element::MediaContent | Element::MediaThumbnail)
            || matches!(self, Element::MediaPlayer | Element::MediaTitle | Element::MediaDescription);
        !(is_of_feed || is_of_medium || matches!(self, Element::FeedDate(_) | Element::Enclosure | Element::Other))
    }

    /// Which of the protocol's own fields it is.
    #[inline(always)]
    pub fn field(self) -> Option<Field> {
        match self {
            Element::Loc => Some(Field::Loc),
            Element::Lastmod => Some(Field::Lastmod),
            Element::Changefreq => Some(Field::Changefreq),
            Element::Priority => Some(Field::Priority),
            _ => None,
        }
    }

    /// It is a child of an image.
    pub fn is_image_field(self) -> bool {
        matches!(self, Element::ImageLoc | Element::ImageTitle | Element::ImageCaption)
            || matches!(self, Element::ImageGeoLocation | Element::ImageLicense)
    }

    fn named(namespace: Namespace, local: &str) -> Element {
        match namespace {
            Namespace::Core => match local {
                "url" => Element::Url,
                "sitemap" => Element::Sitemap,
                "loc" => Element::Loc,
                "lastmod" => Element::Lastmod,
                "changefreq" => Element::Changefreq,
                "priority" => Element::Priority,
                "urlset" => Element::Urlset,
                "sitemapindex" => Element::Sitemapindex,
                _ => Element::of_feed(local),
            },
            Namespace::Feed => Element::of_feed(local),
            Namespace::Image => match local {
                "image" => Element::Image,
                "loc" => Element::ImageLoc,
                "title" => Element::ImageTitle,
                "caption" => Element::ImageCaption,
                "geo_location" => Element::ImageGeoLocation,
                "license" => Element::ImageLicense,
                _ => Element::Other,
            },
            Namespace::Video => of_video(local),
            Namespace::News => of_news(local),
            Namespace::Xhtml if local == "link" => Element::Link,
            Namespace::Media => match local {
                "group" => Element::MediaGroup,
                "content" => Element::MediaContent,
                "thumbnail" => Element::MediaThumbnail,
                "player" => Element::MediaPlayer,
                "title" => Element::MediaTitle,
                "description" => Element::MediaDescription,
                _ => Element::Other,
            },
            Namespace::DublinCore if local == "date" => Element::FeedDate(1),
            _ => Element::Other,
        }
    }

    /// Of RSS and Atom. Their names do not meet those of sitemaps, so one table serves both.
    fn of_feed(local: &str) -> Element {
        match local {
            "channel" => Element::Channel,
            "item" | "entry" => Element::Item,
            "link" => Element::FeedLink,
            "guid" | "id" => Element::FeedId,
            "enclosure" => Element::Enclosure,
            "pubDate" | "pubdate" => Element::FeedDate(0),
            "updated" | "modified" => Element::FeedDate(1),
            "published" | "issued" | "created" => Element::FeedDate(2),
            _ => Element::Other,
        }
    }
}

/// What an element of the video namespace is.
fn of_video(local: &str) -> Element {
    if local == "video" {
        return Element::Video;
    }
    if let Some(index) = VIDEO_PARTS.iter().position(|part| part.name == local) {
        return Element::VideoPart(index as u8);
    }
    SHOW.iter().position(|name| *name == local).map_or(Element::Other, |index| Element::ShowPart(index as u8))
}

/// What an element of the news namespace is.
fn of_news(local: &str) -> Element {
    match local {
        "news" => Element::News,
        "publication" => Element::NewsPublication,
        _ => NEWS_ELEMENTS
            .iter()
            .position(|name| *name == local)
            .map_or(Element::Other, |index| Element::NewsPart(index as u8)),
    }
}
