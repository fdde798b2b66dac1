//! Dates of RSS feeds, in the form of RFC 822, with years of four digits since RFC 1123.

use super::calendar::{DAY_MICROS, days_from_civil, days_in_month};

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

/// Return the microseconds since the epoch of a date such as `Sat, 07 Sep 2002 00:00:01 GMT`. The name of the day and the
/// seconds may be missing.
pub fn parse(text: &str) -> Option<i64> {
    let text = match text.split_once(',') {
        Some((day, rest)) if day.bytes().all(|byte| byte.is_ascii_alphabetic()) => rest,
        Some(_) => return None,
        None => text,
    };
    let mut words = text.split_ascii_whitespace();
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    let (time, zone) = (words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let day = number(day, 1..=2)?;
    let month = MONTHS.iter().position(|name| month.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(name)))?;
    let month = month as u32 + 1;
    let year = match year.len() {
        // Source: RFC 2822, section 4.3: two digits mean 1950 to 2049.
        2 => number(year, 2..=2).map(|year| if year < 50 { 2000 + year } else { 1900 + year })?,
        _ => number(year, 4..=4)?,
    };
    if year == 0 || day == 0 || day > i64::from(days_in_month(year, month)) {
        return None;
    }
    let mut parts = time.split(':');
    let (hour, minute) = (number(parts.next()?, 1..=2)?, number(parts.next()?, 2..=2)?);
    let second = parts.next().map_or(Some(0), |second| number(second, 2..=2))?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = hour * 3_600 + minute * 60 + second - zone_seconds(zone)?;
    Some(days_from_civil(year, month, day as u32) * DAY_MICROS + seconds * 1_000_000)
}

fn zone_seconds(zone: &str) -> Option<i64> {
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(zone)) {
        return Some(hours * 3_600);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone[1..].chars().filter(|character| *character != ':').collect();
    let (hours, minutes) = (number(digits.get(..2)?, 2..=2)?, number(digits.get(2..)?, 2..=2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let fits = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::value::w3c_date;

    #[test]
    fn dates_of_rss() {
        for (text, same) in [
            ("Sat, 07 Sep 2002 00:00:01 GMT", "2002-09-07T00:00:01Z"),
            ("7 Sep 02 9:05 +0200", "2002-09-07T07:05:00Z"),
            ("Mon, 1 January 1999 23:59:59 PDT", "1999-01-02T06:59:59Z"),
            ("Thu, 29 Feb 2024 12:00:00 -03:30", "2024-02-29T15:30:00Z"),
        ] {
            assert_eq!(parse(text), w3c_date::instant(same), "{text}");
        }
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
            "07 Xxx 2002 00:00 GMT",
            "07 Sep 2002 00:00 +2",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
