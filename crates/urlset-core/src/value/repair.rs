//! Dates as people write them: what is wrong with one that is no W3C date, and the one that it can only mean.

use super::feed_date;
use super::lastmod::{self, Problem, days_in_month, offset_seconds};

/// A date taken apart, however it is written; numbers are not checked yet.
#[derive(Debug)]
struct Parts<'t> {
    date: [u32; 3],
    time: Option<Time<'t>>,
    /// The text but for its zone is as it should be.
    is_plain: bool,
}

#[derive(Debug)]
struct Time<'t> {
    hour: u32,
    minute: u32,
    /// With the fraction.
    seconds: &'t str,
    zone: &'t str,
}

/// What is wrong with a text that [`lastmod::parse`] refuses: the first that has to be mended.
pub fn problem(text: &str) -> Problem {
    let Some(parts) = parts(text) else { return month_problem(text).unwrap_or(Problem::Invalid) };
    let [year, month, day] = parts.date;
    let is_day = year > 0 && (1..=12).contains(&month) && (1..=days_in_month(year.into(), month)).contains(&day);
    let is_time = parts.time.as_ref().is_none_or(|time| {
        time.hour < 24 && time.minute < 60 && time.seconds.get(..2).is_none_or(|seconds| seconds < "60")
    });
    if !is_day || !is_time {
        return Problem::Impossible;
    }
    match parts.time {
        _ if !parts.is_plain => Problem::Separator,
        Some(time) if time.zone.is_empty() => Problem::MissingZone,
        // It leaves the years that there are.
        Some(time) if time.zone == "Z" || offset_seconds(time.zone.as_bytes()).is_some() => Problem::Impossible,
        Some(_) => Problem::Offset,
        None => Problem::Invalid,
    }
}

/// What is wrong with a year, or a year and a month, if a text is that.
fn month_problem(text: &str) -> Option<Problem> {
    let (year, month, is_plain) = month(text)?;
    match year > 0 && (1..=12).contains(&month) {
        true if is_plain => None,
        true => Some(Problem::Separator),
        false => Some(Problem::Impossible),
    }
}

/// The numbers of a year and its month, January where there is none, and whether that has two digits.
fn month(text: &str) -> Option<(u32, u32, bool)> {
    let (year, rest) = number(text, 4..=4)?;
    let Some(month) = rest.strip_prefix('-') else { return rest.is_empty().then_some((year, 1, true)) };
    let (number, rest) = number(month, 1..=2)?;
    rest.is_empty().then_some((year, number, month.len() == 2))
}

/// The W3C date that a text can only mean, if there is one. A time without a zone gets `zone`, where that is known.
pub fn repaired(text: &str, zone: Option<&str>) -> Option<String> {
    let text = text.trim();
    let fixed = match parts(text) {
        Some(parts) => {
            let [year, month, day] = parts.date;
            let mut fixed = format!("{year:04}-{month:02}-{day:02}");
            if let Some(time) = parts.time {
                let Time { hour, minute, seconds, .. } = time;
                fixed += &format!("T{hour:02}:{minute:02}");
                if !seconds.is_empty() {
                    fixed.push(':');
                    fixed += &seconds.replace(',', ".");
                }
                fixed += &self::zone(time.zone)?.or(zone.map(str::to_owned)).unwrap_or_default();
            }
            fixed
        }
        None => month(text).map(|(year, month, _)| format!("{year:04}-{month:02}")).or_else(|| of_feed(text))?,
    };
    // Mended but for a zone that nobody knows is mended as far as may be.
    let is_better = matches!(lastmod::check(&fixed), Ok(_) | Err(Problem::MissingZone));
    (is_better && fixed != text).then_some(fixed)
}

/// A date of RFC 822, in UTC.
fn of_feed(text: &str) -> Option<String> {
    let mut fixed = String::new();
    lastmod::format(feed_date::parse(text)?, &mut fixed);
    Some(fixed)
}

/// The zone as it should be written, `None` where there is none to be seen; nothing at all where it makes no sense.
fn zone(text: &str) -> Option<Option<String>> {
    if text.is_empty() {
        return Some(None);
    }
    if ["z", "utc", "gmt"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
        return Some(Some("Z".into()));
    }
    let sign = text.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
    let digits: String = text[1..].chars().filter(|character| *character != ':').collect();
    let (hours, minutes) = match digits.len() {
        1 => (format!("0{digits}"), "00"),
        2 => (digits.clone(), "00"),
        4 => (digits[..2].to_owned(), &digits[2..]),
        _ => return None,
    };
    Some(Some(format!("{sign}{hours}:{minutes}")))
}

