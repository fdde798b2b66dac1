//! Images of an entry, and its versions in other languages and for other media. Sources: Google Search Central, image
//! sitemaps and localized versions of a page.

use super::content::{Content, attribute_slot, stripped};
use crate::read::entries::slots::{AlternateSlots, ImageSlots};
use crate::read::lexer::tag::Tag;
use crate::read::stop::Stop;

impl Content {
    pub fn image(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        self.check_items(tag, self.slots.images.len(), "images")?;
        let mut image = ImageSlots { at: tag.start, ..ImageSlots::default() };
        let end = self.children(window, tag, |content, window, child| {
            if !child.element.is_image_field() {
                return content.pass_over(window, child);
            }
            let field = image.field(child.element);
            if field.is_present() {
                return content.skip_repeated(window, child);
            }
            if let Some((text, after)) = content.plain_leaf(window, child) {
                *field = stripped(window, text);
                return Ok(after);
            }
            let (slot, after) = content.leaf_in_pieces(window, child)?;
            *field = slot;
            Ok(after)
        })?;
        self.slots.images.push(image);
        Ok(end)
    }

    /// `<xhtml:link rel="alternate" hreflang="…" href="…"/>`: all of it is in attributes.
    pub fn link(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        self.check_items(tag, self.slots.alternates.len(), "alternates")?;
        let mut alternate = AlternateSlots { at: tag.start, ..AlternateSlots::default() };
        for attribute in &self.tags.attributes {
            let field = match &window[attribute.name.clone()] {
                "hreflang" => &mut alternate.hreflang,
                "href" => &mut alternate.href,
                "media" => &mut alternate.media,
                "rel" => &mut alternate.rel,
                _ => continue,
            };
            if field.is_present() {
                continue;
            }
            *field = attribute_slot(window, attribute, &mut self.slots.scratch)?;
        }
        let end = self.children(window, tag, Self::pass_over)?;
        self.slots.alternates.push(alternate);
        Ok(end)
    }
}
