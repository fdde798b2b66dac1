//! `<video:video>`: its children, their attributes, its lists and its one nested element.

use super::content::{Content, attribute_slot};
use crate::media::{Holds, SHOW, VIDEO_PARTS, Video};
use crate::read::entries::slots::{Slot, VideoSlots};
use crate::read::lexer::tag::Tag;
use crate::read::namespaces::element::Element;
use crate::read::stop::Stop;

impl Content {
    /// Reads the video that `tag` begins and returns where it ends.
    #[inline(never)]
    pub fn video(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        self.check_items(tag, self.slots.videos.len(), "videos")?;
        let mut video = VideoSlots { at: tag.start, ..VideoSlots::default() };
        let end = self.children(window, tag, |content, window, child| match child.element {
            Element::VideoPart(index) => content.video_part(window, child, index, &mut video.values),
            _ => content.pass_over(window, child),
        })?;
        self.slots.videos.push(video);
        Ok(end)
    }

    fn video_part(&mut self, window: &str, tag: &Tag, index: u8, video: &mut Video<Slot>) -> Result<usize, Stop> {
        let part = &VIDEO_PARTS[usize::from(index)];
        match part.holds {
            Holds::Texts(first) if video.texts[first].is_present() => self.skip_repeated(window, tag),
            Holds::Texts(first) => {
                let slots = &mut video.texts[first..=first + part.attributes.len()];
                self.leaf_with_attributes(window, tag, part.attributes, slots)
            }
            Holds::Segments => self.video_item(window, tag, index, &mut video.segments),
            // An empty tag has no meaning.
            Holds::Tags => {
                let end = self.video_item(window, tag, index, &mut video.tags)?;
                video.tags.pop_if(|[tag]| tag.is_empty());
                Ok(end)
            }
            Holds::Prices => self.video_item(window, tag, index, &mut video.prices),
            Holds::Ids => self.video_item(window, tag, index, &mut video.ids),
            Holds::Show if video.show.is_some() => self.skip_repeated(window, tag),
            Holds::Show => self.show(window, tag, video.show.insert(Default::default())),
        }
    }

    /// One more item of a list.
    fn video_item<const N: usize>(
        &mut self,
        window: &str,
        tag: &Tag,
        index: u8,
        items: &mut Vec<[Slot; N]>,
    ) -> Result<usize, Stop> {
        let part = &VIDEO_PARTS[usize::from(index)];
        if items.len() >= self.budget.items_per_entry {
            let message = format!("more than {} elements `{}` in one video", items.len(), part.name);
            return Err(Stop::limit(tag.start, message));
        }
        let mut item = [Slot::default(); N];
        let end = self.leaf_with_attributes(window, tag, part.attributes, &mut item)?;
        items.push(item);
        Ok(end)
    }

    fn show(&mut self, window: &str, tag: &Tag, show: &mut [Slot; SHOW.len()]) -> Result<usize, Stop> {
        self.children(window, tag, |content, window, child| match child.element {
            Element::ShowPart(index) => content.first_leaf(window, child, &mut show[usize::from(index)]),
            _ => content.pass_over(window, child),
        })
    }

    /// The text of an element into the first slot, its attributes into those behind.
    fn leaf_with_attributes(
        &mut self,
        window: &str,
        tag: &Tag,
        names: &[&str],
        slots: &mut [Slot],
    ) -> Result<usize, Stop> {
        // Before the text is read: the attributes at hand are always those of the last tag.
        for (name, slot) in names.iter().zip(&mut slots[1..]) {
            let found = self.tags.attributes.iter().find(|attribute| &window[attribute.name.clone()] == *name);
            if let Some(attribute) = found.cloned() {
                *slot = attribute_slot(window, &attribute, &mut self.slots.scratch)?;
            }
        }
        let (text, end) = self.leaf(window, tag)?;
        slots[0] = text;
        Ok(end)
    }

    /// The text of an element into a slot, unless it has one already.
    pub fn first_leaf(&mut self, window: &str, tag: &Tag, slot: &mut Slot) -> Result<usize, Stop> {
        if slot.is_present() {
            return self.skip_repeated(window, tag);
        }
        let (text, end) = self.leaf(window, tag)?;
        *slot = text;
        Ok(end)
    }
}
