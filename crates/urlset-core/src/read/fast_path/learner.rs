//! Learning how entries are written from one that the parser has read.

use super::segment_chain::SegmentChain;
use crate::read::entries::meaning::{Begins, Target};
use crate::read::grammar::content::Content;
use crate::read::index::window::is_blank;
use crate::read::lexer::tag::{Attribute, Tag, TagKind};
use crate::read::namespaces::element::Element;

impl Content {
    /// Learns from an entry that the parser has read without a remark, so that the next one like it is recognised.
    #[inline(never)]
    pub fn learn(&mut self, window: &str, open: &Tag) {
        if self.shapes.begin(self.tags.scopes.generation(), open.name(window)) {
            // What was learned before something that has no shape is true nevertheless.
            let chain = SegmentChain::at(open.start);
            let _ = match open.element {
                Element::Item => chain.learn_item(self, window, open),
                _ => chain.learn_entry(self, window, open),
            };
        }
    }
}

impl SegmentChain {
    /// Learns the segments up to the end of the entry, or to what has no shape.
    fn learn_entry(mut self, content: &mut Content, window: &str, open: &Tag) -> Option<()> {
        let mut at = open.end;
        let mut image: Option<Tag> = None;
        loop {
            let next = content.index.markup(window.as_bytes(), at)?;
            // Text between tags is left to the parser, which may have to say something about it.
            if window.as_bytes()[next] != b'<' || !is_blank(window.as_bytes(), at..next) {
                return None;
            }
            if let Some(end) = image.and_then(|image| image.closed_at(window, next)) {
                (image, at) = (None, end);
                continue;
            }
            if let Some(end) = open.closed_at(window, next) {
                return self.end_segment(content, window, end, Target::End);
            }
            let Some(tag) = content.tags.known(window, next) else {
                at = match image {
                    None => self.link(content, window, next)?,
                    Some(_) => return None,
                };
                continue;
            };
            let target = match (tag.element, image.is_some()) {
                (Element::Image, false) if content.shapes.begin_image(tag.name(window)) => {
                    self.begins(Begins::Image(next - self.from))?;
                    (image, at) = (Some(tag), tag.end);
                    continue;
                }
                (element, false) => Target::Field(element.field()?),
                (element, true) if element.is_image_field() => Target::ImageField(element),
                _ => return None,
            };
            let close = content.index.less(window.as_bytes(), tag.end)?;
            at = tag.closed_at(window, close)?;
            self.end_segment(content, window, tag.end, target)?;
            self.from = close;
        }
    }

    /// Learns from a link without content, whose address or language comes last.
    fn link(&mut self, content: &mut Content, window: &str, at: usize) -> Option<usize> {
        let tag = content.tags.read(window, at).ok()?;
        if tag.scoped {
            content.tags.scopes.pop();
            return None;
        }
        if tag.element != Element::Link || tag.kind != TagKind::Empty {
            return None;
        }
        self.begins(Begins::Link(at - self.from))?;
        for number in 0..content.tags.attributes.len() {
            let Attribute { name, value, is_plain } = content.tags.attributes[number].clone();
            let constant = Some((value.start - self.from, value.end - self.from));
            let target = match &window[name] {
                "hreflang" => Target::Hreflang,
                "href" => Target::Href,
                // What is the same for all links is taken as it is written.
                "rel" | "media" if !is_plain => return None,
                "rel" => {
                    self.meaning.rel = constant;
                    continue;
                }
                "media" => {
                    self.meaning.media = constant;
                    continue;
                }
                _ => continue,
            };
            if window.as_bytes()[value.start - 1] != b'"' {
                return None;
            }
            self.end_segment(content, window, value.start, target)?;
            self.from = value.end;
        }
        // What is behind the last value belongs to the next segment, which begins with something else.
        (content.tags.attributes.last()?.value.end == self.from).then_some(tag.end)
    }

    /// Something begins inside the segment at hand, which can hold the beginning of one thing.
    fn begins(&mut self, begins: Begins) -> Option<()> {
        let is_first = self.meaning.begins == Begins::Nothing;
        self.meaning.begins = begins;
        is_first.then_some(())
    }
}
