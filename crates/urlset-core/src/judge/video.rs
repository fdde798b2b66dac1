//! Videos of an entry. Source: Google Search Central, video sitemaps, and Google's schema sitemap-video 1.1.

use std::ops::RangeInclusive;

use super::fault::Fault;
use super::href;
use super::instead;
use super::judging::Judge;
use super::place::{Item, Part, Place, Spot};
use crate::diagnostic::wording::lastmod_error;
use crate::diagnostic::{Rule, Safety, catalogue};
use crate::media::{VIDEO_REQUIRED, VIDEO_TEXTS, VIDEO_URLS, Video, index_of};
use crate::value::calendar::{DAY_MICROS, civil_from_days, days_in_month};
use crate::value::href::{Href, is_app, is_media};
use crate::value::lastmod::{self, LastmodError};
use crate::value::priority::{self, PriorityError};
use crate::value::zone::Zone;
use crate::value::{hreflang, loc};

/// Source: Google Search Central, video sitemaps: up to 32 tags.
const MAX_TAGS: usize = 32;
/// Characters. Source: Google Search Central for description and uploader, the schema for title and category.
const LONGEST: [(usize, usize); 4] =
    [(text("title"), 100), (text("description"), 2_048), (text("category"), 256), (text("uploader"), 255)];
const MEDIA: [usize; 2] = [text("content_loc"), text("player_loc")];
const FLAGS: [usize; 4] =
    [text("player_loc_allow_embed"), text("family_friendly"), text("requires_subscription"), text("live")];
const PLATFORMS: [&str; 3] = ["web", "mobile", "tv"];

/// The index of a column among the texts of a video.
const fn text(name: &str) -> usize {
    index_of(&VIDEO_TEXTS, name)
}

/// Judge a video, the one at `at` of an entry with this loc: VID001 to VID008 and VID010 to VID012.
pub fn video<'a, J: Judge<'a>>(judge: &mut J, at: usize, video: &Video<J::Value>, loc: Option<&str>) {
    let item = Item::Video(at);
    check_required(judge, item, video);
    check_media(judge, item, video, loc);
    check_urls(judge, item, video);
    check_lengths(judge, item, video);
    check_numbers(judge, item, video);
    check_flags(judge, item, video);
    check_restrictions(judge, item, video);
    check_dates(judge, item, video);
    if video.tags.len() > MAX_TAGS && judge.asks(&catalogue::VID008) {
        let message = format!("{} tags in one video; Google accepts {MAX_TAGS}", video.tags.len());
        let place = Place { item, spot: Spot::Element(Part::Tag(MAX_TAGS)) };
        judge.found(place, Fault::new(&catalogue::VID008, message));
    }
}

/// VID001. What is missing of one video has one cause.
fn check_required<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>) {
    if VIDEO_REQUIRED.iter().all(|index| judge.text(video.texts[*index]).is_some()) || !judge.asks(&catalogue::VID001) {
        return;
    }
    let lacking = VIDEO_REQUIRED.into_iter().filter(|index| judge.text(video.texts[*index]).is_none());
    let indexes: Vec<usize> = lacking.collect();
    let names: Vec<&str> = indexes.iter().map(|index| VIDEO_TEXTS[*index]).collect();
    let fault = Fault::new(&catalogue::VID001, format!("the video has no {}", names.join(", no ")));
    judge.found(Place { item, spot: Spot::Lacking(indexes) }, fault);
}

/// VID002 and VID003.
fn check_media<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>, loc: Option<&str>) {
    if MEDIA.iter().all(|index| judge.text(video.texts[*index]).is_none()) {
        if judge.asks(&catalogue::VID002) {
            let fault = Fault::new(&catalogue::VID002, "the video has neither a content_loc nor a player_loc");
            judge.found(Place::whole(item), fault.with_help("give the URL of its file or of its player"));
        }
        return;
    }
    let Some(loc) = loc.filter(|_| judge.asks(&catalogue::VID003)) else { return };
    for index in MEDIA {
        if judge.text(video.texts[index]) == Some(loc) {
            let fault = Fault::new(&catalogue::VID003, format!("the {} is the loc of the page", VIDEO_TEXTS[index]));
            let help = "give the URL of the video's own file or player";
            judge.found(Place::text(item, index), fault.with_help(help));
        }
    }
}

