//! The content of a page as a hash, without what each rendering writes anew.

use memchr::memmem;
use twox_hash::XxHash3_64;

/// Words before a date that is about the rendering, and not what the page is about.
const CUES: [&str; 10] =
    ["generated", "rendered", "updated", "refreshed", "loaded", "served", "cached", "modified", "retrieved", "built"];
/// Words that stand in dates.
const DATE_WORDS: [&str; 34] = [
    "on",
    "at",
    "in",
    "am",
    "pm",
    "utc",
    "gmt",
    "ms",
    "seconds",
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
    "date",
];
const UNITS: [&str; 9] = ["second", "minute", "hour", "day", "week", "month", "year", "min", "sec"];
/// A date has no more words than this.
const DATE_LENGTH: usize = 8;
/// Characters from which on a word may be a token: a nonce, a hash of a session.
const TOKEN: usize = 20;
/// What a star of a mask may stand for, in bytes.
const GAP: usize = 300;

/// Return the hash of bytes.
pub fn hash(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Return the hash of a title and a text: of its words, without those that change by themselves, and without the masks
/// of the caller, in which `*` stands for some text.
pub fn content_hash(title: &str, text: &str, masks: &[String]) -> u64 {
    let masked = masks
        .iter()
        .fold(None, |text_so_far: Option<String>, mask| Some(without(text_so_far.as_deref().unwrap_or(text), mask)));
    let mut kept = title.split_whitespace().collect::<Vec<_>>().join(" ");
    kept.push('\0');
    for word in stable_words(masked.as_deref().unwrap_or(text)) {
        kept.push_str(word);
        kept.push(' ');
    }
    hash(kept.as_bytes())
}

/// The words of a text that are not those of a clock: times, ages, dates of rendering, years of copyright, tokens.
fn stable_words(text: &str) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::with_capacity(text.len() / 6);
    let (mut date, mut years) = (0, 0);
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if years > 0 {
            years -= 1;
            if is_years(bare) {
                continue;
            }
        }
        if date > 0 {
            date -= 1;
            if bare.is_empty() || bare.bytes().any(|byte| byte.is_ascii_digit()) || is_one_of(bare, &DATE_WORDS) {
                continue;
            }
            date = 0;
        }
        if is_one_of(bare, &CUES) {
            date = DATE_LENGTH;
        } else if word.contains('©') || word.eq_ignore_ascii_case("(c)") || bare.eq_ignore_ascii_case("copyright") {
            years = 3;
        } else if is_clock(bare) || is_token(bare) {
            continue;
        } else if bare.eq_ignore_ascii_case("ago") && kept.last().is_some_and(|unit| is_unit(unit)) {
            kept.truncate(kept.len().saturating_sub(2));
            continue;
        }
        kept.push(word);
    }
    kept
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|each| word.eq_ignore_ascii_case(each))
}

fn is_unit(word: &str) -> bool {
    is_one_of(word.strip_suffix('s').unwrap_or(word), &UNITS)
}

/// `2024`, `2019-2024`.
fn is_years(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    matches!(digits, 4 | 8) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '–' | '—' | '/'))
}

/// `12:30`, `12:30:59`, `9:05pm`, `2024-01-02T12:30:59Z`.
fn is_clock(word: &str) -> bool {
    word.match_indices(':').any(|(at, _)| {
        let (before, after) = (&word.as_bytes()[..at], &word.as_bytes()[at + 1..]);
        before.last().is_some_and(u8::is_ascii_digit)
            && after.len() >= 2
            && after[..2].iter().all(u8::is_ascii_digit)
            && after.get(2).is_none_or(|byte| !byte.is_ascii_digit())
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
    use super::{content_hash, stable_words, without};

    fn same(one: &str, other: &str, masks: &[&str]) -> bool {
        let masks: Vec<String> = masks.iter().map(|mask| (*mask).to_owned()).collect();
        content_hash("Tea", one, &masks) == content_hash("Tea", other, &masks)
    }

    #[test]
    fn what_each_rendering_writes_anew_does_not_count() {
        for (one, other) in [
            ("Green  tea\n is green", "Green tea is green"),
            ("tea, now 12:30:01", "tea, now 12:31:59"),
            ("posted 3 days ago by Ann", "posted 11 weeks ago by Ann"),
            ("Last updated: 3 March 2026 at 10:11 UTC. Tea", "Last updated: 14 April 2027 at 9:59 UTC. Tea"),
            ("Generated in 0.231 seconds", "Generated in 1.7 seconds"),
            ("© 2025 Shop", "© 2026 Shop"),
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
            ("3 days in Rome", "4 days in Rome"),
            ("see ISO:2022", "see ISO:2023"),
            ("long time ago", "ago"),
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