/// Takes a date apart: year first, with `-`, `/` or `.` between the numbers or nothing, then perhaps a time after `T` or
/// blanks. Whatever else it is, it is none that has one meaning only.
fn parts(text: &str) -> Option<Parts<'_>> {
    let (year, after_year) = number(text, 4..=4)?;
    let separator = after_year.chars().next()?;
    let (month, day, rest, mut is_plain);
    if matches!(separator, '-' | '/' | '.') {
        let is_long = |rest: &str| rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let (number_of_month, after) = number(&after_year[1..], 1..=2)?;
        let after = after.strip_prefix(separator)?;
        is_plain = separator == '-' && is_long(&after_year[1..]) && is_long(after);
        month = number_of_month;
        (day, rest) = number(after, 1..=2)?;
    } else {
        is_plain = false;
        let (number_of_month, after) = number(after_year, 2..=2)?;
        month = number_of_month;
        (day, rest) = number(after, 2..=2)?;
    }
    let date = [year, month, day];
    if rest.is_empty() {
        return Some(Parts { date, time: None, is_plain });
    }
    is_plain &= rest.starts_with('T');
    let clock = rest.strip_prefix(['T', 't']).unwrap_or_else(|| rest.trim_start());
    // Without a mark between them a date and a time have no one meaning.
    if clock.len() == rest.len() {
        return None;
    }
    let (hour, rest) = number(clock, 1..=2)?;
    is_plain &= clock.len() - rest.len() == 2;
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
    Some(Parts { date, time: Some(Time { hour, minute, seconds, zone }), is_plain })
}

/// The number that begins a text, of so many digits and no more, and what follows it.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
    let length = text.bytes().take(*digits.end()).take_while(u8::is_ascii_digit).count();
    if !digits.contains(&length) {
        return None;
    }
    Some((text[..length].parse().ok()?, &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_and_what_is_meant() {
        use Problem::*;
        for (text, wrong, fixed) in [
            ("2026-01-31T10:00:00+0200", Offset, Some("2026-01-31T10:00:00+02:00")),
            ("2026-01-31T10:00+02", Offset, Some("2026-01-31T10:00+02:00")),
            ("2026-01-31T10:00:00+15:00", Offset, None),
            ("2026-01-31T10:00:00+1:2:3", Offset, None),
            ("2026-01-31 10:00:00Z", Separator, Some("2026-01-31T10:00:00Z")),
            ("2026-01-31t10:00:00z", Separator, Some("2026-01-31T10:00:00Z")),
            ("2026-01-31 10:00:00", Separator, Some("2026-01-31T10:00:00")),
            ("2026-01-31 10:00:00 +0200", Separator, Some("2026-01-31T10:00:00+02:00")),
            ("2026-01-31T10:00:00,5Z", Separator, Some("2026-01-31T10:00:00.5Z")),
            ("2026-01-31T9:05Z", Separator, Some("2026-01-31T09:05Z")),
            ("2026-1-3", Separator, Some("2026-01-03")),
            ("2026-1", Separator, Some("2026-01")),
            ("2026/01/31", Separator, Some("2026-01-31")),
            ("20260131", Separator, Some("2026-01-31")),
            ("2026-01-31 10:00 UTC", Separator, Some("2026-01-31T10:00Z")),
            ("2026-01-31T10:00:00", MissingZone, None),
            ("2026-02-30", Impossible, None),
            ("2026-13-01", Impossible, None),
            ("2026-01-31T24:00:00Z", Impossible, None),
            ("2026-01-31T23:59:60Z", Impossible, None),
            ("0000-01-01", Impossible, None),
            ("0000", Impossible, None),
            ("0000-1", Impossible, None),
            ("2026-13", Impossible, None),
            ("2026-00", Impossible, None),
            ("2026-", Invalid, None),
            ("2026-011", Invalid, None),
            ("Sat, 31 Jan 2026 08:00:00 +0100", Invalid, Some("2026-01-31T07:00:00Z")),
            ("yesterday", Invalid, None),
            ("31/01/2026", Invalid, None),
            ("01/02/2026", Invalid, None),
            ("2026-W05", Invalid, None),
            ("2026-031", Invalid, None),
            ("12026-01-01", Invalid, None),
            ("-0044-03-15", Invalid, None),
            ("2026-01-31Z", Invalid, None),
            ("2026-01-31T10Z", Invalid, None),
            ("1769850000", Invalid, None),
            ("", Invalid, None),
        ] {
            assert_eq!(lastmod::check(text).err(), Some(wrong), "{text}");
            assert_eq!(repaired(text, None).as_deref(), fixed, "{text}");
        }
    }

    #[test]
    fn a_known_zone_is_put_where_there_is_none() {
        assert_eq!(repaired("2026-01-31T10:00:00", Some("+01:00")).as_deref(), Some("2026-01-31T10:00:00+01:00"));
        assert_eq!(repaired("2026-01-31 10:00:00.25", Some("Z")).as_deref(), Some("2026-01-31T10:00:00.25Z"));
        assert_eq!(repaired("2026-01-31T10:00:00+0200", Some("Z")).as_deref(), Some("2026-01-31T10:00:00+02:00"));
    }
}
