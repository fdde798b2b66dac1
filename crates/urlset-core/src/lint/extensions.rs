//! The extensions of an entry: what the judge finds wrong with them, as notes with a place in the document.

use std::ops::Range;

use super::image::{child, tag_before};
use super::{Linter, dropped};
use crate::diagnostic::{Note, Rule, catalogue};
use crate::judge::{self, Fault, Item, Judge, Link, Part, Place, Spot};
use crate::media::{NEWS, index_of};
use crate::read::entry::Entry;
use crate::read::namespace::{NEWS as NEWS_URI, VIDEO, XHTML};
use crate::read::slots::{AlternateSlots, Slot};
use crate::value::href::Href;
use crate::value::hrefs::Hrefs;
use crate::value::zone::Zone;

impl Linter {
    #[inline(never)]
    pub(super) fn check_extensions(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let slots = entry.slots;
        if !self.settings.extensions {
            check_support(entry, notes);
        }
        let is_feed = entry.document.is_feed();
        if !slots.images.is_empty() {
            self.judged(
                entry,
                notes,
                |linter| &mut linter.image_hrefs,
                |judge| {
                    judge::images(judge, slots.images.iter().map(|image| image.loc));
                },
            );
            // Images of feeds have elements of their own.
            if !is_feed {
                self.check_images(entry, notes);
            }
        }
        // So have their media, for which these rules do not speak.
        if !slots.videos.is_empty() && !is_feed {
            self.check_videos(entry, notes);
        }
        if let Some(news) = &slots.news {
            self.judged(entry, notes, |linter| &mut linter.link_hrefs, |judge| judge::news(judge, &news.values));
            if self.asks(&catalogue::NWS006) {
                dropped::check_news(entry, news, notes);
            }
            self.document.article(news.at, notes);
        }
        if !slots.alternates.is_empty() {
            let loc = entry.text(*slots.loc());
            self.judged(
                entry,
                notes,
                |linter| &mut linter.link_hrefs,
                |judge| {
                    judge::alternates(judge, &slots.alternates, loc);
                },
            );
        }
    }

    fn check_videos(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let loc = entry.text(*entry.slots.loc());
        for (at, video) in entry.slots.videos.iter().enumerate() {
            self.judged(
                entry,
                notes,
                |linter| &mut linter.video_hrefs,
                |judge| {
                    judge::video(judge, at, &video.values, loc);
                },
            );
            if self.asks(&catalogue::VID009) {
                dropped::check_video(entry, video, notes);
            }
        }
    }

    /// Have something of the entry judged. `hrefs` are the URLs of its kind that the document had so far.
    #[inline(always)]
    fn judged<'e>(
        &mut self,
        entry: &Entry<'e>,
        notes: &mut Vec<Note>,
        hrefs: impl Fn(&mut Linter) -> &mut Hrefs,
        judge: impl FnOnce(&mut Reported<'_, 'e>),
    ) {
        let mut seen = std::mem::take(hrefs(self));
        judge(&mut Reported { linter: self, entry, hrefs: &mut seen, notes });
        *hrefs(self) = seen;
    }
}

/// Reports each fault as a note.
struct Reported<'l, 'e> {
    linter: &'l Linter,
    entry: &'l Entry<'e>,
    hrefs: &'l mut Hrefs,
    notes: &'l mut Vec<Note>,
}

impl<'e> Judge<'e> for Reported<'_, 'e> {
    type Value = Slot;

    #[inline(always)]
    fn asks(&self, rule: &'static Rule) -> bool {
        self.linter.asks(rule)
    }

    #[inline(always)]
    fn text(&self, slot: Slot) -> Option<&'e str> {
        self.entry.text(slot)
    }

    #[inline(always)]
    fn is_present(&self, slot: Slot) -> bool {
        slot.is_present()
    }

    #[inline(always)]
    fn href(&mut self, text: &str) -> Href {
        self.hrefs.look_at(text)
    }

    fn has_publication(&self) -> bool {
        let news = self.entry.slots.news.as_ref();
        news.is_some_and(|news| child(self.entry, news.at, "publication").is_some())
    }

    fn checked_at(&self) -> i64 {
        self.linter.settings.now
    }

    fn zone(&self) -> Option<&Zone> {
        self.linter.settings.zone.as_ref()
    }

    #[cold]
    fn found(&mut self, place: Place, fault: Fault) {
        let Fault { rule, message, help, instead } = fault;
        let note = Note { help, ..Note::new(rule, written(self.entry, &place), message) };
        let slot = match place.spot {
            Spot::Value(part) => slot(self.entry, place.item, part),
            _ => None,
        };
        self.notes.push(match (instead, slot) {
            (Some((safety, text)), Some(slot)) => note.with_fix(self.entry.fixed_value(slot.written(), safety, &text)),
            _ => note,
        });
    }
}

