//! The rules that see one entry. Each is a few lines under the name of its code; its page tells its sources.

use std::borrow::Cow;

use super::catalogue::{self, Rule};
use crate::limits::{IMAGES_PER_ENTRY, LOC_CHARS};
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind, Slot};
use crate::read::finding::Note;
use crate::read::values;
use crate::value::{changefreq, lastmod, loc, priority};

/// Asks every rule about one entry. `host` is that of the document, where its location is known.
pub fn entry(entry: &Entry<'_>, host: Option<&str>, notes: &mut Vec<Note>) {
    check_kind(entry, notes);
    check_loc(entry, host, notes);
    // What reading has to say of these values, and of an element that is there and empty, which reads as absent.
    let text = |slot: Slot| slot.is_present().then(|| entry.text(slot).unwrap_or_default());
    values::lastmod(entry, text(entry.slots.lastmod), notes);
    if entry.kind == EntryKind::Url {
        values::changefreq(entry, text(entry.slots.changefreq), notes);
        values::priority(entry, text(entry.slots.priority), notes);
    }
    check_images(entry, notes);
    check_alternates(entry, notes);
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

/// IDX006. Source: the protocol's two schemas: `<url>` stands in a urlset, `<sitemap>` in a sitemapindex.
fn check_kind(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let (expected, name) = match entry.document {
        Kind::Sitemapindex => (EntryKind::Sitemap, "<url>` in a sitemapindex"),
        Kind::Urlset => (EntryKind::Url, "<sitemap>` in a urlset"),
        _ => return,
    };
    if entry.kind != expected {
        notes.push(Note::odd(&catalogue::IDX006, entry.start..entry.start + 1, format!("`{name}")));
    }
}

fn check_loc(entry: &Entry<'_>, host: Option<&str>, notes: &mut Vec<Note>) {
    let usual = values::usual_loc(entry).map(Cow::Borrowed);
    let Some(loc) = usual.or_else(|| values::loc(entry, None, notes)) else { return };
    let slot = entry.slots.loc;
    let written = if slot.is_present() { slot.written() } else { entry.start..entry.start + 1 };
    match loc::problem(&loc) {
        // Told by whoever reads it.
        Some(loc::Problem::Relative) => {}
        Some(problem) => {
            let (rule, message, help) = loc_problem(problem, &loc);
            notes.push(Note { help, ..Note::odd(rule, written, message) });
        }
        None if entry.document == Kind::Robots => {}
        // LOC011. Source: sitemaps.org protocol, sitemap file location: all locs are of the host the sitemap is on.
        // What a robots.txt names may be anywhere.
        None => {
            if let (Some(host), Some(own)) = (host, loc::host_name(&loc))
                && !host.eq_ignore_ascii_case(own)
            {
                notes.push(Note::odd(&catalogue::LOC011, written, foreign_host(own, host)));
            }
        }
    }
}

fn check_images(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let images = &entry.slots.images;
    if let Some(first_over) = images.get(IMAGES_PER_ENTRY) {
        let message = format!("{} images in one entry; Google takes {IMAGES_PER_ENTRY}", images.len());
        notes.push(Note::odd(&catalogue::IMG002, first_over.at..first_over.at + 1, message));
    }
    for image in images {
        check_href(entry, image.loc, image.at, ("image's loc", &catalogue::IMG001, &catalogue::IMG004), notes);
    }
}

fn check_alternates(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    for link in &entry.slots.alternates {
        check_href(entry, link.href, link.at, ("alternate's href", &catalogue::ALT001, &catalogue::ALT007), notes);
        let rel = entry.text(link.rel);
        // rel=amphtml and others are written too, and mean something else.
        if rel.is_some_and(|rel| !rel.eq_ignore_ascii_case("alternate")) {
            continue;
        }
        let lacks = match (rel, entry.text(link.hreflang).or(entry.text(link.media))) {
            (None, _) => Some("rel=\"alternate\""),
            (_, None) => Some("hreflang or media"),
            _ => None,
        };
        if let Some(lacks) = lacks {
            notes.push(Note::odd(&catalogue::ALT001, link.at..link.at + 1, format!("the alternate has no {lacks}")));
        }
    }
}

/// A URL that an extension gives: there, absolute, and of a form that can be fetched.
fn check_href(
    entry: &Entry<'_>,
    slot: Slot,
    at: usize,
    (what, missing, wrong): (&str, &'static Rule, &'static Rule),
    notes: &mut Vec<Note>,
) {
    let written = if slot.is_present() { slot.written() } else { at..at + 1 };
    let text = entry.text(slot).unwrap_or_default();
    if text.is_empty() {
        notes.push(Note::odd(missing, written, format!("the {what} is missing")));
    } else if !is_href(text) {
        notes.push(Note::odd(wrong, written, format!("the {what} is no absolute http or https URL")));
    }
}

/// Whether an extension's URL is one that a consumer can use. Apps have schemes of their own, and the protocol's
/// bound on a loc does not speak of it.
pub fn is_href(text: &str) -> bool {
    match loc::problem(text) {
        None | Some(loc::Problem::TooLong) => true,
        Some(loc::Problem::Scheme) => {
            (text.starts_with("android-app://") || text.starts_with("ios-app://"))
                && !text.bytes().any(|byte| byte <= b' ')
        }
        Some(_) => false,
    }
}
