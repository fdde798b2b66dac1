//! Dates of feeds: in the form of RFC 822 in RSS, with years of four digits since RFC 1123; of RFC 3339 in Atom.

use super::calendar::{DAY_MICROS, days_from_civil, days_in_month};
use super::w3c_date::{self, pairs};

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Hours from UTC. Source: RFC 822, section 5.1. It gives its single letters except Z the wrong sign, so they are not
/// accepted here.
const ZONES: [(&str, i64); 12] = [
    ("UT", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
];

/// A date of RSS that can be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedDate {
    /// Since the epoch.
    pub micros: i64,
    pub form: Form,
}

/// How a date of RSS is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As RFC 822 writes it, with a year of four digits.
    Exact,
    /// The same, with a year of two digits.
    ShortYear,
    /// With a name or a number that is longer or shorter than there, or a colon in its offset.
    Loose,
    /// With this day of the week, which is another than it names or is not one in English.
    Weekday(&'static str),
}

/// Return the microseconds since the epoch of a date such as `Sat, 07 Sep 2002 00:00:01 GMT`. The name of the day and the
/// seconds may be missing.
pub fn parse(text: &str) -> Option<FeedDate> {
    match common(text.as_bytes()) {
        Some(micros) => Some(FeedDate { micros, form: Form::Exact }),
        None => parse_any(text),
    }
}

/// The form that nearly all have: `Sat, 07 Sep 2002 00:00:01 GMT`, or with `+0000`.
fn common(text: &[u8]) -> Option<i64> {
    let (date, rest) = text.split_first_chunk::<16>()?;
    let (time, zone) = rest.split_first_chunk::<10>()?;
    let [b' ', time @ .., b' '] = time else { return None };
    let [weekday @ .., b',', b' ', tens, ones, b' ', first, second, third, b' ', _, _, _, _] = date else {
        return None;
    };
    let month = MONTHS.iter().position(|month| *month.as_bytes() == [first | 0x20, *second, *third])? as u32 + 1;
    let (day, year) = (pairs([*tens, *ones], *b"00")?[0], pairs(*date.last_chunk::<4>()?, *b"0000")?);
    let (day, year) = (i64::from(day), i64::from(year[0]) * 100 + i64::from(year[2]));
    let time = pairs(*time, *b"00:00:00")?.map(i64::from);
    let offset = match zone {
        b"GMT" => 0,
        [sign @ (b'+' | b'-'), digits @ ..] => {
            let digits = pairs(*<&[u8; 4]>::try_from(digits).ok()?, *b"0000")?;
            offset(*sign, i64::from(digits[0]), i64::from(digits[2]))?
        }
        _ => return None,
    };
    let (days, seconds) = instant((year, month, day), (time[0], time[3], time[6]))?;
    (*weekday == *weekday_of(days).as_bytes()).then_some(days * DAY_MICROS + (seconds - offset) * 1_000_000)
}

/// The days since the epoch and the seconds of the day, if there is such a day and such a time.
fn instant((year, month, day): (i64, u32, i64), (hour, minute, second): (i64, i64, i64)) -> Option<(i64, i64)> {
    let is_day = year != 0 && day != 0 && day <= i64::from(days_in_month(year, month));
    let is_time = hour <= 23 && minute <= 59 && second <= 60;
    (is_day && is_time).then(|| (days_from_civil(year, month, day as u32), hour * 3_600 + minute * 60 + second))
}

/// The name of a day since the epoch: 1970-01-01 was a Thursday.
fn weekday_of(days: i64) -> &'static str {
    DAYS[(days + 3).rem_euclid(7) as usize]
}

/// The seconds of an offset.
fn offset(sign: u8, hours: i64, minutes: i64) -> Option<i64> {
    let seconds = hours * 3_600 + minutes * 60;
    (hours < 24 && minutes < 60).then_some(if sign == b'-' { -seconds } else { seconds })
}

