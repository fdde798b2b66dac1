//! The content of a page as a hash, without what each rendering writes anew.

use std::borrow::Cow;

use memchr::memmem;
use twox_hash::XxHash3_64;

use super::asset::push_stable;
use super::regions::Content;
use super::words::words;

/// Words before a date that is about the rendering, and not what the page is about.
const CUES: Words = Words::new(&[
    "generated",
    "rendered",
    "updated",
    "update",
    "refreshed",
    "loaded",
    "served",
    "cached",
    "modified",
    "retrieved",
    "built",
    "now",
]);
/// Words that stand in dates, beside the names of months and days.
const DATE_WORDS: Words = Words::new(&["on", "at", "in", "am", "pm", "a.m", "p.m", "utc", "gmt", "of", "date"]);
const MONTHS: Words = Words::new(&[
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]);
const DAYS: Words = Words::new(&[
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
]);
const UNITS: Words = Words::new(&[
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "year",
    "min",
    "sec",
    "ms",
    "millisecond",
    "microsecond",
]);
/// A date has no more words than this, and nor has what stands between a sign of copyright and its year.
const MAX_DATE: usize = 8;
const MAX_OWNER: usize = 8;
/// Characters from which on a word may be a token: a nonce, a hash of a session.
const TOKEN: usize = 20;
/// What a star of a mask may stand for, in bytes.
const GAP: usize = 300;

/// Words in lower case. Most words of a text begin with a letter that none of them begins with.
struct Words {
    words: &'static [&'static str],
    /// A bit for each letter that one begins with.
    letters: u32,
}

impl Words {
    const fn new(words: &'static [&'static str]) -> Self {
        let (mut letters, mut at) = (0, 0);
        while at < words.len() {
            letters |= 1 << (words[at].as_bytes()[0] - b'a');
            at += 1;
        }
        Words { words, letters }
    }

    /// Whether a word is one of them, whatever its letter case.
    #[inline]
    fn has(&self, word: &str) -> bool {
        let begins = word.bytes().next().filter(u8::is_ascii_alphabetic).map(|byte| byte.to_ascii_lowercase() - b'a');
        begins.is_some_and(|letter| self.letters >> letter & 1 == 1)
            && self.words.iter().any(|each| word.eq_ignore_ascii_case(each))
    }
}

