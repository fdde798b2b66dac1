//! Dates as people write them, taken apart: what is wrong with one that is not a W3C date.

use std::error::Error;
use std::fmt;

use super::calendar::days_in_month;
use super::w3c_date::offset_seconds;

/// Why a text is not a lastmod; each holds that text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastmodError<'t> {
    /// Not one of the six forms, and not one of the following.
    Invalid(&'t str),
    /// A date and a time in which only the zone is missing.
    MissingZone(&'t str),
    /// An offset without its colon or minutes, or of more than 14 hours, which no place on earth has.
    Offset(&'t str),
    /// Other separators, or numbers without their leading zeros, as in `2026-1-3 9:00`.
    Separator(&'t str),
    /// A day, an hour or a second that does not exist.
    Impossible(&'t str),
}

impl LastmodError<'_> {
    /// What to do about it, where that is known.
    pub fn help(&self) -> Option<String> {
        match self {
            LastmodError::Invalid(text) if is_twelve_hour(text) => {
                Some("write the hour from 00 to 23, not with AM or PM: 2026-01-31T20:00:00+01:00".into())
            }
            LastmodError::Invalid(_) | LastmodError::Separator(_) => {
                Some("write 2026-01-31 or 2026-01-31T08:00:00+01:00".into())
            }
            LastmodError::MissingZone(text) => {
                Some(format!("write {text}Z if it is UTC, else its offset as in +01:00"))
            }
            LastmodError::Offset(_) | LastmodError::Impossible(_) => None,
        }
    }
}

/// Whether a text ends as a time of a 12-hour clock does: with `AM`, `PM` or `p.m.`, perhaps before a zone of letters.
fn is_twelve_hour(text: &str) -> bool {
    let words = text.rsplit(|character: char| character.is_ascii_whitespace() || character.is_ascii_digit());
    words.take(2).any(|word| ["am", "pm", "a.m.", "p.m."].iter().any(|half| word.eq_ignore_ascii_case(half)))
}

impl fmt::Display for LastmodError<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LastmodError::Invalid(text) => write!(formatter, "the date {text:?} is not YYYY-MM-DD"),
            LastmodError::MissingZone(_) => formatter.write_str("the time has no zone"),
            LastmodError::Offset(text) => {
                write!(formatter, "{text:?} has an offset that is not written as +01:00, or is of more than 14 hours")
            }
            LastmodError::Separator(text) if text.contains(':') => {
                write!(formatter, "the time {text:?} is not written as YYYY-MM-DDThh:mm:ss+hh:mm")
            }
            LastmodError::Separator(text) => write!(formatter, "the date {text:?} is not written as YYYY-MM-DD"),
            LastmodError::Impossible(text) => match has_leap_second(text) {
                true => write!(formatter, "{text:?} has a leap second, which the W3C profile does not have"),
                false => write!(formatter, "{text:?} names a day or a time that does not exist"),
            },
        }
    }
}

impl Error for LastmodError<'_> {}

/// The parts of a date, however it is written. The numbers are not checked yet.
#[derive(Debug)]
pub struct DateParts<'t> {
    /// Year, month and day.
    pub date: [u32; 3],
    pub time: Option<Time<'t>>,
    /// Everything but the zone is written as the profile asks.
    pub is_plain: bool,
}

/// The time of a date.
#[derive(Debug)]
pub struct Time<'t> {
    pub hour: u32,
    pub minute: u32,
    /// Including the fraction.
    pub seconds: &'t str,
    pub zone: &'t str,
}

/// Return what is wrong with a text that is not a W3C date: the first thing that has to be repaired.
pub fn error(text: &str) -> LastmodError<'_> {
    let Some(parts) = parts(text) else { return month_error(text).unwrap_or(LastmodError::Invalid(text)) };
    let [year, month, day] = parts.date;
    let is_day = year > 0 && (1..=12).contains(&month) && (1..=days_in_month(year.into(), month)).contains(&day);
    let is_time = parts.time.as_ref().is_none_or(|time| {
        time.hour < 24 && time.minute < 60 && time.seconds.get(..2).is_none_or(|seconds| seconds < "60")
    });
    if !is_day || !is_time {
        return LastmodError::Impossible(text);
    }
    match parts.time {
        _ if !parts.is_plain => LastmodError::Separator(text),
        Some(time) if time.zone.is_empty() => LastmodError::MissingZone(text),
        // The instant lies outside the years 1 to 9999.
        Some(time) if time.zone == "Z" || offset_seconds(time.zone.as_bytes()).is_some() => {
            LastmodError::Impossible(text)
        }
        Some(_) => LastmodError::Offset(text),
        None => LastmodError::Invalid(text),
    }
}