/// The same as [`parse`], in any form.
fn parse_any(text: &str) -> Option<FeedDate> {
    let (weekday, text) = match text.split_once(',') {
        Some((day, rest)) if !day.is_empty() && day.bytes().all(|byte| byte.is_ascii_alphabetic()) => (Some(day), rest),
        Some(_) => return None,
        None => (None, text),
    };
    let mut words = text.split_ascii_whitespace();
    let (day, name, year) = (words.next()?, words.next()?, words.next()?);
    let (time, zone) = (words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let day = number(day, 1..=2)?;
    let month = MONTHS.iter().position(|month| name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(month)))?;
    let month = month as u32 + 1;
    let is_short_year = year.len() == 2;
    let year = match is_short_year {
        // Source: RFC 2822, section 4.3: two digits mean 1950 to 2049.
        true => number(year, 2..=2).map(|year| if year < 50 { 2000 + year } else { 1900 + year })?,
        false => number(year, 4..=4)?,
    };
    let mut parts = time.split(':');
    let (hour, minute) = (number(parts.next()?, 1..=2)?, number(parts.next()?, 2..=2)?);
    let second = parts.next().map_or(Some(0), |second| number(second, 2..=2))?;
    if parts.next().is_some() {
        return None;
    }
    let (days, seconds) = instant((year, month, day), (hour, minute, second))?;
    let seconds = seconds - zone_seconds(zone)?;
    let own = weekday_of(days);
    let is_own = |weekday: &str| weekday.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(own));
    let form = match weekday {
        Some(weekday) if !is_own(weekday) => Form::Weekday(own),
        Some(weekday) if weekday.len() > 3 => Form::Loose,
        _ if name.len() > 3 || time.find(':') == Some(1) || zone.contains(':') => Form::Loose,
        _ if is_short_year => Form::ShortYear,
        _ => Form::Exact,
    };
    Some(FeedDate { micros: days * DAY_MICROS + seconds * 1_000_000, form })
}

/// Return the microseconds since the epoch of a date of Atom, and whether it is written as RFC 3339 asks: a date and a time
/// to the second, with a zone.
///
/// Source: RFC 4287, section 3.3; RFC 3339, section 5.6, and 5.7 for a leap second, which ends a day in UTC.
pub fn of_atom(text: &str) -> Option<(i64, bool)> {
    if let Some(micros) = w3c_date::instant(text) {
        return Some((micros, text.as_bytes().get(16) == Some(&b':') && text.as_bytes()[13] == b':'));
    }
    let (before, zone) = (text.get(..17)?, text.get(17..)?.strip_prefix("60")?);
    let micros = w3c_date::instant(format!("{before}59{zone}"))? + 1_000_000;
    (micros.div_euclid(1_000_000) * 1_000_000 % DAY_MICROS == 0).then_some((micros, true))
}

fn zone_seconds(zone: &str) -> Option<i64> {
    let sign = *zone.as_bytes().first()?;
    if !matches!(sign, b'+' | b'-') {
        let (_, hours) = ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(zone))?;
        return Some(hours * 3_600);
    }
    let digits = &zone[1..];
    let minutes = digits.get(2..)?;
    let (hours, minutes) = (number(&digits[..2], 2..=2)?, number(minutes.strip_prefix(':').unwrap_or(minutes), 2..=2)?);
    offset(sign, hours, minutes)
}

fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let fits = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.bytes().fold(0, |number, byte| number * 10 + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::{Form, common, of_atom, parse, parse_any};
    use crate::value::w3c_date;

    #[test]
    fn dates_of_rss() {
        for (text, same, form) in [
            ("Sat, 07 Sep 2002 00:00:01 GMT", "2002-09-07T00:00:01Z", Form::Exact),
            ("07 Sep 2002 00:00 Z", "2002-09-07T00:00:00Z", Form::Exact),
            ("sat, 7 sep 2002 00:00 +0000", "2002-09-07T00:00:00Z", Form::Exact),
            ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z", Form::Exact),
            ("Wed, 31 Dec 1969 00:00:00 GMT", "1969-12-31T00:00:00Z", Form::Exact),
            ("7 Sep 02 09:05 +0200", "2002-09-07T07:05:00Z", Form::ShortYear),
            ("7 Sep 2002 9:05 +0200", "2002-09-07T07:05:00Z", Form::Loose),
            ("Fri, 1 January 1999 23:59:59 PDT", "1999-01-02T06:59:59Z", Form::Loose),
            ("Thursday, 29 Feb 2024 12:00:00 -0330", "2024-02-29T15:30:00Z", Form::Loose),
            ("Thu, 29 Feb 2024 12:00:00 -03:30", "2024-02-29T15:30:00Z", Form::Loose),
            ("Mon, 29 Feb 2024 12:00:00 GMT", "2024-02-29T12:00:00Z", Form::Weekday("Thu")),
            ("Sam, 31 Jan 2026 08:00:00 GMT", "2026-01-31T08:00:00Z", Form::Weekday("Sat")),
            ("mie, 28 Jan 2026 08:00:00 GMT", "2026-01-28T08:00:00Z", Form::Weekday("Wed")),
        ] {
            let date = parse(text).unwrap();
            assert_eq!((Some(date.micros), date.form), (w3c_date::instant(same), form), "{text}");
        }
    }

    #[test]
    fn the_common_form_is_read_as_any() {
        let dates =
            ["Sat, 07 Sep 2002", "sat, 07 sep 2002", "Thu, 29 Feb 2024", "Fri, 30 Feb 2024", "Sun, 07 Sep 2002"];
        let dates =
            [&dates[..], &["Fri, 31 Dec 9999", "Sat, 7 Sep 2002", "Sat, 07 SEP 2002", "Sat; 07 Sep 2002"]].concat();
        let times = ["00:00:01", "23:59:60", "24:00:00", "00:60:00", "00:00:61", "0a:00:00"];
        let zones =
            ["GMT", "UT", "gmt", "+0000", "-0330", "+2359", "+2400", "+0060", "-03:30", "+000", "+00000", "PST"];
        let mut found = 0;
        for text in dates.iter().flat_map(|date| times.map(|time| format!("{date} {time}"))) {
            for text in zones.map(|zone| format!("{text} {zone}")) {
                let any = parse_any(&text);
                assert_eq!(parse(&text), any, "{text}");
                found += usize::from(common(text.as_bytes()).is_some());
            }
        }
        assert!(found > 20, "{found}");
    }

    #[test]
    fn invalid_dates() {
        for text in [
            "",
            "2002-09-07",
            "Sat, 07 Sep 2002",
            "Sat, 31 Sep 2002 00:00:00 GMT",
            "07 Sep 2002 25:00 GMT",
            "07 Sep 2002 00:00",
            "1 2, 07 Sep 2002 00:00 GMT",
            ", 07 Sep 2002 00:00 GMT",
            "07 Xxx 2002 00:00 GMT",
            "07 Sep 2002 00:00 +2",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_atom() {
        for (text, same, is_exact) in [
            ("2026-01-31T08:00:00Z", "2026-01-31T08:00:00Z", true),
            ("2026-01-31T08:00:00.25+01:00", "2026-01-31T08:00:00.25+01:00", true),
            ("2026-01-31T08:00Z", "2026-01-31T08:00Z", false),
            ("2026-01-31T08:00+01:00", "2026-01-31T08:00+01:00", false),
            ("2026-01-31", "2026-01-31", false),
            ("2026", "2026", false),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", true),
            ("2016-12-31T15:59:60-08:00", "2017-01-01T00:00:00Z", true),
        ] {
            assert_eq!(of_atom(text), w3c_date::instant(same).map(|micros| (micros, is_exact)), "{text}");
        }
        for text in
            ["", "2016-12-31T22:59:60Z", "2016-12-31T23:59:61Z", "2026-01-31t08:00:00z", "2026-01-31T08:00:00", "é"]
        {
            assert_eq!(of_atom(text), None, "{text}");
        }
    }
}
