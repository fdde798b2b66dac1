//! Learning how entries are written from one that the parser has read.

use crate::read::entries::shapes::{Begins, Meaning, Target};
use crate::read::entries::slots::BASE;
use crate::read::grammar::content::Content;
use crate::read::index::window::is_blank;
use crate::read::lexer::tag::{Attribute, Tag, TagKind};
use crate::read::namespaces::element::{Element, Field};

impl Content {
    /// Learns from an entry that the parser has read without a remark, so that the next one like it is recognised.
    #[inline(never)]
    pub fn learn(&mut self, window: &str, open: &Tag) {
        if self.shapes.begin(self.tags.scopes.generation(), open.name(window)) {
            // What was learned before something that has no shape is true nevertheless.
            let learner = ShapeLearner { from: open.start, ..ShapeLearner::default() };
            let _ = match open.element {
                Element::Item => learner.learn_item(self, window, open),
                _ => learner.learn(self, window, open),
            };
        }
    }
}

/// Learns the segments of one entry, on a walk through it.
struct ShapeLearner {
    /// The number of the last segment.
    before: usize,
    /// Where the segment at hand begins.
    from: usize,
    meaning: Meaning,
}

impl Default for ShapeLearner {
    fn default() -> Self {
        ShapeLearner { before: 0, from: 0, meaning: Meaning::of(Target::End) }
    }
}

impl ShapeLearner {
    /// Learns the segments up to the end of the entry, or to what has no shape.
    fn learn(mut self, content: &mut Content, window: &str, open: &Tag) -> Option<()> {
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

    /// Learns the segments of an item of a feed up to its end, or to what has no shape.
    fn learn_item(mut self, content: &mut Content, window: &str, open: &Tag) -> Option<()> {
        let bytes = window.as_bytes();
        let mut at = open.end;
        // One that is skipped with the elements inside, each of which holds a text.
        let (mut outer, mut inside): (Option<Tag>, u8) = (None, 0);
        loop {
            let next = content.index.markup(bytes, at)?;
            if bytes[next] != b'<' || !is_blank(bytes, at..next) {
                return None;
            }
            if let Some(end) = outer.and_then(|outer| outer.closed_at(window, next)) {
                (outer, inside, at) = (None, 0, end);
                continue;
            }
            if let Some(end) = open.closed_at(window, next) {
                return self.end_segment(content, window, end, Target::End);
            }
            let tag = content.tags.read(window, next).ok()?;
            if tag.scoped {
                content.tags.scopes.pop();
                return None;
            }
            if tag.kind == TagKind::Empty {
                match tag.element {
                    Element::FeedLink if outer.is_none() => self.feed_link(content, window)?,
                    Element::Other => {}
                    _ if outer.is_some() => {}
                    _ => return None,
                }
                at = tag.end;
                continue;
            }
            let close = content.index.less(bytes, tag.end)?;
            match tag.closed_at(window, close) {
                Some(end) => {
                    let target =
                        if outer.is_some() { Target::Skipped(inside) } else { item_target(content, window, &tag)? };
                    self.end_segment(content, window, tag.end, target)?;
                    (self.from, at) = (close, end);
                }
                None if outer.is_none() && tag.element == Element::Other => {
                    inside = content.shapes.begin_skipped(tag.name(window))?;
                    (outer, at) = (Some(tag), tag.end);
                }
                None => return None,
            }
        }
    }

    /// Learns from a link of Atom without content, which was read last.
    fn feed_link(&mut self, content: &mut Content, window: &str) -> Option<()> {
        let is_page = content.is_page_link(window);
        let count = content.tags.attributes.len();
        for number in 0..count {
            let Attribute { name, value, .. } = content.tags.attributes[number].clone();
            match &window[name] {
                // What follows the address belongs to the next segment, and must not say what link it is.
                "href" if number + 1 == count && window.as_bytes()[value.start - 1] == b'"' => {
                    self.end_segment(content, window, value.start, Target::FeedHref { is_page })?;
                    self.from = value.end;
                }
                "href" | BASE => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// Something begins inside the segment at hand, which can hold the beginning of one thing.
    fn begins(&mut self, begins: Begins) -> Option<()> {
        let is_first = self.meaning.begins == Begins::Nothing;
        self.meaning.begins = begins;
        is_first.then_some(())
    }

    fn end_segment(&mut self, content: &mut Content, window: &str, end: usize, target: Target) -> Option<()> {
        let meaning = Meaning { target, ..std::mem::replace(&mut self.meaning, Meaning::of(Target::End)) };
        self.before = content.shapes.learn(self.before, &window.as_bytes()[self.from..end], meaning)?;
        Some(())
    }
}

/// What the text of a child of an item is, whose tag was read last. `None`: it has no shape.
fn item_target(content: &Content, window: &str, tag: &Tag) -> Option<Target> {
    match tag.element {
        Element::FeedLink if content.tags.attributes.is_empty() => Some(Target::Field(Field::Loc)),
        Element::FeedId if content.is_link(window) => Some(Target::FeedId),
        Element::FeedDate(rank) => Some(Target::FeedDate(rank)),
        Element::FeedId | Element::Other => Some(Target::Skipped(0)),
        _ => None,
    }
}
