//! Entries that are written as earlier ones were: only their values are read, and the text between them is compared.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::attribute_cache::{plain_value, value_end};
use super::content::{Content, attribute_slot, is_padded, stripped, stripped_scratch};
use super::document::Document;
use super::element::Element;
use super::entry::EntryKind;
use super::kind::Kind;
use super::shapes::{Begins, Meaning, Shapes, Target};
use super::sink::Sink;
use super::slots::{AlternateSlots, EntrySlots, ImageSlots, Slot};
use super::stop::Stop;
use super::structural_index::StructuralIndex;
use super::tag::{Attribute, Tag, TagKind};
use super::text::{self, Context};
use super::window::is_blank;
use crate::diagnostic::Notebook;

impl Document {
    /// Takes the children of the root for as long as they are entries of a sitemap that are written as earlier ones.
    #[inline(always)]
    pub fn shaped_children(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        if self.kind.is_some_and(Kind::is_feed) || !self.content.has_shapes() {
            return Ok(());
        }
        dispatch!(self.content.level, simd => self.shaped_children_at(simd, window, at, sink, notebook))
    }

    /// The same, compiled for a level of SIMD.
    #[inline(always)]
    fn shaped_children_at<S: Simd>(
        &mut self,
        simd: S,
        window: &str,
        at: &mut usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        while let Some(range) = self.content.shaped_child(simd, window, *at) {
            self.content.piece_start = *at;
            let next = self.finish_entry(window, range, EntryKind::Url, sink)?;
            self.hand_unread(window, sink);
            self.record(window, *at, next, notebook);
            *at = next;
        }
        Ok(())
    }
}

impl Content {
    /// Whether an entry may be recognised.
    #[inline(always)]
    pub fn has_shapes(&self) -> bool {
        self.plain && !self.is_recovered && self.shapes.has(self.tags.scopes.generation())
    }

    /// Fills the slots from the child of the root at or after `at` and returns its range, if it is an entry, all of it is
    /// there, and it is written as earlier ones.
    #[inline(always)]
    pub fn shaped_child<S: Simd>(&mut self, simd: S, window: &str, at: usize) -> Option<Range<usize>> {
        let start = self.index.stop(at)?;
        if self.tags.keeps_unread && !is_blank(window.as_bytes(), at..start) {
            return None;
        }
        let Content { shapes, slots, index, .. } = self;
        slots.clear();
        let end = shaped_values(simd, shapes, slots, index, window, start)?;
        let most = self.budget.items_per_entry;
        if !slots.loc().is_present() || slots.images.len() > most || slots.alternates.len() > most {
            return None;
        }
        shapes.succeed();
        Some(start..end)
    }

    /// Learns from an entry that the parser has read and found nothing odd in, so that the next one like it is recognised.
    #[inline(never)]
    pub fn learn(&mut self, window: &str, open: &Tag) {
        if self.shapes.begin(self.tags.scopes.generation(), open.name(window)) {
            // What was learned before something that has no shape is true nevertheless.
            let _ = Lesson { from: open.start, ..Lesson::default() }.learn(self, window, open);
        }
    }
}

/// Fills the slots from an entry and returns where it ends, if that can be told from its shape. Else it may leave slots
/// behind.
#[inline(always)]
fn shaped_values<S: Simd>(
    simd: S,
    shapes: &Shapes,
    slots: &mut EntrySlots,
    index: &StructuralIndex,
    window: &str,
    start: usize,
) -> Option<usize> {
    let bytes = window.as_bytes();
    let (mut segment, mut at) = (shapes.first()?, start);
    loop {
        segment = shapes.next(simd, segment, bytes, at)?;
        let value = at + segment.length;
        if segment.holds_more {
            slots.begin(&segment.meaning, window, at)?;
        }
        let slot = match segment.field(&mut slots.fields) {
            Some(slot) => slot,
            None => match segment.meaning.target {
                Target::Field(field) => &mut slots.fields[field as usize],
                Target::ImageField(element) => slots.images.last_mut()?.field(element),
                target @ (Target::Hreflang | Target::Href) => {
                    at = slots.keep_attribute(simd, window, target, value)?;
                    continue;
                }
                Target::End => return Some(value),
            },
        };
        let end = index.stop(value)?;
        // Texts that are empty or padded, or hold a reference, need a closer look.
        at = if bytes[end] == b'<' && value < end && bytes[value] > b' ' && bytes[end - 1] > b' ' {
            // Where a second one is, the parser says so.
            slot.fill(value, end)?;
            end
        } else {
            slots.keep_text(index, window, segment.meaning.target, value..end)?
        };
    }
}

