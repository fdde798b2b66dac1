//! The grammar of the W3C profile of ISO 8601 (W3C NOTE-datetime), and how instants and days are written in it.
//!
//! The profile has exactly six forms: year; year-month; year-month-day; and that day with `T`, hours and minutes,
//! optionally seconds, optionally a fraction of one or more digits. A zone, `Z` or `±hh:mm`, is required with a time and
//! refused without one. `T` and `Z` are upper case.

use super::calendar::{DAY_MICROS, DAY_SECONDS, civil_from_days, days_from_civil, days_in_month, is_second};

/// Return the instant where `text` begins, in microseconds since the epoch; None if it has none of the six forms.
#[inline(always)]
pub fn instant(text: impl AsRef<[u8]>) -> Option<i64> {
    let bytes = text.as_ref();
    common(bytes).or_else(|| any(bytes))
}

/// Any of the six forms.
#[inline(never)]
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
    is_second(instant).then(|| instant * 1_000_000 + micros)
}

/// The years whose months are known by heart.
const FIRST_YEAR: u32 = 1970;
const LAST_YEAR: u32 = 2099;

/// The days since the epoch on which these months begin, and one more.
static MONTHS: [u32; (LAST_YEAR - FIRST_YEAR + 1) as usize * 12 + 1] = {
    let mut months = [0; (LAST_YEAR - FIRST_YEAR + 1) as usize * 12 + 1];
    let mut month = 0;
    while month < months.len() {
        let year = FIRST_YEAR as i64 + month as i64 / 12;
        months[month] = days_from_civil(year, month as u32 % 12 + 1, 1) as u32;
        month += 1;
    }
    months
};

/// The forms of most sitemaps: `YYYY-MM-DD`, also with `Thh:mm:ss` and `Z` or `±hh:mm`. Eight characters are compared in
/// one word. `None` leaves the decision to the grammar below.
#[inline(always)]
pub fn common(bytes: &[u8]) -> Option<i64> {
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
    // Other years, and days that do not exist, are left to the grammar.
    if month.wrapping_sub(1) >= 12 {
        return None;
    }
    let number = year.wrapping_sub(FIRST_YEAR).wrapping_mul(12).wrapping_add(month - 1) as usize;
    let [first, next] = *MONTHS.get(number..)?.first_chunk::<2>()?;
    let day = u32::from(day);
    (1..=next - first).contains(&day).then(|| (i64::from(first + day - 1) * DAY_SECONDS + seconds) * 1_000_000)
}

/// Seconds since midnight in UTC, from the hour, the minute, and `:ssZ` or `:ss±hh:mm`.
#[inline(always)]
fn seconds_of_day(hour: u8, minute: u8, rest: &[u8]) -> Option<i64> {
    let (second, hours, minutes, east) = match rest.len() {
        4 => (pairs(*rest.first_chunk::<4>()?, *b":00Z")?[1], 0, 0, 1),
        9 if rest[0] == b':' => {
            let zone = *rest.last_chunk::<8>()?;
            // Which of the two signs it is decides nothing that the processor would have to guess: either becomes a plus.
            let sign = zone[2];
            if sign.wrapping_sub(b'+') & !2 != 0 {
                return None;
            }
            let zone = (u64::from_le_bytes(zone) ^ (u64::from(sign ^ b'+') << 16)).to_le_bytes();
            let zone = pairs(zone, *b"00+00:00")?;
            (zone[0], zone[3], zone[6], i64::from(b',') - i64::from(sign))
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

/// Return, for each position, the number that the digit there and the one after it write, if the text has digits wherever
/// the form has `0`, and the form's own characters elsewhere. At most eight characters at once.
#[inline(always)]
pub(super) fn pairs<const N: usize>(text: [u8; N], form: [u8; N]) -> Option<[u8; 8]> {
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    let word = |bytes: [u8; N]| {
        let mut word = [0; 8];
        word[..N].copy_from_slice(&bytes);
        u64::from_le_bytes(word)
    };
    // Adding this reaches the highest bit for anything but a digit, or the form's own character.
    let room = word(form.map(|character| if character == b'0' { 0x7f - 9 } else { 0x7f }));
    let digits = word(text) ^ word(form);
    if (digits | digits.wrapping_add(room)) & HIGHS != 0 {
        return None;
    }
    Some((digits.wrapping_mul(10) + (digits >> 8)).to_le_bytes())
}

/// Return the days since the epoch, and what follows the date.
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

/// Return the seconds of the day, the microseconds and the text of the zone, from `Thh:mm[:ss[.f+]][zone]`.
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
            for index in 0..6 {
                micros = micros * 10 + i64::from(fraction.get(index).map_or(0, |digit| digit - b'0'));
            }
            at += 1 + digits;
        }
    }
    Some((seconds, micros, &bytes[at..]))
}

/// Return `±hh:mm` as seconds east of UTC.
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

/// Return the number that two digits at `at` write.
#[inline(always)]
fn two(bytes: &[u8], at: usize) -> Option<u32> {
    match bytes.get(at..at + 2)? {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')),
        _ => None,
    }
}