impl Link<Slot> for AlternateSlots {
    #[inline(always)]
    fn hreflang(&self) -> Slot {
        self.hreflang
    }

    #[inline(always)]
    fn href(&self) -> Slot {
        self.href
    }

    #[inline(always)]
    fn media(&self) -> Slot {
        self.media
    }

    #[inline(always)]
    fn rel(&self) -> Slot {
        self.rel
    }
}

/// Where the tag of an item stands.
fn tag(entry: &Entry<'_>, item: Item) -> usize {
    let slots = entry.slots;
    let at = match item {
        Item::Entry => None,
        Item::Image(index) => slots.images.get(index).map(|image| image.at),
        Item::Video(index) => slots.videos.get(index).map(|video| video.at),
        Item::Alternate(index) => slots.alternates.get(index).map(|link| link.at),
        Item::News => slots.news.as_ref().map(|news| news.at),
    };
    at.unwrap_or(entry.start)
}

/// A value of an item.
fn slot(entry: &Entry<'_>, item: Item, part: Part) -> Option<Slot> {
    let slots = entry.slots;
    match (item, part) {
        (Item::Image(at), Part::Text(_)) => slots.images.get(at).map(|image| image.loc),
        (Item::Alternate(at), Part::Text(index)) => {
            let link = slots.alternates.get(at)?;
            [link.hreflang, link.href, link.media, link.rel].get(index).copied()
        }
        (Item::News, Part::Text(index)) => slots.news.as_ref()?.values.get(index).copied(),
        (Item::Video(at), part) => {
            let values = &slots.videos.get(at)?.values;
            match part {
                Part::Text(index) => values.texts.get(index).copied(),
                Part::Segment(index) => values.segments.get(index).map(|[url, _]| *url),
                Part::Tag(index) => values.tags.get(index).map(|[tag]| *tag),
            }
        }
        _ => None,
    }
}

/// What part of the document a fault is about. What is missing is missing where its element begins, or in the element if
/// that is there and empty.
fn written(entry: &Entry<'_>, place: &Place) -> Range<usize> {
    let at = tag(entry, place.item);
    let value = |part: Part| slot(entry, place.item, part).filter(Slot::is_present);
    match &place.spot {
        Spot::Whole => at..at + 1,
        Spot::Value(part) => value(*part).map_or(at..at + 1, |slot| slot.written()),
        Spot::Element(part) => value(*part).map_or(at..at + 1, |slot| tag_before(entry, slot)),
        Spot::Lacking(indexes) => {
            let only = indexes.first().filter(|_| indexes.len() == 1);
            if let Some(slot) = only.and_then(|index| value(Part::Text(*index))) {
                return slot.written();
            }
            const OF_PUBLICATION: [usize; 2] =
                [index_of(&NEWS, "publication_name"), index_of(&NEWS, "publication_language")];
            let is_publication = place.item == Item::News && indexes.iter().all(|index| OF_PUBLICATION.contains(index));
            let publication = if is_publication { child(entry, at, "publication") } else { None };
            let at = publication.unwrap_or(at);
            at..at + 1
        }
    }
}

/// NS006: extensions that are read but that this consumer does not take. Every consumer that takes extensions takes
/// images: Yandex documents them too, and no others.
fn check_support(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let slots = entry.slots;
    let first = [
        (slots.videos.first().map(|video| video.at), "video", VIDEO),
        (slots.news.as_ref().map(|news| news.at), "news", NEWS_URI),
        (slots.alternates.first().map(|link| link.at), "link", XHTML),
    ];
    for (at, name, uri) in first.into_iter().filter_map(|(at, name, uri)| Some((at?, name, uri))) {
        let message = format!("this search engine does not support the extension of `{name}`");
        notes.push(Note::new(&catalogue::NS006, at..at + 1, message).once(uri));
    }
}
