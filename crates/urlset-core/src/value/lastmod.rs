//! `<lastmod>`: the W3C profile of ISO 8601 (W3C NOTE-datetime), which sitemaps.org names.
//!
//! The profile knows six forms and no others: year; year-month; year-month-day; and that day with `T`, hours and
//! minutes, optionally seconds, optionally a fraction of one or more digits. A zone, `Z` or `±hh:mm`, is required
//! as soon as there is a time and refused without one. `T` and `Z` are upper case.
//!
//! DIFFERENCE: the profile puts no bound on the year; we take 0001 to 9999, before and after conversion to UTC,
//! because those are the instants that Python's datetime can hold.

use super::repair;

/// Why a text is no lastmod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// None of the six forms, and none of the following.
    Invalid,
    /// A date and a time that would be right but for the missing zone.
    MissingZone,
    /// An offset without its colon or minutes, or one of more than 14 hours, which no place on earth has.
    Offset,
    /// Other marks between the parts, or numbers without their leading zeros, as in `2026-1-3 9:00`.
    Separator,
    /// A day, an hour or a second that does not exist.
    Impossible,
}

const DAY_SECONDS: i64 = 86_400;
/// Microseconds of a day.
pub const DAY_MICROS: i64 = DAY_SECONDS * 1_000_000;
/// Seconds from the epoch to 0001-01-01T00:00:00Z and to the first second after 9999-12-31.
const FIRST_SECOND: i64 = -62_135_596_800;
const END_SECOND: i64 = 253_402_300_800;

/// Microseconds since 1970-01-01T00:00:00Z of the instant where `text` begins: a bare date is its midnight in UTC,
/// a fraction is cut, not rounded, after six digits.
#[inline]
pub fn parse(text: &str) -> Result<i64, Problem> {
    let bytes = text.as_bytes();
    match common(bytes) {
        Some(instant) => Ok(instant),
        None => any(bytes).ok_or_else(|| repair::problem(text)),
    }
}

/// The same, as we check and write it: without an offset that there is nowhere.
///
/// DIFFERENCE from the profile, which puts no bound on an offset: XML Schema has one of 14 hours (part 2, dateTime), which
/// is also the largest of any place. Whoever reads takes the instant that is named.
#[inline]
pub fn check(text: &str) -> Result<i64, Problem> {
    let instant = parse(text)?;
    if is_somewhere(text) { Ok(instant) } else { Err(Problem::Offset) }
}

/// Whether the offset of a text that is a lastmod, if it has one, is one that there is somewhere.
#[inline]
pub fn is_somewhere(text: &str) -> bool {
    match text.as_bytes().last_chunk::<6>() {
        Some([b'+' | b'-', tens, ones, b':', minutes @ ..]) if text.len() > 10 => {
            [*tens, *ones, minutes[0], minutes[1]] <= *b"1400"
        }
        _ => true,
    }
}

/// Any of the six forms.
fn any(bytes: &[u8]) -> Option<i64> {
    let (day, rest) = date(bytes)?;
    if rest.is_empty() {
        return Some(day * DAY_MICROS);
    }
    if bytes.len() - rest.len() != 10 {
        return None; // a time needs a whole date before it
    }
    let (seconds, micros, zone) = time(rest)?;
    let offset = match zone {
        [b'Z'] => 0,
        _ => offset_seconds(zone)?,
    };
    let instant = day * DAY_SECONDS + seconds - offset;
    (FIRST_SECOND..END_SECOND).contains(&instant).then(|| instant * 1_000_000 + micros)
}

/// The forms that most sitemaps are written in: `YYYY-MM-DD`, also with `Thh:mm:ss` and `Z` or `±hh:mm`. Eight characters
/// are looked at in one word. `None` leaves the judgement to the grammar below.
#[inline]
fn common(bytes: &[u8]) -> Option<i64> {
    let (begin, rest) = bytes.split_first_chunk::<8>()?;
    let year_month = pairs(*begin, *b"0000-00-")?;
    let year = u32::from(year_month[0]) * 100 + u32::from(year_month[2]);
    let month = u32::from(year_month[5]);
    let (day, seconds) = match rest.split_first_chunk::<8>() {
        Some((day_time, rest)) => {
            let day_time = pairs(*day_time, *b"00T00:00")?;
            (day_time[0], seconds_of_day(day_time[3], day_time[6], rest)?)
        }
        None => (pairs(*<&[u8; 2]>::try_from(rest).ok()?, *b"00")?[0], 0),
    };
    // Days past the 28th, and the first and last years, are for the grammar: this knows no calendar.
    if !(2..=9998).contains(&year) || !(1..=12).contains(&month) || !(1..=28).contains(&day) {
        return None;
    }
    Some((days_from_civil(year.into(), month, day.into()) * DAY_SECONDS + seconds) * 1_000_000)
}