impl EntrySlots {
    /// Begins the image or link that begins inside a segment at `at`, with the values that the segment holds.
    #[inline(always)]
    fn begin(&mut self, meaning: &Meaning, window: &str, at: usize) -> Option<()> {
        match meaning.begins {
            Begins::Nothing => {}
            Begins::Image(offset) => self.images.push(ImageSlots { at: at + offset, ..ImageSlots::default() }),
            Begins::Link(offset) => {
                self.alternates.push(AlternateSlots { at: at + offset, ..AlternateSlots::default() });
            }
        }
        if meaning.rel.or(meaning.media).is_some() {
            let link = self.alternates.last_mut()?;
            for (constant, slot) in [(meaning.rel, &mut link.rel), (meaning.media, &mut link.media)] {
                if let Some((start, end)) = constant {
                    *slot = stripped(window, at + start..at + end);
                }
            }
        }
        Some(())
    }

    /// Keeps the value of an attribute, and returns where it ends.
    #[inline(always)]
    fn keep_attribute<S: Simd>(&mut self, simd: S, window: &str, target: Target, at: usize) -> Option<usize> {
        let bytes = window.as_bytes();
        let end = value_end(simd, bytes, at)?;
        if bytes[end] == b'"' && !is_padded(bytes, at..end) {
            self.slot(target)?.fill(at, end)?;
            return Some(end);
        }
        self.keep_odd_attribute(window, target, at)
    }

    /// Keeps the value of an attribute that is padded or holds a reference, and returns where it ends.
    #[inline(never)]
    fn keep_odd_attribute(&mut self, window: &str, target: Target, at: usize) -> Option<usize> {
        let end = plain_value(window.as_bytes(), at, b'"')?;
        let attribute = Attribute { name: at..at, value: at..end, is_plain: false };
        let slot = attribute_slot(window, &attribute, &mut self.scratch).ok()?;
        self.keep(target, slot)?;
        Some(end)
    }

    /// Keeps a text that is padded or holds a reference, and returns where it ends; the plain text of it is `text`.
    #[inline(never)]
    fn keep_text(
        &mut self,
        index: &StructuralIndex,
        window: &str,
        target: Target,
        text: Range<usize>,
    ) -> Option<usize> {
        let (slot, end) = match window.as_bytes()[text.end] {
            b'<' => (stripped(window, text.clone()), text.end),
            _ => self.decode(index, window, text)?,
        };
        self.keep(target, slot)?;
        Some(end)
    }

    /// The value of a text whose plain text is followed by a reference, and where it ends.
    fn decode(&mut self, index: &StructuralIndex, window: &str, plain: Range<usize>) -> Option<(Slot, usize)> {
        const AMPERSAND: &str = "&amp;";
        let scratch = &mut self.scratch;
        let (start, mut done, mut stop) = (scratch.len(), plain.start, plain.end);
        // Nearly every reference is this one, and where no window held anything special, nothing else needs a look.
        while window.as_bytes()[stop..].starts_with(AMPERSAND.as_bytes()) {
            scratch.push_str(&window[done..stop]);
            scratch.push('&');
            done = stop + AMPERSAND.len();
            stop = index.stop(done)?;
        }
        let end = index.less(window.as_bytes(), stop)?;
        text::decode(&window[done..end], Context::Content, scratch).ok()?;
        Some((stripped_scratch(scratch, start, window, plain.start..end), end))
    }

    /// Keeps the value of a target, unless it has one: of a second one the parser says what is to be said.
    fn keep(&mut self, target: Target, value: Slot) -> Option<()> {
        let slot = self.slot(target)?;
        if slot.is_present() {
            return None;
        }
        *slot = value;
        Some(())
    }

    /// Where the value of a target belongs.
    #[inline(always)]
    fn slot(&mut self, target: Target) -> Option<&mut Slot> {
        Some(match target {
            Target::Field(field) => &mut self.fields[field as usize],
            Target::ImageField(element) => self.images.last_mut()?.field(element),
            Target::Hreflang => &mut self.alternates.last_mut()?.hreflang,
            Target::Href => &mut self.alternates.last_mut()?.href,
            Target::End => return None,
        })
    }
}

/// The walk through an entry to learn from.
struct Lesson {
    /// The number of the last segment.
    before: usize,
    /// Where the segment at hand begins.
    from: usize,
    meaning: Meaning,
}

impl Default for Lesson {
    fn default() -> Self {
        Lesson { before: 0, from: 0, meaning: Meaning::of(Target::End) }
    }
}

impl Lesson {
    /// Learns the segments up to the end of the entry, or to what has no shape.
    fn learn(mut self, content: &mut Content, window: &str, open: &Tag) -> Option<()> {
        let mut at = open.end;
        let mut image: Option<Tag> = None;
        loop {
            let next = content.index.stop(at)?;
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
            let Attribute { name, value, .. } = content.tags.attributes[number].clone();
            let constant = Some((value.start - self.from, value.end - self.from));
            let target = match &window[name] {
                "hreflang" => Target::Hreflang,
                "href" => Target::Href,
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

    fn end_segment(&mut self, content: &mut Content, window: &str, end: usize, target: Target) -> Option<()> {
        let meaning = Meaning { target, ..std::mem::replace(&mut self.meaning, Meaning::of(Target::End)) };
        self.before = content.shapes.learn(self.before, &window.as_bytes()[self.from..end], meaning)?;
        Some(())
    }
}