/// VID011 and VID012. What is missing is VID001 or VID002.
fn check_urls<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>) {
    for index in VIDEO_URLS {
        check_url(judge, item, Part::Text(index), VIDEO_TEXTS[index], video.texts[index]);
    }
    for (at, [url, _]) in video.segments.iter().enumerate() {
        check_url(judge, item, Part::Segment(at), "content_segment_loc", *url);
    }
}

#[inline(always)]
fn check_url<'a, J: Judge<'a>>(judge: &mut J, item: Item, part: Part, name: &str, value: J::Value) {
    let Some(text) = judge.text(value) else { return };
    let place = || Place { item, spot: Spot::Value(part) };
    if judge.href(text) == Href::Bad && !is_media(text) || is_app(text) {
        if judge.asks(&catalogue::VID011) {
            judge.found(place(), href::bad(name, text, &catalogue::VID011, "http, https or ftp"));
        }
    } else if name == "content_loc" && judge.asks(&catalogue::VID012) && is_page(text) {
        let fault = Fault::new(&catalogue::VID012, "the content_loc is a page, and not the file of the video");
        judge.found(place(), fault.with_help("give the file, or the player as player_loc"));
    }
}

/// VID004.
fn check_lengths<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>) {
    for (index, most) in LONGEST {
        let text = judge.text(video.texts[index]).unwrap_or_default();
        // Bytes are never fewer than characters.
        if text.len() > most && judge.asks(&catalogue::VID004) {
            let chars = text.chars().count();
            if chars > most {
                let message = format!("the {} has {chars} characters; at most {most} are accepted", VIDEO_TEXTS[index]);
                judge.found(Place::text(item, index), Fault::new(&catalogue::VID004, message));
            }
        }
    }
}

/// VID005.
fn check_numbers<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>) {
    type Check = (usize, fn(&str) -> bool, &'static str);
    const NUMBERS: [Check; 3] = [
        (text("duration"), is_duration, "whole number of seconds from 1 to 28800"),
        (text("rating"), is_rating, "decimal number from 0.0 to 5.0"),
        (text("view_count"), is_whole, "whole number of 0 or more"),
    ];
    for (index, is_fine, form) in NUMBERS {
        let value = video.texts[index];
        if !judge.is_present(value) {
            continue;
        }
        let text = judge.text(value).unwrap_or_default();
        if !is_fine(text) && judge.asks(&catalogue::VID005) {
            let message = format!("{text:?} is not a valid {}: write a {form}", VIDEO_TEXTS[index]);
            judge.found(Place::text(item, index), Fault::new(&catalogue::VID005, message));
        }
    }
}

/// VID006.
fn check_flags<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>) {
    for index in FLAGS {
        let value = video.texts[index];
        let text = judge.text(value).unwrap_or_default();
        let is_flag = matches!(text, "yes" | "no" | "Yes" | "No" | "YES" | "NO");
        if judge.is_present(value) && !is_flag && judge.asks(&catalogue::VID006) {
            judge.found(Place::text(item, index), bad_flag(text));
        }
    }
}

#[cold]
fn bad_flag(text: &str) -> Fault {
    let fault = Fault::new(&catalogue::VID006, format!("{text:?} is neither yes nor no")).with_help("write yes or no");
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" | "y" => fault.with_instead(Safety::Safe, "yes"),
        "no" | "false" | "0" | "n" => fault.with_instead(Safety::Safe, "no"),
        _ => fault,
    }
}