/// Seconds since midnight in UTC, from the hour, the minute, and `:ssZ` or `:ss±hh:mm`.
#[inline(always)]
fn seconds_of_day(hour: u8, minute: u8, rest: &[u8]) -> Option<i64> {
    let (second, hours, minutes, east) = match rest.len() {
        4 => (pairs(*rest.first_chunk::<4>()?, *b":00Z")?[1], 0, 0, 1),
        9 if rest[0] == b':' => {
            let is_east = rest[3] == b'+';
            let zone = pairs(*rest.last_chunk::<8>()?, if is_east { *b"00+00:00" } else { *b"00-00:00" })?;
            (zone[0], zone[3], zone[6], if is_east { 1 } else { -1 })
        }
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 || hours > 23 || minutes > 59 {
        return None;
    }
    let local = i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second);
    // East of Greenwich it is later than in UTC.
    Some(local - east * (i64::from(hours) * 3_600 + i64::from(minutes) * 60))
}

/// At each place the number that the digit there and the one behind it write, if there are digits wherever the form has
/// `0`, and else the form's own characters. Eight of them at once, at most.
#[inline(always)]
fn pairs<const N: usize>(text: [u8; N], form: [u8; N]) -> Option<[u8; 8]> {
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    let word = |bytes: [u8; N]| {
        let mut word = [0; 8];
        word[..N].copy_from_slice(&bytes);
        u64::from_le_bytes(word)
    };
    // What is added to a digit, and to the difference of anything else, without reaching the highest bit.
    let room = word(form.map(|character| if character == b'0' { 0x7f - 9 } else { 0x7f }));
    let digits = word(text) ^ word(form);
    if (digits | digits.wrapping_add(room)) & HIGHS != 0 {
        return None;
    }
    Some((digits.wrapping_mul(10) + (digits >> 8)).to_le_bytes())
}

/// Days since the epoch, and what follows the date.
#[inline]
fn date(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let year = i64::from(two(bytes, 0)?) * 100 + i64::from(two(bytes, 2)?);
    if year == 0 {
        return None;
    }
    if bytes.len() == 4 {
        return Some((days_from_civil(year, 1, 1), &[]));
    }
    let month = two(bytes, 5)?;
    if bytes[4] != b'-' || !(1..=12).contains(&month) {
        return None;
    }
    if bytes.len() == 7 {
        return Some((days_from_civil(year, month, 1), &[]));
    }
    let day = two(bytes, 8)?;
    if bytes[7] != b'-' || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    Some((days_from_civil(year, month, day), &bytes[10..]))
}

/// Seconds of the day, microseconds, and the zone's text, from `Thh:mm[:ss[.f+]][zone]`.
#[inline]
fn time(bytes: &[u8]) -> Option<(i64, i64, &[u8])> {
    if bytes.first() != Some(&b'T') || bytes.get(3) != Some(&b':') {
        return None;
    }
    let (hour, minute) = (two(bytes, 1)?, two(bytes, 4)?);
    if hour > 23 || minute > 59 {
        return None;
    }
    let mut seconds = i64::from(hour) * 3_600 + i64::from(minute) * 60;
    let mut micros = 0;
    let mut at = 6;
    if bytes.get(at) == Some(&b':') {
        let second = two(bytes, at + 1)?;
        if second > 59 {
            return None;
        }
        seconds += i64::from(second);
        at += 3;
        if bytes.get(at) == Some(&b'.') {
            let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return None;
            }
            let fraction = &bytes[at + 1..at + 1 + digits];
            for place in 0..6 {
                micros = micros * 10 + i64::from(fraction.get(place).map_or(0, |digit| digit - b'0'));
            }
            at += 1 + digits;
        }
    }
    Some((seconds, micros, &bytes[at..]))
}