/// Writes an instant in UTC: to the second, with six more digits when it has a fraction.
pub fn format(micros: i64, out: &mut String) {
    use std::fmt::Write as _;
    if let Some(text) = seconds(micros) {
        return out.extend(text.map(char::from));
    }
    let (days, micros) = (micros.div_euclid(DAY_MICROS), micros.rem_euclid(DAY_MICROS));
    format_date(days, out);
    let (second, fraction) = (micros / 1_000_000, micros % 1_000_000);
    // Writing to a String cannot fail.
    let _ = write!(out, "T{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
    if fraction != 0 {
        let _ = write!(out, ".{fraction:06}");
    }
    out.push('Z');
}

/// Writes a day, given as days since the epoch, as `YYYY-MM-DD`.
pub fn format_date(days: i64, out: &mut String) {
    use std::fmt::Write as _;
    if let Some(text) = i32::try_from(days).ok().and_then(day) {
        return out.extend(text.map(char::from));
    }
    let (year, month, day) = civil_from_days(days);
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
}

/// Return an instant as `YYYY-MM-DDThh:mm:ssZ`; None if it has a fraction, or is not in a year that is known by heart.
#[inline(always)]
pub fn seconds(micros: i64) -> Option<[u8; 20]> {
    let micros = u64::try_from(micros).ok()?;
    let (second, fraction) = (micros / 1_000_000, micros % 1_000_000);
    if fraction != 0 {
        return None;
    }
    let (days, second) = (second / DAY_SECONDS as u64, (second % DAY_SECONDS as u64) as u32);
    let mut text = *b"0000-00-00T00:00:00Z";
    *text.first_chunk_mut()? = day(i32::try_from(days).ok()?)?;
    put_two(&mut text, 11, second / 3_600);
    put_two(&mut text, 14, second / 60 % 60);
    put_two(&mut text, 17, second % 60);
    Some(text)
}

/// Return a day, given as days since the epoch, as `YYYY-MM-DD`; None if it is not in a year that is known by heart.
#[inline(always)]
pub fn day(days: i32) -> Option<[u8; 10]> {
    // From 1968-03-01 until 2100-02-28 each fourth year has a leap day, as its last one if years begin in March.
    let days = u32::try_from(days).ok().filter(|days| *days < MONTHS[MONTHS.len() - 1])? + 671;
    let year = (4 * days + 3) / 1_461;
    let day_of_year = days - 1_461 * year / 4;
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let (year, month) = match month_from_march {
        ..10 => (1_968 + year, month_from_march + 3),
        _ => (1_969 + year, month_from_march - 9),
    };
    let mut text = *b"0000-00-00";
    put_two(&mut text, 0, year / 100);
    put_two(&mut text, 2, year % 100);
    put_two(&mut text, 5, month);
    put_two(&mut text, 8, day);
    Some(text)
}

/// Writes a number below 100 as two digits.
#[inline(always)]
fn put_two<const N: usize>(text: &mut [u8; N], at: usize, number: u32) {
    text[at] = b'0' + (number / 10) as u8;
    text[at + 1] = b'0' + (number % 10) as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_instants_read_back() {
        for days in (-719_162..2_932_896).step_by(97).chain(-400..50_000) {
            for micros in [0, 1, 43_200_000_000, 86_399_999_999] {
                let expected = days * DAY_MICROS + micros;
                let mut text = String::new();
                format(expected, &mut text);
                assert_eq!(instant(&text), Some(expected), "{text}");
            }
            let mut text = String::new();
            format_date(days, &mut text);
            assert_eq!(instant(&text), Some(days * DAY_MICROS), "{text}");
        }
    }

    /// The form of most sitemaps is decided as the grammar decides it, or is left to it.
    fn check(text: &[u8]) {
        let (common, any) = (common(text), any(text));
        assert!(common.is_none() || common == any, "{:?}: {common:?}, {any:?}", String::from_utf8_lossy(text));
    }

    #[test]
    fn the_common_forms_are_what_the_grammar_says() {
        let texts = ["2024-02-29", "2024-02-28T10:20:30Z", "1999-12-31T23:59:59+05:30", "2099-12-31T00:00:00-09:00"];
        for text in texts {
            assert_eq!((common(text.as_bytes()), common(text.as_bytes()).is_some()), (any(text.as_bytes()), true));
            for at in 0..text.len() {
                for byte in 0..=255 {
                    let mut changed = text.as_bytes().to_vec();
                    changed[at] = byte;
                    check(&changed);
                    check(&changed[at..]);
                }
                check(&text.as_bytes()[..at]);
            }
        }
        for (year, month, day) in (1967..2103).flat_map(|y| (0..14).flat_map(move |m| (0..33).map(move |d| (y, m, d))))
        {
            let text = format!("{year}-{month:02}-{day:02}");
            check(text.as_bytes());
            assert_eq!(instant(&text), any(text.as_bytes()), "{text}");
        }
    }
}
