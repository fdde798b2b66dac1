//! Videos of an entry. Source: Google Search Central, video sitemaps, and Google's schema sitemap-video 1.1.

use std::ops::RangeInclusive;

use super::Linter;
use super::hrefs::Hrefs;
use super::image::{no_longer_read, tag_before};
use crate::diagnostic::wording::lastmod_error;
use crate::diagnostic::{Note, Rule, Safety, catalogue};
use crate::media::VIDEO_TEXTS;
use crate::read::entry::Entry;
use crate::read::slots::{Slot, VideoSlots};
use crate::value::calendar::{DAY_MICROS, civil_from_days, days_in_month};
use crate::value::href::{is_app, is_media};
use crate::value::lastmod::{self, LastmodError};
use crate::value::priority::{self, PriorityError};
use crate::value::{hreflang, loc};

/// Source: Google Search Central, video sitemaps: up to 32 tags.
const MAX_TAGS: usize = 32;
/// Characters. Source: Google Search Central for description and uploader, the schema for title and category.
const LONGEST: [(usize, usize); 4] =
    [(text("title"), 100), (text("description"), 2_048), (text("category"), 256), (text("uploader"), 255)];
const REQUIRED: [usize; 3] = [text("thumbnail_loc"), text("title"), text("description")];
const MEDIA: [usize; 2] = [text("content_loc"), text("player_loc")];
/// What has to be a URL.
const URLS: [usize; 5] =
    [text("thumbnail_loc"), text("content_loc"), text("player_loc"), text("gallery_loc"), text("uploader_info")];
const FLAGS: [usize; 4] =
    [text("player_loc_allow_embed"), text("family_friendly"), text("requires_subscription"), text("live")];
const PLATFORMS: [&str; 3] = ["web", "mobile", "tv"];

/// The index of a column among the texts of a video.
const fn text(name: &str) -> usize {
    index_of(&VIDEO_TEXTS, name)
}

/// The index of a name in a list, found at compile time.
pub(super) const fn index_of(list: &[&str], name: &str) -> usize {
    let mut index = 0;
    loop {
        let (one, other) = (list[index].as_bytes(), name.as_bytes());
        let mut at = 0;
        while at < one.len() && at < other.len() && one[at] == other[at] {
            at += 1;
        }
        if at == one.len() && at == other.len() {
            return index;
        }
        index += 1;
    }
}

impl Linter {
    pub(super) fn check_videos(&self, entry: &Entry<'_>, hrefs: &mut Hrefs, notes: &mut Vec<Note>) {
        // Media of feeds have elements of their own, for which these rules do not speak.
        let videos = if entry.document.is_feed() { &[][..] } else { &entry.slots.videos };
        for video in videos {
            self.check_required(video, notes);
            self.check_media(entry, video, notes);
            self.check_urls(entry, hrefs, video, notes);
            self.check_lengths(entry, video, notes);
            self.check_numbers(entry, video, notes);
            self.check_flags(entry, video, notes);
            self.check_restrictions(entry, video, notes);
            self.check_video_dates(entry, video, notes);
            if let Some([first_over]) = video.values.tags.get(MAX_TAGS)
                && self.asks(&catalogue::VID008)
            {
                let message = format!("{} tags in one video; Google takes {MAX_TAGS}", video.values.tags.len());
                notes.push(Note::new(&catalogue::VID008, tag_before(entry, *first_over), message));
            }
            if self.asks(&catalogue::VID009) {
                check_deprecated(entry, video, notes);
            }
        }
    }

    /// VID001. What is missing of one video has one cause.
    fn check_required(&self, video: &VideoSlots, notes: &mut Vec<Note>) {
        let texts = &video.values.texts;
        if REQUIRED.iter().any(|index| texts[*index].is_empty()) && self.asks(&catalogue::VID001) {
            let lacking = REQUIRED.into_iter().filter(|index| texts[*index].is_empty());
            let lacking: Vec<_> = lacking.map(|index| (VIDEO_TEXTS[index], texts[index])).collect();
            notes.push(missing(&catalogue::VID001, "video", video.at, &lacking));
        }
    }