/// Return what is wrong with a year, or a year and a month, if the text is one.
fn month_error(text: &str) -> Option<LastmodError<'_>> {
    let (year, month, is_plain) = month(text)?;
    match year > 0 && (1..=12).contains(&month) {
        true if is_plain => None,
        true => Some(LastmodError::Separator(text)),
        false => Some(LastmodError::Impossible(text)),
    }
}

/// Return a year and its month, January if there is none, and whether the month has two digits.
pub fn month(text: &str) -> Option<(u32, u32, bool)> {
    let (year, rest) = number(text, 4..=4)?;
    let Some(month) = rest.strip_prefix('-') else { return rest.is_empty().then_some((year, 1, true)) };
    let (number, rest) = number(month, 1..=2)?;
    rest.is_empty().then_some((year, number, month.len() == 2))
}

/// Take a date apart: the year first, with `-`, `/`, `.` or nothing between the numbers, then perhaps a time after `T` or
/// blanks. No other form has only one meaning.
pub fn parts(text: &str) -> Option<DateParts<'_>> {
    let (date, rest, is_plain) = day(text)?;
    if rest.is_empty() {
        return Some(DateParts { date, time: None, is_plain });
    }
    let clock = rest.strip_prefix(['T', 't']).unwrap_or_else(|| rest.trim_start());
    // Without a separator, a date and a time have more than one meaning.
    if clock.len() == rest.len() {
        return None;
    }
    let (time, is_plain_time) = time(clock)?;
    Some(DateParts { date, time: Some(time), is_plain: is_plain && rest.starts_with('T') && is_plain_time })
}

/// Return the numbers of a day, what follows it, and whether it is written as the profile asks.
fn day(text: &str) -> Option<([u32; 3], &str, bool)> {
    let (year, after_year) = number(text, 4..=4)?;
    let separator = after_year.chars().next()?;
    if !matches!(separator, '-' | '/' | '.') {
        let (month, after_month) = number(after_year, 2..=2)?;
        let (day, rest) = number(after_month, 2..=2)?;
        return Some(([year, month, day], rest, false));
    }
    let is_long = |rest: &str| rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let (month, after_month) = number(&after_year[1..], 1..=2)?;
    let after_month = after_month.strip_prefix(separator)?;
    let (day, rest) = number(after_month, 1..=2)?;
    let is_plain = separator == '-' && is_long(&after_year[1..]) && is_long(after_month);
    Some(([year, month, day], rest, is_plain))
}

/// Take a time apart, and return whether everything but its zone is written as the profile asks.
fn time(clock: &str) -> Option<(Time<'_>, bool)> {
    let (hour, rest) = number(clock, 1..=2)?;
    let mut is_plain = clock.len() - rest.len() == 2;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2..=2)?;
    let (seconds, rest) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (_, after) = number(rest, 2..=2)?;
            let fraction = after
                .strip_prefix(['.', ','])
                .map_or(0, |digits| 1 + digits.bytes().take_while(u8::is_ascii_digit).count());
            if fraction == 1 {
                return None;
            }
            is_plain &= !after.starts_with(',');
            rest.split_at(2 + fraction)
        }
        None => ("", rest),
    };
    let zone = rest.trim_start();
    let is_offset = zone.starts_with(['+', '-'])
        && zone.len() <= 6
        && zone[1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let is_name = ["z", "utc", "gmt"].iter().any(|name| zone.eq_ignore_ascii_case(name));
    if !(zone.is_empty() || is_offset || is_name) {
        return None;
    }
    is_plain &= rest.len() == zone.len() && (!is_name || zone == "Z");
    Some((Time { hour, minute, seconds, zone }, is_plain))
}

/// Return the number at the beginning of a text, which has to have this many digits, and what follows it.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
    let length = text.bytes().take(*digits.end()).take_while(u8::is_ascii_digit).count();
    if !digits.contains(&length) {
        return None;
    }
    Some((text[..length].parse().ok()?, &text[length..]))
}
/// Whether a time has the second 60, which a clock shows once in some years.
fn has_leap_second(text: &str) -> bool {
    text.split_once(['T', 't', ' ']).is_some_and(|(_, time)| time.get(3..8).is_some_and(|end| end == "59:60"))
}
