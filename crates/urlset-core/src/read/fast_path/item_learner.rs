//! Learning how the items of a feed are written from one that the parser has read.

use std::ops::Range;

use super::segment_chain::SegmentChain;
use crate::read::entries::meaning::{Around, HrefState, LinkState, Target};
use crate::read::entries::slots::BASE;
use crate::read::grammar::content::Content;
use crate::read::index::structural_index::section_end;
use crate::read::index::window::is_blank;
use crate::read::lexer::markup::{SECTION_END, SECTION_START};
use crate::read::lexer::tag::{Attribute, Tag, TagKind};
use crate::read::namespaces::element::{Element, Field};

impl SegmentChain {
    /// Learns the segments of an item of a feed up to its end, or to what has no shape.
    pub fn learn_item(mut self, content: &mut Content, window: &str, open: &Tag) -> Option<()> {
        let bytes = window.as_bytes();
        let mut at = open.end;
        // One that is skipped with the elements inside, each of which holds a text, and the number of its name.
        let mut outer: Option<(Tag, u8)> = None;
        loop {
            let next = content.index.markup(bytes, at)?;
            if bytes[next] != b'<' || !is_blank(bytes, at..next) {
                return None;
            }
            if let Some(end) = outer.and_then(|(outer, _)| outer.closed_at(window, next)) {
                (outer, at) = (None, end);
                continue;
            }
            if let Some(end) = open.closed_at(window, next) {
                return self.end_segment(content, window, end, Target::End);
            }
            let tag = content.tags.read(window, next).ok()?;
            if tag.scoped {
                content.tags.scopes.pop();
            }
            // A closing tag with a blank in it may be that of the item, behind which nothing has been read.
            if tag.scoped || tag.kind == TagKind::Close {
                return None;
            }
            let target = match tag.element {
                _ if outer.is_some() || tag.element == Element::Other => {
                    self.skipped_tag(content, window, &tag, outer.map_or(0, |(_, number)| number))?
                }
                Element::FeedLink if tag.kind == TagKind::Empty => self.feed_link(content, window)?,
                _ if tag.kind == TagKind::Empty => return None,
                _ => kept_target(content, window, &tag)?,
            };
            if tag.kind == TagKind::Empty {
                at = tag.end;
                continue;
            }
            at = match leaf(content, window, &tag) {
                Some(leaf) => self.end_leaf(content, window, &leaf, target)?,
                None if outer.is_none() && tag.element == Element::Other => {
                    outer = Some((tag, content.shapes.begin_skipped(tag.name(window))?));
                    tag.end
                }
                None => return None,
            };
        }
    }

    /// Learns from the tag of an element that is not kept, which was read last. Its values may be others in the next item.
    fn skipped_tag(&mut self, content: &mut Content, window: &str, tag: &Tag, outer: u8) -> Option<Target> {
        if outer == 0 && content.is_counted(window, tag) {
            let place = content.place_of_extension(window, tag);
            // A segment counts one element.
            if self.meaning.counted.replace(place).is_some() {
                return None;
            }
        }
        let mut around = Around { outer, inner: 0 };
        for number in 0..content.tags.attributes.len() {
            let Attribute { name, value, .. } = content.tags.attributes[number].clone();
            if window.as_bytes()[value.start - 1] != b'"' || &window[name] == "type" {
                continue;
            }
            around.inner = content.shapes.begin_skipped(tag.name(window))?;
            self.end_segment(content, window, value.start, Target::SkippedValue(around))?;
            self.from = value.end;
        }
        Some(Target::Skipped(around))
    }

    /// Learns from a link of Atom without content, which was read last.
    fn feed_link(&mut self, content: &mut Content, window: &str) -> Option<Target> {
        let is_page = content.is_page_link(window);
        let mut state = LinkState { href: HrefState::Missing, is_page: None };
        for number in 0..content.tags.attributes.len() {
            let Attribute { name, value, .. } = content.tags.attributes[number].clone();
            let has_usual_quotes = window.as_bytes()[value.start - 1] == b'"';
            match &window[name] {
                "rel" => {
                    state.is_page = Some(is_page);
                    continue;
                }
                "href" if has_usual_quotes => state.href = HrefState::Follows,
                "href" | BASE => return None,
                "title" if has_usual_quotes => {}
                // What is the same for all links is a part of the segment.
                _ => continue,
            }
            self.end_segment(content, window, value.start, Target::FeedLink(state))?;
            self.from = value.end;
            if state.href == HrefState::Follows {
                state.href = HrefState::Given;
            }
        }
        self.meaning.ends_link |= is_page && state.href == HrefState::Given;
        Some(Target::FeedLink(state))
    }

    /// Learns the segment before the text of an element, and returns where the element ends.
    fn end_leaf(&mut self, content: &mut Content, window: &str, leaf: &Leaf, target: Target) -> Option<usize> {
        // The blanks around a section are a part of the text.
        if leaf.is_padded && !matches!(target, Target::Skipped(_)) {
            return None;
        }
        self.meaning.is_section = leaf.is_section;
        self.end_segment(content, window, leaf.text.start, target)?;
        self.from = leaf.text.end;
        Some(leaf.end)
    }
}

/// An element that holds a text or a CDATA section, and nothing else.
struct Leaf {
    text: Range<usize>,
    is_section: bool,
    /// There are blanks around the section.
    is_padded: bool,
    end: usize,
}

/// The element that this tag opens, if it is a leaf.
fn leaf(content: &Content, window: &str, tag: &Tag) -> Option<Leaf> {
    let bytes = window.as_bytes();
    let less = content.index.less(bytes, tag.end)?;
    if let Some(end) = tag.closed_at(window, less) {
        return Some(Leaf { text: tag.end..less, is_section: false, is_padded: false, end });
    }
    if !bytes[less..].starts_with(SECTION_START.as_bytes()) {
        return None;
    }
    let start = less + SECTION_START.len();
    let text = start..start + section_end(&bytes[start..])?;
    let after = text.end + SECTION_END.len();
    let close = content.index.less(bytes, after)?;
    let end = tag.closed_at(window, close)?;
    let is_alone = is_blank(bytes, tag.end..less) && is_blank(bytes, after..close);
    is_alone.then_some(Leaf { text, is_section: true, is_padded: (less, close) != (tag.end, after), end })
}

/// What the text of a child of an item is, whose tag was read last. `None`: it has no shape.
fn kept_target(content: &Content, window: &str, tag: &Tag) -> Option<Target> {
    match tag.element {
        Element::FeedLink if content.tags.attributes.is_empty() => Some(Target::Field(Field::Loc)),
        Element::FeedId if content.is_link(window) => Some(Target::FeedId),
        Element::FeedId => Some(Target::Skipped(Around { outer: 0, inner: 0 })),
        Element::FeedDate(rank) => Some(Target::FeedDate(rank)),
        _ => None,
    }
}
