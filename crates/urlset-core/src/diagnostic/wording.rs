//! How the problem of a value is reported: its rule, its message and its help. Reading, the linter and the writer, which
//! refuses the same values, use the same words.

use super::catalogue;
use super::rule::Rule;
use crate::limits::LOC_CHARS;
use crate::value::{changefreq, lastmod, loc, priority};

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
                format!("the loc contains U+{:04X}, which is not allowed in a URL", blank as u32),
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
            format!("{text:?} is not a date or time of the W3C profile"),
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
    (&catalogue::FRQ001, format!("{text:?} is not one of {}", changefreq::WORDS.join(", ")))
}
