//! The rules of invalid values. Reading, the linter and the writer, which refuses the same values, report them in the same
//! words: those of the error of the value.

use super::catalogue;
use super::rule::Rule;
use crate::value::changefreq;
use crate::value::lastmod::LastmodError;
use crate::value::loc::LocError;
use crate::value::priority::PriorityError;

/// The rule, its words and its remedy for an invalid loc; also what `write` refuses one with.
pub fn loc_error(error: LocError) -> (&'static Rule, String, Option<String>) {
    let rule = match error {
        LocError::Empty => &catalogue::LOC001,
        LocError::Relative => &catalogue::LOC002,
        LocError::Scheme => &catalogue::LOC003,
        LocError::Character(_) | LocError::HostCharacter(_) => &catalogue::LOC004,
        LocError::Host | LocError::HostName | LocError::Port | LocError::TwoSchemes => &catalogue::LOC004,
        LocError::TooLong(_) => &catalogue::LOC009,
    };
    (rule, error.to_string(), error.help())
}

/// The words for a `%` of a loc that begins no escape.
pub fn bad_escape(loc: &str, at: usize) -> String {
    let shown: String = loc[at..].chars().take(3).collect();
    format!("`{shown}` is not a percent escape: two hexadecimal digits must follow the `%`")
}

/// The words for a loc of another host than the document's.
pub fn foreign_host(own: &str, host: &str) -> String {
    format!("the host {own} is not {host}, where the document is")
}

/// The same for a lastmod.
pub fn lastmod_error(error: LastmodError<'_>) -> (&'static Rule, String, Option<String>) {
    let rule = match error {
        LastmodError::Invalid(_) => &catalogue::MOD001,
        LastmodError::MissingZone(_) => &catalogue::MOD002,
        LastmodError::Offset(_) => &catalogue::MOD003,
        LastmodError::Separator(_) => &catalogue::MOD004,
        LastmodError::Impossible(_) => &catalogue::MOD005,
    };
    (rule, error.to_string(), error.help())
}

/// The same for a priority.
pub fn priority_error(error: PriorityError<'_>) -> (&'static Rule, String) {
    let rule = match error {
        PriorityError::NotDecimal(_) => &catalogue::PRI001,
        PriorityError::OutOfRange(_) => &catalogue::PRI002,
    };
    (rule, error.to_string())
}

/// The same for a changefreq.
pub fn changefreq_error(text: &str) -> (&'static Rule, String) {
    (&catalogue::FRQ001, format!("{text:?} is not one of {}", changefreq::WORDS.join(", ")))
}
