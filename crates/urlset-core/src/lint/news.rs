//! The article of an entry. Source: Google Search Central, news sitemaps, and Google's schema sitemap-news 0.9.

use super::Linter;
use super::image::{no_longer_read, tag_before};
use super::video::{child, index_of, missing};
use crate::diagnostic::{Note, Safety, catalogue};
use crate::media::NEWS;
use crate::read::entry::Entry;
use crate::read::slots::NewsSlots;
use crate::read::slots::Slot;
use crate::value::calendar::DAY_MICROS;
use crate::value::hreflang;

const NAME: usize = index_of(&NEWS, "publication_name");
const LANGUAGE: usize = index_of(&NEWS, "publication_language");
const DATE: usize = index_of(&NEWS, "publication_date");
const TITLE: usize = index_of(&NEWS, "title");
/// In the schema, but no longer in Google's documentation.
const LEGACY: [usize; 4] = [
    index_of(&NEWS, "access"),
    index_of(&NEWS, "genres"),
    index_of(&NEWS, "keywords"),
    index_of(&NEWS, "stock_tickers"),
];
/// Days that an article is news for. Source: Google Search Central, news sitemaps.
const DAYS: i64 = 2;

impl Linter {
    pub(super) fn check_news(&self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let Some(news) = &entry.slots.news else { return };
        let required = [NAME, LANGUAGE, DATE, TITLE];
        if required.iter().any(|index| news.values[*index].is_empty()) && self.asks(&catalogue::NWS001) {
            notes.push(missing_fields(entry, news));
        }
        let slot = news.values[LANGUAGE];
        if let Some(language) = entry.text(slot)
            && !is_language(language)
            && self.asks(&catalogue::NWS004)
        {
            notes.push(bad_language(entry, slot, language));
        }
        if !news.values[DATE].is_empty() {
            self.check_news_date(entry, news.values[DATE], notes);
        }
        if self.asks(&catalogue::NWS006) {
            for index in LEGACY.into_iter().filter(|index| news.values[*index].is_present()) {
                let written = tag_before(entry, news.values[index]);
                notes.push(no_longer_read(&catalogue::NWS006, written, NEWS[index]));
            }
        }
    }

    /// NWS002 and NWS005.
    fn check_news_date(&self, entry: &Entry<'_>, slot: Slot, notes: &mut Vec<Note>) {
        let Some(span) = self.check_date(entry, slot, &catalogue::NWS005, notes) else { return };
        let text = entry.text(slot).unwrap_or_default();
        if text.len() < 10 && self.asks(&catalogue::NWS005) {
            let message = format!("{text} is not a day, which Google asks for");
            return notes
                .push(Note::new(&catalogue::NWS005, slot.written(), message).with_help("write it as 2026-01-31"));
        }
        let now = self.settings.now;
        if *span.end() < now.saturating_sub(DAYS * DAY_MICROS) && self.asks(&catalogue::NWS002) {
            let message = format!("{text} is more than {DAYS} days ago");
            let note = Note::new(&catalogue::NWS002, slot.written(), message);
            notes.push(note.with_help("leave out its news:news: the page can stay in another sitemap"));
        }
        // Where a day begins first, it begins 14 hours before it does in UTC.
        let earlier = if text.len() > 10 { 0 } else { DAY_MICROS / 24 * 14 };
        if *span.start() - earlier > now && self.asks(&catalogue::NWS005) {
            notes.push(Note::new(&catalogue::NWS005, slot.written(), format!("{text} is in the future")));
        }
    }
}

/// NWS001. What is missing of one article has one cause.
fn missing_fields(entry: &Entry<'_>, news: &NewsSlots) -> Note {
    let [name, language] = [NAME, LANGUAGE].map(|index| news.values[index]);
    let of_article = [("publication_date", news.values[DATE]), ("title", news.values[TITLE])];
    let mut lacking: Vec<(&str, Slot)> = Vec::new();
    // A publication with neither a name nor a language leaves no trace but its tag.
    let has_publication = name.is_present() || language.is_present() || child(entry, news.at, "publication").is_some();
    if has_publication {
        lacking.extend([("publication's name", name), ("publication's language", language)]);
    } else {
        lacking.push(("publication", name));
    }
    let of_publication = lacking.iter().filter(|(_, slot)| slot.is_empty()).count();
    lacking.extend(of_article);
    lacking.retain(|(_, slot)| slot.is_empty());
    let at = match has_publication && lacking.len() == of_publication {
        true => child(entry, news.at, "publication").unwrap_or(news.at),
        false => news.at,
    };
    missing(&catalogue::NWS001, "article", at, &lacking)
}

/// Source: Google Search Central, news sitemaps: a code of ISO 639 of two or three letters, `zh-cn` or `zh-tw`; the pattern
/// of the schema takes small letters only.
fn is_language(text: &str) -> bool {
    matches!(text, "zh-cn" | "zh-tw")
        || text.bytes().all(|byte| byte.is_ascii_lowercase()) && hreflang::is_language(text)
}

fn bad_language(entry: &Entry<'_>, slot: Slot, text: &str) -> Note {
    let small = text.to_ascii_lowercase().replace('_', "-");
    let (language, region) = small.split_once('-').unwrap_or((&small, ""));
    let (fixed, safety) = match (language, region) {
        ("zh", "cn" | "hans-cn") => ("zh-cn", Safety::Safe),
        ("zh", "tw" | "hant-tw") => ("zh-tw", Safety::Safe),
        // The script is what the two exceptions are about, and the region is more than was said.
        ("zh", "hans" | "hans-sg") => ("zh-cn", Safety::Unsafe),
        ("zh", "hant" | "hant-hk" | "hant-mo" | "hk" | "mo") => ("zh-tw", Safety::Unsafe),
        ("zh", "sg") => ("zh-cn", Safety::Unsafe),
        (language, "") => (language, Safety::Safe),
        // The region is lost.
        (language, _) => (language, Safety::Unsafe),
    };
    let is_form = matches!(text.len(), 2 | 3) && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let message = match is_form {
        true => format!("{text:?} is not the code of a language"),
        false => format!("{text:?} is not a language code of two or three small letters, zh-cn or zh-tw"),
    };
    let note = Note::new(&catalogue::NWS004, slot.written(), message);
    match is_language(fixed) {
        true => note.with_fix(entry.fixed_value(slot.written(), safety, fixed)),
        false => note.with_help("write it without a region, as in en"),
    }
}
