//! The rules that see one entry. Each is a few lines under the name of its code; its page tells its sources.

use super::Linter;
use super::catalogue::{self, Rule};
use super::date::dropped;
use super::fix::{Safety, fixed_value};
use crate::limits::LOC_CHARS;
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind, Slot};
use crate::read::finding::Note;
use crate::read::values;
use crate::value::{changefreq, lastmod, loc, priority};

impl Linter {
    /// IDX006. Source: the protocol's two schemas: `<url>` stands in a urlset, `<sitemap>` in a sitemapindex.
    pub(super) fn check_kind(&self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let (expected, name) = match entry.document {
            Kind::Sitemapindex => (EntryKind::Sitemap, "<url>` in a sitemapindex"),
            Kind::Urlset => (EntryKind::Url, "<sitemap>` in a urlset"),
            _ => return,
        };
        if entry.kind != expected {
            notes.push(Note::odd(&catalogue::IDX006, entry.start..entry.start + 1, format!("`{name}")));
        }
    }

    /// The changefreq and the priority, which is handed on.
    #[inline(always)]
    pub(super) fn check_hints(&self, entry: &Entry<'_>, lastmod: Option<i64>, notes: &mut Vec<Note>) -> Option<f64> {
        // What reading has to say of an element that is there and empty, which reads as absent.
        let text = |slot: Slot| slot.is_present().then(|| entry.text(slot).unwrap_or_default());
        let before = notes.len();
        let changefreq = values::changefreq(entry, text(entry.slots.changefreq), notes);
        if notes.len() > before {
            mend_changefreq(entry, &mut notes[before..]);
        }
        if let (Some(place), Some(lastmod)) = (changefreq, lastmod)
            && self.asks(&catalogue::FRQ003)
        {
            self.check_pace(entry, changefreq::WORDS[place as usize], lastmod, notes);
        }
        let before = notes.len();
        let priority = values::priority(entry, text(entry.slots.priority), notes);
        if notes.len() > before {
            mend_priority(entry, &mut notes[before..]);
        }
        if let Some(most) = self.settings.tag_bytes {
            check_tags(entry, most, notes);
        }
        priority
    }
}

/// LIM006. Source: Yandex, errors of sitemaps: the values of these tags have at most 100 bytes.
fn check_tags(entry: &Entry<'_>, most: usize, notes: &mut Vec<Note>) {
    for slot in [entry.slots.lastmod, entry.slots.changefreq, entry.slots.priority] {
        if slot.length() > most {
            let message = format!("a value of {} bytes; {most} are taken", slot.length());
            notes.push(Note::odd(&catalogue::LIM006, slot.written(), message));
        }
    }
}

#[cold]
fn mend_changefreq(entry: &Entry<'_>, notes: &mut [Note]) {
    let slot = entry.slots.changefreq;
    let word: String = entry.text(slot).unwrap_or_default().split_whitespace().collect::<String>().to_lowercase();
    let fix = match changefreq::parse(&word) {
        Some(_) => Some(fixed_value(entry, slot.written(), Safety::Safe, &word)),
        None => dropped(entry, slot),
    };
    notes[0].fix = fix.map(Box::new);
}

#[cold]
fn mend_priority(entry: &Entry<'_>, notes: &mut [Note]) {
    let slot = entry.slots.priority;
    let text = entry.text(slot).unwrap_or_default();
    let point = text.replacen(',', ".", 1);
    let fix = match priority::parse(&point) {
        Ok(_) => Some(fixed_value(entry, slot.written(), Safety::Safe, &point)),
        Err(priority::Problem::OutOfRange) if point == text => {
            let nearest = if text.starts_with('-') { "0.0" } else { "1.0" };
            Some(fixed_value(entry, slot.written(), Safety::Unsafe, nearest))
        }
        Err(_) => dropped(entry, slot),
    };
    notes[0].fix = fix.map(Box::new);
}

/// The rule, its words and its remedy for a problem of a loc; also what `write` refuses one with.
pub fn loc_problem(problem: loc::Problem, text: &str) -> (&'static Rule, String, Option<String>) {
    match problem {
        loc::Problem::Empty => (&catalogue::LOC001, "the entry has no loc".into(), None),
        loc::Problem::Relative => (
            &catalogue::LOC002,
            "the loc has no scheme: it has to be absolute".into(),
            Some("write the whole URL, as in https://example.com/page".into()),
        ),
        loc::Problem::Scheme => (&catalogue::LOC003, "the loc's scheme is neither http nor https".into(), None),
        loc::Problem::Invalid => match text.chars().find(|character| *character <= ' ' || *character == '\u{7f}') {
            Some(blank) => (
                &catalogue::LOC004,
                format!("the loc holds U+{:04X}, which no URL may", blank as u32),
                Some(format!("percent-encode it as %{:02X}", blank as u32)),
            ),
            None => (&catalogue::LOC004, "the loc has no host".into(), None),
        },
        loc::Problem::TooLong => (
            &catalogue::LOC009,
            format!("the loc has {} characters; it has to have fewer than {LOC_CHARS}", text.chars().count()),
            None,
        ),
    }
}

/// The words for a loc of another host than the document's.
pub fn foreign_host(own: &str, host: &str) -> String {
    format!("the host {own} is not {host}, where the document is")
}

/// The same for a lastmod.
pub fn lastmod_problem(problem: lastmod::Problem, text: &str) -> (&'static Rule, String, Option<String>) {
    match problem {
        lastmod::Problem::Invalid => (
            &catalogue::MOD001,
            format!("{text:?} is no date or time of the W3C profile"),
            Some("write 2026-01-31 or 2026-01-31T08:00:00+01:00".into()),
        ),
        lastmod::Problem::Offset => (
            &catalogue::MOD003,
            format!("{text:?} has an offset that is not written as +01:00, or is of more than 14 hours"),
            None,
        ),
        lastmod::Problem::Separator => (
            &catalogue::MOD004,
            format!("{text:?} is not written as the W3C profile writes dates"),
            Some("write 2026-01-31 or 2026-01-31T08:00:00+01:00".into()),
        ),
        lastmod::Problem::Impossible => {
            (&catalogue::MOD005, format!("{text:?} names a day or a time that does not exist"), None)
        }
        lastmod::Problem::MissingZone => (
            &catalogue::MOD002,
            "the time has no zone".into(),
            Some(format!("write {text}Z if it is UTC, else its offset as in +01:00")),
        ),
    }
}

/// The same for a priority.
pub fn priority_problem(problem: priority::Problem, text: &str) -> (&'static Rule, String) {
    match problem {
        priority::Problem::NotDecimal => (&catalogue::PRI001, format!("{text:?} is not a decimal number")),
        priority::Problem::OutOfRange => (&catalogue::PRI002, format!("{text} is not between 0.0 and 1.0")),
    }
}

/// The same for a changefreq.
pub fn changefreq_problem(text: &str) -> (&'static Rule, String) {
    (&catalogue::FRQ001, format!("{text:?} is none of {}", changefreq::WORDS.join(", ")))
}
