//! The parts of the content of a page, so that it can be told which of them are others at each fetch or each day.

use std::collections::HashMap;

use twox_hash::XxHash3_64;

use super::asset::push_stable;
use super::content::{bare, hash, masked, stable_words};
use super::regions::Content;
use super::words::words;

/// Parts that are kept of a page. Of one with more, lines that stand in the same place are one part; and if these are
/// still too many, those of all places.
const MAX_PARTS: usize = 128;
/// Bits of a part: of its place, of its line in that, and of its hash.
const PLACE: u32 = 24;
const LINE: u32 = 16;
const HASH: u32 = 24;
/// Signs and names of currencies, as they stand beside a number.
const CURRENCIES: [&str; 20] = [
    "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HUF", "INR", "JPY", "NOK", "PLN", "SEK", "USD",
    "kr", "zł", "Kč", "lei",
];

/// Return the parts: in each number the place in the highest 24 bits, then the line in that place, of whose 16 bits the
/// highest says that it is a price, and the hash of its text in the lowest 24. A price counts as content of its page,
/// however often it changes.
///
/// Lines are told apart by their first word outside of dates, so that a line is the same one at another time.
pub fn parts(title: &str, content: &Content<'_>, data: &str, masks: &[String]) -> Vec<u64> {
    for detail in [LINE, 1, 0] {
        let parts = Parts::of(title, content, data, masks, detail);
        if parts.len() <= MAX_PARTS || detail == 0 {
            return parts;
        }
    }
    unreachable!("the last detail is taken however many parts it has")
}

#[derive(Debug)]
struct Parts {
    /// The bits of a line that count; none of its place if there are none.
    detail: u32,
    places: HashMap<u64, usize>,
    found: Vec<(u64, u64)>,
}

impl Parts {
    fn of(title: &str, content: &Content<'_>, data: &str, masks: &[String], detail: u32) -> Vec<u64> {
        let mut parts = Parts { detail, places: HashMap::new(), found: Vec::new() };
        parts.push(named("title"), 0, &words(title).collect::<Vec<_>>().join(" "));
        for line in &content.lines {
            let text = masked(&content.text[line.text.clone()], masks);
            let stable = stable_words(&text);
            if !stable.is_empty() {
                parts.push(line.place, line_of(&stable), &stable.join(" "));
            }
        }
        for each in &content.mentioned {
            let mut target = String::new();
            push_stable(each.target, &mut target);
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let what = if each.is_image { "image" } else { "link" };
            for (what, text) in [(what, path), ("query", query), ("alt", each.alt)] {
                if !text.is_empty() {
                    parts.push(each.place, of_text(what), text);
                }
            }
        }
        for line in data.lines() {
            let (name, value) = line.split_once('\t').unwrap_or((line, ""));
            let is_price = name.to_ascii_lowercase().contains("price");
            parts.push(named("data"), u32::from(is_price) << (LINE - 1) | of_text(name), value);
        }
        parts.found.into_iter().map(|(key, text)| key << HASH | text & ((1 << HASH) - 1)).collect()
    }

    /// Append a text to its part.
    fn push(&mut self, place: u32, line: u32, text: &str) {
        let place = if self.detail == 0 { 0 } else { u64::from(place) & ((1 << PLACE) - 1) };
        // Of all lines of a place, prices are told apart at least.
        let line = if self.detail == LINE { line } else { line >> (LINE - 1) << (LINE - 1) };
        let key = place << LINE | u64::from(line);
        let at = *self.places.entry(key).or_insert(self.found.len());
        if at == self.found.len() {
            self.found.push((key, 0));
        }
        let so_far = &mut self.found[at].1;
        *so_far = XxHash3_64::oneshot_with_seed(*so_far, text.as_bytes());
    }
}

/// The place of what is not text of the page.
fn named(what: &str) -> u32 {
    hash(what.as_bytes()) as u32
}

/// The bits of a line that come from a word.
fn of_text(text: &str) -> u32 {
    hash(text.as_bytes()) as u32 & ((1 << (LINE - 1)) - 1)
}