    /// VID002 and VID003.
    fn check_media(&self, entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
        let texts = &video.values.texts;
        if MEDIA.iter().all(|index| texts[*index].is_empty()) {
            if !self.asks(&catalogue::VID002) {
                return;
            }
            let message = "the video has neither a content_loc nor a player_loc";
            let note = Note::new(&catalogue::VID002, video.at..video.at + 1, message);
            notes.push(note.with_help("give the URL of its file or of its player"));
            return;
        }
        let Some(loc) = entry.text(*entry.slots.loc()).filter(|_| self.asks(&catalogue::VID003)) else { return };
        for index in MEDIA.into_iter().filter(|index| entry.text(texts[*index]) == Some(loc)) {
            let message = format!("the {} is the loc of the page", VIDEO_TEXTS[index]);
            let note = Note::new(&catalogue::VID003, texts[index].written(), message);
            notes.push(note.with_help("give the URL of the video's own file or player"));
        }
    }

    /// VID011 and VID012. What is missing is VID001 or VID002.
    fn check_urls(&self, entry: &Entry<'_>, hrefs: &mut Hrefs, video: &VideoSlots, notes: &mut Vec<Note>) {
        let texts = &video.values.texts;
        let urls = URLS.into_iter().map(|index| (VIDEO_TEXTS[index], texts[index]));
        let segments = video.values.segments.iter().map(|[url, _]| ("content_segment_loc", *url));
        for (name, slot) in urls.chain(segments) {
            let Some(text) = entry.text(slot) else { continue };
            if !hrefs.is_good(text) && !is_media(text) || is_app(text) {
                if self.asks(&catalogue::VID011) {
                    let message = format!("the {name} is not an absolute http, https or ftp URL");
                    notes.push(Note::new(&catalogue::VID011, slot.written(), message));
                }
            } else if name == "content_loc" && self.asks(&catalogue::VID012) && is_page(text) {
                let message = "the content_loc is a page, and not the file of the video";
                let note = Note::new(&catalogue::VID012, slot.written(), message);
                notes.push(note.with_help("give the file, or the player as player_loc"));
            }
        }
    }

    fn check_lengths(&self, entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
        for (index, most) in LONGEST {
            let slot = video.values.texts[index];
            // Bytes are never fewer than characters.
            if slot.length() > most && self.asks(&catalogue::VID004) {
                let chars = entry.text(slot).unwrap_or_default().chars().count();
                if chars > most {
                    let message = format!("the {} has {chars} characters; {most} are taken", VIDEO_TEXTS[index]);
                    notes.push(Note::new(&catalogue::VID004, slot.written(), message));
                }
            }
        }
    }