/// Return the hash of bytes.
pub fn hash(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Return the hash of a page: of the words of its title and its text, without those that change by themselves and without
/// the masks of the caller, in which `*` stands for some text; of where its links lead, and of its images, without what
/// builds write into their names; and of its structured data.
pub fn content_hash(title: &str, content: &Content<'_>, data: &str, masks: &[String]) -> u64 {
    let mut kept = words(title).collect::<Vec<_>>().join(" ");
    kept.push('\0');
    for word in stable_words(&masked(&content.text, masks)) {
        kept.push_str(word);
        kept.push(' ');
    }
    for urls in [content.links().collect::<Vec<_>>(), content.images().collect()] {
        kept.push('\0');
        for url in urls {
            push_stable(url, &mut kept);
            kept.push('\n');
        }
    }
    kept.push('\0');
    for alt in content.alts() {
        kept.push_str(alt);
        kept.push('\n');
    }
    kept.push_str(data);
    hash(kept.as_bytes())
}

/// The words of a text that are not those of a clock: times, ages, dates of rendering, years of copyright, tokens.
pub fn stable_words(text: &str) -> Vec<&str> {
    let words: Vec<&str> = words(text).collect();
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    let (mut at, mut owner) = (0, 0);
    while let Some(&word) = words.get(at) {
        at += 1;
        let bare = bare(word);
        if bare.eq_ignore_ascii_case("ago") && kept.last().is_some_and(|unit| is_unit(unit)) {
            kept.truncate(kept.len().saturating_sub(2));
            continue;
        }
        if (!word.is_ascii() && word.contains('©'))
            || word.eq_ignore_ascii_case("(c)")
            || bare.eq_ignore_ascii_case("copyright")
        {
            owner = MAX_OWNER;
            if is_years(bare) {
                (owner, at) = (0, at + years(&words[at..]));
                kept.push("©");
                continue;
            }
        } else if owner > 0 {
            owner = if ends_sentence(word) { 0 } else { owner - 1 };
            if is_years(bare) {
                (owner, at) = (0, at + years(&words[at..]));
                continue;
            }
        }
        if CUES.has(bare) {
            at += date(&words[at..]);
        } else if is_clock(bare) || is_token(bare) {
            continue;
        }
        kept.push(word);
    }
    kept
}

/// A word without what stands around its letters and digits.
pub fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// How many words at the beginning are a date, a time of day or a time that something took.
fn date(words: &[&str]) -> usize {
    let (mut is_date, mut has_month, mut has_number) = (false, false, false);
    let mut length = 0;
    for word in words.iter().take(MAX_DATE) {
        let bare = bare(word);
        let is_number = bare.bytes().any(|byte| byte.is_ascii_digit());
        let is_month = MONTHS.has(bare);
        let is_measure = has_number && (is_unit(bare) || bare == "s");
        if !(bare.is_empty() || is_number || is_month || is_measure || DAYS.has(bare) || DATE_WORDS.has(bare)) {
            break;
        }
        has_month |= is_month;
        has_number |= is_number;
        is_date |= is_measure || has_month && has_number || is_number && is_dated(bare);
        length += 1;
        if ends_sentence(word) && !is_month && !is_measure {
            break;
        }
    }
    // "updated 3 days ago" is the age that its last word tells of.
    let is_age = words.get(length).is_some_and(|word| bare(word).eq_ignore_ascii_case("ago"));
    if is_date && !is_age { length } else { 0 }
}

/// `2024`, `2024-01-05`, `5.1.26`, `10:11`, `0.231`, `12ms`.
fn is_dated(word: &str) -> bool {
    let numbers = word.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    numbers.clone().count() > 1 || numbers.clone().any(|part| part.len() == 4) || word.ends_with("ms")
}

/// Whether a sentence ends with a word. A number of one or two digits with a dot is a day.
fn ends_sentence(word: &str) -> bool {
    word.ends_with(['.', '!', '?']) && bare(word).len() > 2
}

fn is_unit(word: &str) -> bool {
    UNITS.has(word) || word.strip_suffix('s').is_some_and(|one| UNITS.has(one))
}

/// How many words at the beginning go on with years, behind a first one.
fn years(words: &[&str]) -> usize {
    match words {
        [dash, year, ..] if bare(dash).is_empty() && is_years(bare(year)) => 2,
        _ => 0,
    }
}

/// `2024`, `2019-2024`.
fn is_years(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    matches!(digits, 4 | 8) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '–' | '—' | '/'))
}

/// `12:30:59`, `9:05:10pm`, `2024-01-02T12:30Z`: what is as exact as this is the time of the rendering. `12:30` may be that
/// of a departure.
fn is_clock(word: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    word.match_indices(':').any(|(at, _)| {
        let (before, after) = (&word[..at], &word[at + 1..]);
        let is_dated = before.len() > 10 && before.as_bytes()[before.len().saturating_sub(3)..].contains(&b'T');
        let has_seconds = after.as_bytes().get(2) == Some(&b':') && digits(&after[3..]) >= 2;
        before.bytes().last().is_some_and(|byte| byte.is_ascii_digit())
            && digits(after) == 2
            && (is_dated || has_seconds)
            && !word.contains("//")
    })
}

/// A long word of letters and digits that nobody wrote.
fn is_token(word: &str) -> bool {
    word.len() >= TOKEN
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'='))
        && word.bytes().filter(u8::is_ascii_digit).count() >= 3
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !word.contains('/')
}

/// Return a text without what masks match.
pub fn masked<'a>(text: &'a str, masks: &[String]) -> Cow<'a, str> {
    masks.iter().fold(Cow::Borrowed(text), |so_far, mask| Cow::Owned(without(&so_far, mask)))
}