/// VID007.
fn check_restrictions<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>) {
    type Check = fn(&str) -> Option<Fault>;
    const LISTS: [(usize, Check); 2] = [(text("restriction"), bad_restriction), (text("platform"), bad_platform)];
    for (index, problem) in LISTS {
        let (list, relationship) = (video.texts[index], video.texts[index + 1]);
        // Who writes an element for the attribute alone has it as well.
        if !judge.is_present(list) && !judge.is_present(relationship) || !judge.asks(&catalogue::VID007) {
            continue;
        }
        // An empty list is one: allowed nowhere, or denied nowhere.
        if let Some(fault) = judge.text(list).and_then(problem) {
            judge.found(Place::text(item, index), fault);
        }
        let word = judge.text(relationship).unwrap_or_default();
        if matches!(word, "allow" | "deny") {
            continue;
        }
        let (place, message) = match judge.is_present(relationship) {
            true => (Place::text(item, index + 1), format!("the relationship {word:?} is neither allow nor deny")),
            false => (
                Place { item, spot: Spot::Element(Part::Text(index)) },
                format!("the {} has no relationship", VIDEO_TEXTS[index]),
            ),
        };
        let help = "write relationship=\"allow\" or relationship=\"deny\"";
        judge.found(place, Fault::new(&catalogue::VID007, message).with_help(help));
    }
}

/// VID010.
fn check_dates<'a, J: Judge<'a>>(judge: &mut J, item: Item, video: &Video<J::Value>) {
    const PUBLISHED: usize = text("publication_date");
    const EXPIRES: usize = text("expiration_date");
    date(judge, video.texts[PUBLISHED], &Place::text(item, PUBLISHED), &catalogue::VID010);
    let place = Place::text(item, EXPIRES);
    let Some(span) = date(judge, video.texts[EXPIRES], &place, &catalogue::VID010) else { return };
    if *span.end() < judge.checked_at() && judge.asks(&catalogue::VID010) {
        let text = judge.text(video.texts[EXPIRES]).unwrap_or_default();
        let fault = Fault::new(&catalogue::VID010, format!("the video expired at {text}"));
        judge.found(place, fault.with_help("Google does not show it any more: drop the video, or the date"));
    }
}

/// Judge a date by a rule, and return from when to when it lasts: a date without a time is a whole day.
pub fn date<'a, J: Judge<'a>>(
    judge: &mut J,
    value: J::Value,
    place: &Place,
    rule: &'static Rule,
) -> Option<RangeInclusive<i64>> {
    if !judge.is_present(value) {
        return None;
    }
    let text = judge.text(value).unwrap_or_default();
    match lastmod::parse(text) {
        Ok(micros) => Some(micros..=micros + rest_of(text, micros)),
        Err(error) => {
            if judge.asks(rule) {
                let fault = bad_date(rule, text, error, judge.zone());
                judge.found(place.clone(), fault);
            }
            None
        }
    }
}

#[cold]
fn bad_date(rule: &'static Rule, text: &str, error: LastmodError<'_>, zone: Option<&Zone>) -> Fault {
    let (_, message, help) = lastmod_error(error);
    Fault { help, instead: instead::lastmod(text, zone), ..Fault::new(rule, message) }
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

fn bad_restriction(text: &str) -> Option<Fault> {
    let is_code = |code: &str| hreflang::is_country(code) && code.bytes().all(|byte| byte.is_ascii_uppercase());
    let wrong = text.split_ascii_whitespace().find(|code| !is_code(code))?;
    let countries = text.to_ascii_uppercase().replace(',', " ");
    let countries: Vec<&str> = countries.split_ascii_whitespace().collect();
    let message = format!("{wrong:?} is not a country of ISO 3166-1 in two capital letters");
    let fault = Fault::new(&catalogue::VID007, message);
    Some(if !countries.is_empty() && countries.iter().all(|code| is_code(code)) {
        fault.with_instead(Safety::Safe, countries.join(" "))
    } else if countries.contains(&"UK") {
        fault.with_help("UK is not a country code: use GB")
    } else {
        fault.with_help("write codes with blanks between them, as in DE AT")
    })
}

fn bad_platform(text: &str) -> Option<Fault> {
    let wrong = text.split_ascii_whitespace().find(|word| !PLATFORMS.contains(word))?;
    let fault = Fault::new(&catalogue::VID007, format!("{wrong:?} is not one of {}", PLATFORMS.join(", ")));
    let small = text.to_ascii_lowercase();
    Some(match small.split_ascii_whitespace().all(|word| PLATFORMS.contains(&word)) {
        true => fault.with_instead(Safety::Safe, small),
        false => fault.with_help("write platforms with blanks between them, as in web tv"),
    })
}