    fn check_numbers(&self, entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
        type Check = (usize, fn(&str) -> bool, &'static str);
        const NUMBERS: [Check; 3] = [
            (text("duration"), is_duration, "whole number of seconds from 1 to 28800"),
            (text("rating"), is_rating, "decimal number from 0.0 to 5.0"),
            (text("view_count"), is_whole, "whole number of 0 or more"),
        ];
        for (index, is_fine, form) in NUMBERS {
            let slot = video.values.texts[index];
            let text = entry.text(slot).unwrap_or_default();
            if slot.is_present() && !is_fine(text) && self.asks(&catalogue::VID005) {
                let message = format!("{text:?} is not a valid {}: write a {form}", VIDEO_TEXTS[index]);
                notes.push(Note::new(&catalogue::VID005, slot.written(), message));
            }
        }
    }

    fn check_flags(&self, entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
        for index in FLAGS {
            let slot = video.values.texts[index];
            let text = entry.text(slot).unwrap_or_default();
            let is_flag = matches!(text, "yes" | "no" | "Yes" | "No" | "YES" | "NO");
            if !slot.is_present() || is_flag || !self.asks(&catalogue::VID006) {
                continue;
            }
            let message = format!("{text:?} is neither yes nor no");
            let note = Note::new(&catalogue::VID006, slot.written(), message).with_help("write yes or no");
            let meant = match text.to_ascii_lowercase().as_str() {
                "yes" | "true" | "1" | "y" => Some("yes"),
                "no" | "false" | "0" | "n" => Some("no"),
                _ => None,
            };
            notes.push(match meant {
                Some(word) => note.with_fix(entry.fixed_value(slot.written(), Safety::Safe, word)),
                None => note,
            });
        }
    }

    fn check_restrictions(&self, entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
        type Check = fn(&Entry<'_>, Slot, &str) -> Option<Note>;
        const LISTS: [(usize, Check); 2] = [(text("restriction"), bad_restriction), (text("platform"), bad_platform)];
        for (index, problem) in LISTS {
            let (slot, relationship) = (video.values.texts[index], video.values.texts[index + 1]);
            if !slot.is_present() || !self.asks(&catalogue::VID007) {
                continue;
            }
            // An empty list is one: allowed nowhere, or denied nowhere.
            notes.extend(entry.text(slot).and_then(|text| problem(entry, slot, text)));
            let word = entry.text(relationship).unwrap_or_default();
            if matches!(word, "allow" | "deny") {
                continue;
            }
            let note = match relationship.is_present() {
                true => {
                    let message = format!("the relationship {word:?} is neither allow nor deny");
                    Note::new(&catalogue::VID007, relationship.written(), message)
                }
                false => {
                    let message = format!("the {} has no relationship", VIDEO_TEXTS[index]);
                    Note::new(&catalogue::VID007, tag_before(entry, slot), message)
                }
            };
            notes.push(note.with_help("write relationship=\"allow\" or relationship=\"deny\""));
        }
    }

    /// VID010.
    fn check_video_dates(&self, entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
        const EXPIRES: usize = text("expiration_date");
        let texts = &video.values.texts;
        self.check_date(entry, texts[text("publication_date")], &catalogue::VID010, notes);
        let Some(span) = self.check_date(entry, texts[EXPIRES], &catalogue::VID010, notes) else { return };
        if *span.end() < self.settings.now && self.asks(&catalogue::VID010) {
            let message = format!("the video expired at {}", entry.text(texts[EXPIRES]).unwrap_or_default());
            let note = Note::new(&catalogue::VID010, texts[EXPIRES].written(), message);
            notes.push(note.with_help("Google does not show it any more: drop the video, or the date"));
        }
    }

    /// Checks a date, and returns from when to when it lasts: a date without a time is a whole day.
    pub(super) fn check_date(
        &self,
        entry: &Entry<'_>,
        slot: Slot,
        rule: &'static Rule,
        notes: &mut Vec<Note>,
    ) -> Option<RangeInclusive<i64>> {
        if !slot.is_present() {
            return None;
        }
        let text = entry.text(slot).unwrap_or_default();
        match lastmod::parse(text) {
            Ok(micros) => Some(micros..=micros + rest_of(text, micros)),
            Err(error) => {
                if self.asks(rule) {
                    self.bad_date(entry, slot, rule, error, notes);
                }
                None
            }
        }
    }

    #[cold]
    fn bad_date(
        &self,
        entry: &Entry<'_>,
        slot: Slot,
        rule: &'static Rule,
        error: LastmodError<'_>,
        notes: &mut Vec<Note>,
    ) {
        let text = entry.text(slot).unwrap_or_default();
        let (_, message, help) = lastmod_error(error);
        let before = notes.len();
        notes.push(Note { help, ..Note::new(rule, slot.written(), message) });
        self.add_repair(entry, slot, text, before, notes);
        if matches!(error, LastmodError::MissingZone(_)) && notes[before].fix.is_none() {
            // UTC is likely, and no more than that.
            let fix = entry.fixed_value(slot.written(), Safety::Display, &format!("{text}Z"));
            notes[before].fix = Some(Box::new(fix));
        }
    }
}

/// A finding about a missing child: at the element, or at the child if that is present and empty.
pub(super) fn missing(rule: &'static Rule, what: &str, at: usize, lacking: &[(&str, Slot)]) -> Note {
    let written = match lacking {
        [(_, slot)] if slot.is_present() => slot.written(),
        _ => at..at + 1,
    };
    let names: Vec<&str> = lacking.iter().map(|(name, _)| *name).collect();
    Note::new(rule, written, format!("the {what} has no {}", names.join(", no ")))
}

/// VID009. Source: Google Search Central Blog, May 2022.
fn check_deprecated(entry: &Entry<'_>, video: &VideoSlots, notes: &mut Vec<Note>) {
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

/// The `<` of the first element of a local name inside the element that begins at `from`.
pub(super) fn child(entry: &Entry<'_>, from: usize, local: &str) -> Option<usize> {
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

/// Microseconds from the beginning of what a date names to its last one.
fn rest_of(text: &str, micros: i64) -> i64 {
    let (year, month, _) = civil_from_days(micros.div_euclid(DAY_MICROS));
    let days = match text.len() {
        4 => 337 + i64::from(days_in_month(year, 2)),
        7 => i64::from(days_in_month(year, month as u32)),
        10 => 1,
        _ => return 0,
    };
    days * DAY_MICROS - 1
}

/// Whether a URL is plainly a page that shows a video: by the end of its name, or that of a known site.
fn is_page(url: &str) -> bool {
    const SITES: [(&str, &str); 5] = [
        ("youtube.com", "/watch"),
        ("youtube.com", "/shorts/"),
        ("youtu.be", "/"),
        ("vimeo.com", "/"),
        ("dailymotion.com", "/video/"),
    ];
    let Some(parts) = loc::parts(url) else { return false };
    let path = loc::requested_path(parts.rest);
    let host = parts.host.to_ascii_lowercase();
    let host = host.strip_prefix("www.").or(host.strip_prefix("m.")).unwrap_or(&host);
    let is_site = |site: &(&str, &str)| host == site.0 && path.starts_with(site.1) && path.len() > 1;
    let small = path.to_ascii_lowercase();
    [".html", ".htm", ".xhtml"].iter().any(|end| small.ends_with(end)) || SITES.iter().any(is_site)
}

fn is_duration(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|seconds| (1..=28_800).contains(&seconds))
}

fn is_rating(text: &str) -> bool {
    match priority::parse(text) {
        Ok(_) => true,
        Err(PriorityError::OutOfRange(_)) => text.parse::<f64>().is_ok_and(|stars| (0.0..=5.0).contains(&stars)),
        Err(PriorityError::NotDecimal(_)) => false,
    }
}

fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn bad_restriction(entry: &Entry<'_>, slot: Slot, text: &str) -> Option<Note> {
    let is_code = |code: &str| hreflang::is_country(code) && code.bytes().all(|byte| byte.is_ascii_uppercase());
    let wrong = text.split_ascii_whitespace().find(|code| !is_code(code))?;
    let countries = text.to_ascii_uppercase().replace(',', " ");
    let countries: Vec<&str> = countries.split_ascii_whitespace().collect();
    let message = format!("{wrong:?} is not a country of ISO 3166-1 in two capital letters");
    let note = Note::new(&catalogue::VID007, slot.written(), message);
    Some(if !countries.is_empty() && countries.iter().all(|code| is_code(code)) {
        note.with_fix(entry.fixed_value(slot.written(), Safety::Safe, &countries.join(" ")))
    } else if countries.contains(&"UK") {
        note.with_help("UK is not a country code: use GB")
    } else {
        note.with_help("write codes with blanks between them, as in DE AT")
    })
}

fn bad_platform(entry: &Entry<'_>, slot: Slot, text: &str) -> Option<Note> {
    let wrong = text.split_ascii_whitespace().find(|word| !PLATFORMS.contains(word))?;
    let message = format!("{wrong:?} is not one of {}", PLATFORMS.join(", "));
    let note = Note::new(&catalogue::VID007, slot.written(), message);
    let small = text.to_ascii_lowercase();
    Some(match small.split_ascii_whitespace().all(|word| PLATFORMS.contains(&word)) {
        true => note.with_fix(entry.fixed_value(slot.written(), Safety::Safe, &small)),
        false => note.with_help("write platforms with blanks between them, as in web tv"),
    })
}