/// Return a text without what a mask matches. The parts of a mask follow each other within a bounded distance.
fn without(text: &str, mask: &str) -> String {
    let parts: Vec<&str> = mask.split('*').map(str::trim).filter(|part| !part.is_empty()).collect();
    let Some((first, rest)) = parts.split_first() else { return text.to_owned() };
    let finder = memmem::Finder::new(first.as_bytes());
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    while let Some(found) = finder.find(&text.as_bytes()[from..]) {
        let start = from + found;
        let mut end = start + first.len();
        let mut is_whole = true;
        for part in rest {
            let mut most = (end + GAP + part.len()).min(text.len());
            while !text.is_char_boundary(most) {
                most -= 1;
            }
            match text[end..most].find(part) {
                Some(at) => end += at + part.len(),
                None => is_whole = false,
            }
        }
        if is_whole && mask.ends_with('*') {
            // What the last star stands for: the next word.
            let after = &text[end..];
            let word = after.trim_start();
            let length = word.find(char::is_whitespace).unwrap_or(word.len());
            end += after.len() - word.len() + length;
        }
        out.push_str(&text[from..start]);
        if !is_whole {
            out.push_str(&text[start..end]);
        }
        from = end;
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::{Content, content_hash, stable_words, without};

    fn same(one: &str, other: &str, masks: &[&str]) -> bool {
        let masks: Vec<String> = masks.iter().map(|mask| (*mask).to_owned()).collect();
        let hash =
            |text: &str| content_hash("Tea", &Content { text: text.to_owned(), ..Content::default() }, "", &masks);
        hash(one) == hash(other)
    }

    #[test]
    fn what_each_rendering_writes_anew_does_not_count() {
        for (one, other) in [
            ("Green  tea\n is green", "Green tea is green"),
            ("tea, now 12:30:01", "tea, now 12:31:59"),
            ("tea at 12:30:01", "tea at 12:31:59"),
            ("posted 3 days ago by Ann", "posted 11 weeks ago by Ann"),
            ("Last updated: 3 March 2026 at 10:11 UTC. Tea", "Last updated: 14 April 2027 at 9:59 UTC. Tea"),
            ("Last updated on Jan 5, 2024.", "Last updated on Feb 17, 2026."),
            ("Last updated 2024-01-05 10:11:12 UTC", "Last updated 2026-01-05 23:59 +0200"),
            ("Last update: 5 January 2024", "Last update: 17. Feb. 2026"),
            ("Updated Friday, January 5th, 2024 at 10:00 AM by A", "Updated May 2026 by A"),
            ("Last modified: 01/05/2024", "Last modified: 5.1.26"),
            ("Last updated 3 days ago", "Last updated a month ago"),
            ("Generated in 0.231 seconds", "Generated in 1.7 seconds"),
            ("Generated in 12 ms", "Generated in 7ms"),
            ("© 2025 Shop", "© 2026 Shop"),
            ("©2025 Shop", "©2019–2026 Shop"),
            ("© Ines and friends, 2019–2024", "© Ines and friends, 2019 - 2026"),
            ("Copyright (c) 2019-2025 Shop", "Copyright (c) 2019-2026 Shop"),
            ("token a81bc81b-dead-4e5d-abff-90865d1e13b1 x", "token 9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d x"),
        ] {
            assert!(same(one, other, &[]), "{one} / {other}: {:?} {:?}", stable_words(one), stable_words(other));
        }
    }

    #[test]
    fn content_counts() {
        for (one, other) in [
            ("Price 12 €", "Price 13 €"),
            ("Tea of 2025", "Tea of 2026"),
            ("updated prices: 12", "updated prices: 13"),
            ("update 12 of the rules", "update 13 of the rules"),
            ("Updated 5 Jan 2024. 12 teas", "Updated 5 Jan 2024. 13 teas"),
            ("updated for Python 2024", "updated for Python 2025"),
            ("Released on 2024-01-05", "Released on 2024-01-06"),
            ("The ferry leaves at 21:40", "The ferry leaves at 21:45"),
            ("3 days in Rome", "4 days in Rome"),
            ("see ISO:2022", "see ISO:2023"),
            ("long time ago", "ago"),
            ("© Ines. Founded 2019", "© Ines. Founded 2020"),
            ("© 2025 Shop 12", "© 2025 Shop 13"),
        ] {
            assert!(!same(one, other, &[]), "{one} / {other}");
        }
    }

    #[test]
    fn masks_of_the_caller() {
        assert!(!same("12 people look here. Tea", "7 people look here. Tea", &["* people look here."]));
        assert!(same("Visitors: 12 Tea", "Visitors: 1,207 Tea", &["Visitors: *"]));
        assert!(same("<b>Hits 12 today</b> Tea", "<b>Hits 99 today</b> Tea", &["Hits * today"]));
        assert!(!same("Hits 12 today Tea", "Hits 99 today Coffee", &["Hits * today"]));
        assert_eq!(without("ä Hits 1 äöü", "Hits * today"), "ä Hits 1 äöü");
        assert_eq!(without("tea", "*"), "tea");
    }
}