/// `±hh:mm` as seconds east of UTC.
#[inline]
pub fn offset_seconds(zone: &[u8]) -> Option<i64> {
    if zone.len() != 6 || zone[3] != b':' {
        return None;
    }
    let (hours, minutes) = (two(zone, 1)?, two(zone, 4)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = i64::from(hours) * 3_600 + i64::from(minutes) * 60;
    match zone[0] {
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

/// The number that two digits at `at` write.
#[inline(always)]
fn two(bytes: &[u8], at: usize) -> Option<u32> {
    match bytes.get(at..at + 2)? {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')),
        _ => None,
    }
}

pub const fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that the leap day is last.
#[inline(always)]
pub const fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years are never negative here, so that plain division of small unsigned numbers will do.
    let year = if month <= 2 { year as u32 - 1 } else { year as u32 };
    let month_from_march = if month <= 2 { month + 9 } else { month - 3 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year;
    days as i64 - 719_468
}

/// Writes an instant in UTC: to the second, with six more digits when it has a fraction.
pub fn format(micros: i64, out: &mut String) {
    use std::fmt::Write as _;
    let (seconds, fraction) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (days, second) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    format_date(days, out);
    out.push('T');
    push_two(second / 3_600, out);
    out.push(':');
    push_two(second / 60 % 60, out);
    out.push(':');
    push_two(second % 60, out);
    if fraction != 0 {
        // Writing to a String cannot fail.
        let _ = write!(out, ".{fraction:06}");
    }
    out.push('Z');
}

/// Writes a day, given as days since the epoch, as `YYYY-MM-DD`.
pub fn format_date(days: i64, out: &mut String) {
    use std::fmt::Write as _;
    let (year, month, day) = civil_from_days(days);
    if (0..=9999).contains(&year) {
        push_two(year / 100, out);
        push_two(year % 100, out);
    } else {
        let _ = write!(out, "{year:04}");
    }
    out.push('-');
    push_two(month, out);
    out.push('-');
    push_two(day, out);
}

/// Appends a number below 100 as two digits: the machinery of formats takes many times as long.
#[inline(always)]
fn push_two(number: i64, out: &mut String) {
    let number = number as u8;
    out.push(char::from(b'0' + number / 10 % 10));
    out.push(char::from(b'0' + number % 10));
}

/// Whether an instant is one that a lastmod can be of.
#[inline]
pub fn is_instant(micros: i64) -> bool {
    (FIRST_SECOND..END_SECOND).contains(&micros.div_euclid(1_000_000))
}

/// Year, month and day of a count of days since the epoch.
pub const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    #[test]
    fn the_six_forms() {
        assert_eq!(parse("1970"), Ok(0));
        assert_eq!(parse("1970-02"), Ok(31 * DAY_SECONDS * SECOND));
        assert_eq!(parse("1970-01-02"), Ok(DAY_SECONDS * SECOND));
        assert_eq!(parse("1970-01-01T00:01Z"), Ok(60 * SECOND));
        assert_eq!(parse("1970-01-01T00:00:01Z"), Ok(SECOND));
        assert_eq!(parse("1970-01-01T00:00:00.5Z"), Ok(SECOND / 2));
        assert_eq!(parse("1970-01-01T02:00:00+02:00"), Ok(0));
        assert_eq!(parse("1969-12-31T19:00-05:00"), Ok(0));
        assert_eq!(parse("1970-01-01T00:00:00.1234569Z"), Ok(123_456));
    }

    #[test]
    fn a_time_without_a_zone_is_told_apart() {
        for text in ["2005-01-01T10:00:00", "2005-01-01T10:00", "2005-01-01T10:00:00.25"] {
            assert_eq!(parse(text), Err(Problem::MissingZone), "{text}");
        }
    }

    #[test]
    fn everything_else_is_invalid() {
        let wrong = [
            "",
            "2",
            "200",
            "20050",
            "2005-",
            "2005-1",
            "2005-1-1",
            "20050101",
            "2005-W01",
            "2005-001",
            "01/01/2005",
            "2005-01-01T",
            "2005-01-01T10",
            "2005-01-01T10:00:00+0200",
            "2005-01-01T10:00:00+02",
            "2005-01-01Z",
            "2005-01-01+02:00",
            "2005-01-01t10:00:00Z",
            "2005-01-01T10:00:00z",
            "2005-01-01 10:00:00Z",
            "2005-01-01T24:00:00Z",
            "2005-01-01T10:60:00Z",
            "2005-01-01T10:00:60Z",
            "2005-02-30",
            "2005-13-01",
            "2005-00-01",
            "2005-01-00",
            "0000-01-01",
            "-0044-03-15",
            "12005-01-01",
            "2005-01-01T10:00:00.Z",
            "2005-01-01T10:00:00,5Z",
            "2005-01-01T10:00:00+24:00",
            "2005-01-01T10:00:00+01:60",
            "2005T10:00Z",
            "2005-01T10:00Z",
            "2001-02-29",
            "1900-02-29",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "2005-01-01T10:00:00Z ",
            "２００５-01-01",
        ];
        for text in wrong {
            assert!(parse(text).is_err_and(|problem| problem != Problem::MissingZone), "{text:?}");
        }
        assert!(parse("2000-02-29").is_ok() && parse("2004-02-29").is_ok());
    }

    #[test]
    fn written_instants_read_back() {
        for days in (-719_162..2_932_896).step_by(97) {
            for micros in [0, 1, 43_200_000_000, 86_399_999_999] {
                let instant = days * DAY_SECONDS * SECOND + micros;
                let mut text = String::new();
                format(instant, &mut text);
                assert_eq!(parse(&text), Ok(instant), "{text}");
            }
            let mut text = String::new();
            format_date(days, &mut text);
            assert_eq!(parse(&text), Ok(days * DAY_SECONDS * SECOND), "{text}");
        }
    }
}
