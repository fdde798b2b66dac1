//! Images of an entry: what Google has dropped of them, their order, and repetitions. Source: Google Search Central, image
//! sitemaps, and for the order of their children Google's schema sitemap-image 1.1.

use std::ops::Range;

use super::Linter;
use crate::diagnostic::{Note, Rule, catalogue};
use crate::read::entry::Entry;
use crate::read::slots::{ImageSlots, Slot};

/// Up to so many images each is compared with those before it; more are sorted.
const MAX_PAIRWISE: usize = 64;

impl Linter {
    pub(super) fn check_images(&self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        if self.asks(&catalogue::IMG003) {
            check_deprecated(entry, notes);
        }
        if self.asks(&catalogue::IMG005) {
            check_order(entry, notes);
            check_repeated(entry, notes);
        }
    }
}

/// The children of an image, in the order of the schema.
fn children(image: &ImageSlots) -> [(&'static str, Slot); 5] {
    [
        ("loc", image.loc),
        ("caption", image.caption),
        ("geo_location", image.geo_location),
        ("title", image.title),
        ("license", image.license),
    ]
}

/// IMG003. Source: Google Search Central Blog, May 2022: only the loc still has an effect.
fn check_deprecated(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let mut is_reported = [false; 5];
    for image in &entry.slots.images {
        for (at, (name, slot)) in children(image).into_iter().enumerate().skip(1) {
            if slot.is_present() && !std::mem::replace(&mut is_reported[at], true) {
                notes.push(no_longer_read(&catalogue::IMG003, tag_before(entry, slot), name));
            }
        }
    }
}

/// The note, once a document, about something that Google has dropped.
pub(super) fn no_longer_read(rule: &'static Rule, written: Range<usize>, name: &'static str) -> Note {
    let message = format!("Google does not read `{name}` any more");
    Note::new(rule, written, message).once(name).with_help("leave it out, unless another consumer reads it")
}

/// IMG005, the order: the first child that follows one that it should precede.
fn check_order(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    for image in &entry.slots.images {
        let children = children(image);
        let is_behind = |early: Slot, late: Slot| late.is_present() && late.written().start < early.written().start;
        let late = children.iter().enumerate().filter(|(_, (_, slot))| slot.is_present()).filter_map(|(at, child)| {
            let before = children[at + 1..].iter().find(|(_, later)| is_behind(child.1, *later))?;
            Some((child, before.0))
        });
        if let Some(((name, slot), before)) = late.min_by_key(|((_, slot), _)| slot.written().start) {
            let message = format!("`{name}` comes after `{before}`");
            let help = "the order is loc, caption, geo_location, title, license";
            notes.push(Note::new(&catalogue::IMG005, tag_before(entry, *slot), message).with_help(help));
        }
    }
}

/// IMG005, an image that the entry has already.
fn check_repeated(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let images = &entry.slots.images;
    let loc = |index: usize| entry.text(images[index].loc);
    let mut report = |index: usize| {
        let message = "the entry has this image already";
        notes.push(Note::new(&catalogue::IMG005, images[index].loc.written(), message));
    };
    if images.len() <= MAX_PAIRWISE {
        for index in 1..images.len() {
            if loc(index).is_some() && (0..index).any(|before| loc(before) == loc(index)) {
                report(index);
            }
        }
        return;
    }
    let mut indexes: Vec<usize> = (0..images.len()).filter(|index| loc(*index).is_some()).collect();
    indexes.sort_unstable_by_key(|index| (loc(*index), *index));
    for same in indexes.chunk_by(|one, other| loc(*one) == loc(*other)) {
        same[1..].iter().for_each(|index| report(*index));
    }
}

/// The `<` of the element whose text the slot is.
pub(super) fn tag_before(entry: &Entry<'_>, slot: Slot) -> Range<usize> {
    let before = &entry.window.as_bytes()[entry.start..slot.written().start];
    let at = entry.start + memchr::memrchr(b'<', before).unwrap_or(0);
    at..at + 1
}

/// The `<` of the first element of a local name inside the element that begins at `from`.
pub fn child(entry: &Entry<'_>, from: usize, local: &str) -> Option<usize> {
    let text = &entry.window[..entry.end];
    let name = |at: usize| {
        let name = &text[at..];
        &name[..name.find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or(name.len())]
    };
    let outer = name(from + 1);
    let mut at = from + 1;
    loop {
        at += memchr::memchr(b'<', &text.as_bytes()[at..])?;
        let rest = &text[at..];
        let passed = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((_, end)) = passed.iter().find(|(begin, _)| rest.starts_with(begin)) {
            at += rest.find(end)?;
        } else if rest.strip_prefix("</").is_some_and(|_| name(at + 2) == outer) {
            return None;
        } else if name(at + 1).rsplit(':').next() == Some(local) {
            return Some(at);
        } else {
            at += 1;
        }
    }
}
