//! VID009 and NWS006: elements and attributes that Google has dropped. Those of images are among their other rules.

use super::image::{child, no_longer_read, tag_before};
use crate::diagnostic::{Note, catalogue};
use crate::media::{NEWS, VIDEO_TEXTS, index_of};
use crate::read::entry::Entry;
use crate::read::slots::{NewsSlots, Slot, VideoSlots};

/// In the schema, but no longer in Google's documentation.
const LEGACY: [usize; 4] = [
    index_of(&NEWS, "access"),
    index_of(&NEWS, "genres"),
    index_of(&NEWS, "keywords"),
    index_of(&NEWS, "stock_tickers"),
];

const fn text(name: &str) -> usize {
    index_of(&VIDEO_TEXTS, name)
}

/// NWS006.
pub fn check_news(entry: &Entry<'_>, news: &NewsSlots, notes: &mut Vec<Note>) {
    for index in LEGACY.into_iter().filter(|index| news.values[*index].is_present()) {
        let written = tag_before(entry, news.values[index]);
        notes.push(no_longer_read(&catalogue::NWS006, written, NEWS[index]));
    }
}

/// VID009. Source: Google Search Central Blog, May 2022.
pub fn check_video(entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
    const ATTRIBUTES: [(usize, &str); 2] =
        [(text("player_loc_allow_embed"), "allow_embed"), (text("player_loc_autoplay"), "autoplay")];
    let texts = &video.values.texts;
    for (index, name) in ATTRIBUTES.into_iter().filter(|(index, _)| texts[*index].is_present()) {
        notes.push(no_longer_read(&catalogue::VID009, texts[index].written(), name));
    }
    let price = video.values.prices.first().map(|price| price[0]);
    let elements = [
        ("category", Some(texts[text("category")])),
        ("gallery_loc", Some(texts[text("gallery_loc")])),
        ("price", price),
    ];
    for (name, slot) in elements {
        if let Some(slot) = slot.filter(Slot::is_present) {
            notes.push(no_longer_read(&catalogue::VID009, tag_before(entry, slot), name));
        }
    }
    if video.values.show.is_some() {
        let at = child(entry, video.at, "tvshow").unwrap_or(video.at);
        notes.push(no_longer_read(&catalogue::VID009, at..at + 1, "tvshow"));
    }
}