/// Which of the lines of a place these words are.
fn line_of(words: &[&str]) -> u32 {
    let has_number = words.iter().any(|word| has_digit(word));
    let is_price = has_number && words.iter().any(|word| is_currency(word));
    let is_dated = has_number && words.iter().flat_map(|word| numbers(word)).any(is_year);
    // The names of days and months stand beside their numbers.
    let is_of_date = |at: usize| {
        is_dated && (at.saturating_sub(1)..(at + 3).min(words.len())).any(|near| near != at && has_digit(words[near]))
    };
    let first = (0..words.len())
        .find(|at| !has_digit(words[*at]) && words[*at].chars().any(char::is_alphabetic) && !is_of_date(*at))
        .map_or("", |at| bare(words[at]));
    u32::from(is_price) << (LINE - 1) | of_text(first)
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// The numbers of a word, such as those of `3.3.2026` and `2026年3月`, but not those in `a2026b`.
fn numbers(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_ascii_alphanumeric())
}

fn is_year(number: &str) -> bool {
    number.len() == 4
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && (number.starts_with("19") || number.starts_with("20"))
}

/// Source: Unicode, the general category Sc, as far as prices use it; ISO 4217.
fn is_currency(word: &str) -> bool {
    word.chars().any(|c| matches!(c, '$' | '£' | '¤' | '¥' | '฿' | '₠'..='\u{20cf}'))
        || CURRENCIES.contains(&bare(word))
        || matches!(bare(word), "euro" | "euros" | "Euro" | "dollars" | "Dollar")
}

#[cfg(test)]
mod tests {
    use super::{HASH, LINE, MAX_PARTS, line_of, parts};
    use crate::page::regions::Regions;
    use crate::page::words::words;

    fn of(lines: &[(u32, &str)]) -> Vec<u64> {
        let mut regions = Regions::default();
        for (place, text) in lines {
            regions.line(*place);
            regions.text(text);
            regions.separate();
        }
        parts("", &regions.content(), "", &[])
    }

    fn line(text: &str) -> u32 {
        line_of(&words(text).collect::<Vec<_>>())
    }

    #[test]
    fn a_line_is_the_same_one_at_another_time() {
        for (one, other) in [
            ("Heute ist Montag, der 2. März 2026", "Heute ist Donnerstag, der 26. November 2027"),
            ("Lundi 2 mars 2026", "Mardi 3 avril 2026"),
            ("Stand: 02.03.2026 12:00 Uhr", "Stand: 3.3.2026 9:15 Uhr"),
            ("1,234 views", "17 views"),
            ("Viewed 12 times", "Viewed 13 times"),
            ("12,50 €", "13 €"),
            ("令和8年 2026年3月2日", "令和8年 2026年11月26日"),
            ("Our tea is green", "Our tea is black"),
        ] {
            assert_eq!(line(one), line(other), "{one} / {other}");
        }
        for (one, other) in [("1,234 views", "12 €"), ("12 buyers", "12 views"), ("12 green", "12 € green"), ("a", "b")]
        {
            assert_ne!(line(one), line(other), "{one} / {other}");
        }
    }

    #[test]
    fn only_the_part_that_changed_differs() {
        let (one, other) =
            (of(&[(1, "Tea is"), (1, "Viewed 3"), (2, "x")]), of(&[(1, "Tea is"), (1, "Viewed 4"), (2, "x")]));
        assert_eq!(one.len(), 4);
        assert_eq!(one.iter().zip(&other).filter(|(a, b)| a != b).count(), 1);
        assert!(one.iter().zip(&other).all(|(a, b)| a >> HASH == b >> HASH));
        // Class names that a build changes do not change the content, only its place.
        let moved = of(&[(7, "Tea is"), (7, "Viewed 3"), (8, "x")]);
        assert!(one.iter().zip(&moved).all(|(a, b)| a << LINE << HASH == b << LINE << HASH));
    }

    #[test]
    fn there_are_never_many_parts() {
        let texts: Vec<String> = (0..1_000).map(|at| format!("w{}x", "ab".repeat(at))).collect();
        let same: Vec<(u32, &str)> = texts.iter().map(|text| (1, text.as_str())).collect();
        let others: Vec<(u32, &str)> = (0u32..).zip(&texts).map(|(at, text)| (at, text.as_str())).collect();
        for lines in [same, others] {
            assert!(of(&lines).len() <= MAX_PARTS);
        }
    }
}
