//! One item of a feed: the elements of RSS and Atom for the URL of a page, its last change, and its media.
//!
//! Sources: RSS 2.0 specification; RSS 1.0, section 5.5; RFC 4287; the Atom 0.3 draft; Media RSS 1.5.1. The protocol
//! names the link as the loc and pubDate, or updated, as the lastmod.

use std::slice;

use super::content::{Content, attribute_slot};
use crate::read::entries::slots::{BASE, ImageSlots, Inside, Slot, VideoSlots};
use crate::read::lexer::name::split;
use crate::read::lexer::tag::Tag;
use crate::read::namespaces::element::{Element, Field};
use crate::read::namespaces::namespace::Namespace;
use crate::read::stop::Stop;

impl Content {
    /// One child of an `<item>` or `<entry>`.
    pub fn field_of_item(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        match tag.element {
            Element::FeedLink => self.feed_link(window, tag),
            Element::FeedId => {
                let is_link = self.is_link(window);
                let (slot, end) = self.leaf(window, tag)?;
                if is_link {
                    self.slots.item.id = slot;
                }
                Ok(end)
            }
            Element::FeedDate(rank) => {
                let (slot, end) = self.leaf(window, tag)?;
                if !self.slots.lastmod().is_present() || rank < self.slots.item.date_rank {
                    self.slots.fields[Field::Lastmod as usize] = slot;
                    self.slots.item.date_rank = rank;
                }
                Ok(end)
            }
            Element::MediaGroup => self.children(window, tag, Self::field_of_group),
            // An item inside an item: that one was never closed.
            Element::Item if !self.is_recovered => Err(Stop::NeedsRecovery),
            _ => self.field_of_group(window, tag),
        }
    }

    /// Whether the id whose tag was read last is a link: an RSS guid is a permanent one unless its attribute denies that.
    pub fn is_link(&self, window: &str) -> bool {
        self.attribute(window, "isPermaLink").is_none_or(|value| value != "false")
    }

    /// Whether the link whose tag was read last leads to the page.
    pub fn is_page_link(&self, window: &str) -> bool {
        self.attribute(window, "rel").is_none_or(|rel| relation(rel) == "alternate")
    }

    /// One child of a `<media:group>`, which may stand directly in the item as well.
    fn field_of_group(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        match tag.element {
            Element::MediaContent | Element::Enclosure => self.medium(window, tag),
            _ => self.field_of_medium(window, tag),
        }
    }

    /// Whether an element that is passed over is counted. Titles, authors and whole articles of the feed itself are not part
    /// of a sitemap; what others have added is counted.
    pub fn is_counted(&self, window: &str, tag: &Tag) -> bool {
        let namespace = self.tags.scopes.namespace(split(tag.name(window)).0);
        !matches!(namespace, Some(Namespace::Core | Namespace::Feed | Namespace::Media))
    }

    /// One child of a `<media:content>`, which may be in the group or the item for all of them.
    fn field_of_medium(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        let index = match tag.element {
            Element::MediaThumbnail => 0,
            Element::MediaTitle => 1,
            Element::MediaDescription => 2,
            Element::MediaPlayer => 4,
            _ if self.is_counted(window, tag) => return self.pass_over_extension(window, tag),
            _ => return self.skip(window, tag),
        };
        let url = self.attribute_slot(window, "url")?;
        let (text, end) = self.leaf(window, tag)?;
        self.describe(self.slots.item.inside, index, if matches!(index, 1 | 2) { text } else { url });
        Ok(end)
    }

    /// `<link>URL</link>` of RSS, or `<link rel="alternate" href="URL"/>` of Atom; the first that is one counts.
    fn feed_link(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        let is_alternate = self.is_page_link(window);
        let (href, base) = (self.attribute_slot(window, "href")?, self.attribute_slot(window, BASE)?);
        let (text, end) = self.leaf(window, tag)?;
        let slot = if href.is_present() { href } else { text };
        if is_alternate && !self.slots.loc().is_present() && slot.length() > 0 {
            self.slots.fields[Field::Loc as usize] = slot;
            self.slots.item.bases[1] = base;
        }
        Ok(end)
    }

    /// `<media:content>` or `<enclosure>`: an image or a video, by its medium or its type, or a medium of another kind.
    fn medium(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        let kind = self.attribute(window, "medium").or(self.attribute(window, "type")).unwrap_or_default();
        let (is_image, is_video) = (kind.starts_with("image"), kind.starts_with("video"));
        let url = self.attribute_slot(window, "url")?;
        let mut inside = Inside::Other;
        if is_image && url.is_present() {
            self.check_items(tag, self.slots.images.len(), "images")?;
            self.slots.images.push(ImageSlots { at: tag.start, loc: url, ..Default::default() });
            inside = Inside::Image;
        }
        if is_video {
            self.check_items(tag, self.slots.videos.len(), "videos")?;
            let mut video = VideoSlots { at: tag.start, ..VideoSlots::default() };
            video.values.texts[3] = url;
            video.values.texts[7] = self.attribute_slot(window, "duration")?;
            self.slots.videos.push(video);
            inside = Inside::Video;
        }
        self.slots.item.inside = inside;
        let end = self.children(window, tag, Self::field_of_medium)?;
        self.slots.item.inside = Inside::Item;
        for (index, slot) in self.slots.item.shared.into_iter().enumerate() {
            self.describe(inside, index, slot);
        }
        Ok(end)
    }

    /// Gives a description to the medium that is being read, or to all that have none of their own: the first one of
    /// each kind that a medium has counts. Source: Media RSS, optional elements.
    fn describe(&mut self, inside: Inside, index: usize, slot: Slot) {
        let fill = |field: &mut Slot| {
            if !field.is_present() {
                *field = slot;
            }
        };
        let (images, videos) = (&mut self.slots.images, &mut self.slots.videos);
        let (images, videos) = match inside {
            Inside::Item => (&mut images[..], &mut videos[..]),
            Inside::Image => (images.last_mut().map(slice::from_mut).unwrap_or_default(), &mut [][..]),
            Inside::Video => (&mut [][..], videos.last_mut().map(slice::from_mut).unwrap_or_default()),
            Inside::Other => return,
        };
        videos.iter_mut().for_each(|video| fill(&mut video.values.texts[index]));
        match index {
            1 => images.iter_mut().for_each(|image| fill(&mut image.title)),
            2 => images.iter_mut().for_each(|image| fill(&mut image.caption)),
            _ => {}
        }
        if inside == Inside::Item {
            fill(&mut self.slots.item.shared[index]);
        }
    }

    /// The value of an attribute of the tag read last, as it is written.
    fn attribute<'w>(&self, window: &'w str, name: &str) -> Option<&'w str> {
        let found = self.tags.attributes.iter().find(|attribute| &window[attribute.name.clone()] == name)?;
        Some(&window[found.value.clone()])
    }

    pub fn attribute_slot(&mut self, window: &str, name: &str) -> Result<Slot, Stop> {
        match self.tags.attributes.iter().find(|attribute| &window[attribute.name.clone()] == name) {
            Some(found) => attribute_slot(window, found, &mut self.slots.scratch),
            None => Ok(Slot::default()),
        }
    }
}

/// The name of a relation of Atom, which may be written as a URL. Source: RFC 4287, section 4.2.7.2: a name stands for the
/// URL of its entry in the registry of IANA.
fn relation(rel: &str) -> &str {
    rel.strip_prefix("http://www.iana.org/assignments/relation/").unwrap_or(rel)
}
