//! `<lastmod>`: the W3C profile of ISO 8601, which sitemaps.org names.
//!
//! DIFFERENCE: the profile has no bound on the year; we take 0001 to 9999, before and after conversion to UTC, because
//! those are the instants that Python's datetime can hold.

use super::calendar::DAY_MICROS;
use super::loose_date;
use super::w3c_date;

pub use super::loose_date::LastmodError;

/// Return the instant where `text` begins, in microseconds since 1970-01-01T00:00:00Z: a bare date is its midnight in UTC.
/// A fraction is truncated, not rounded, after six digits.
#[inline]
pub fn parse(text: &str) -> Result<i64, LastmodError<'_>> {
    w3c_date::instant(text).ok_or_else(|| loose_date::error(text))
}

/// Parse a text as we check and write it: an offset that exists nowhere is a problem.
///
/// DIFFERENCE from the profile, which has no bound on an offset: XML Schema has one of 14 hours (part 2, dateTime), which
/// is also the largest of any place. Readers take the instant that is named.
#[inline]
pub fn check(text: &str) -> Result<i64, LastmodError<'_>> {
    let instant = parse(text)?;
    if is_somewhere(text) { Ok(instant) } else { Err(LastmodError::Offset(text)) }
}

/// Whether some place has the offset of a valid lastmod, or the lastmod has no offset.
#[inline(always)]
pub fn is_somewhere(text: impl AsRef<[u8]>) -> bool {
    let text = text.as_ref();
    match text.last_chunk::<6>() {
        Some([b'+' | b'-', tens, ones, b':', minutes @ ..]) if text.len() > 10 => {
            [*tens, *ones, minutes[0], minutes[1]] <= *b"1400"
        }
        _ => true,
    }
}

/// The last microsecond of what a valid lastmod that begins at an instant names: of a year, a month or a day, or else the
/// instant itself.
pub fn last(text: &str, start: i64) -> i64 {
    let next = match text.as_bytes() {
        [_, _, _, _] => text.parse().ok().map(|year: u16| format!("{:04}", year + 1)),
        [_, _, _, _, b'-', b'1', b'2'] => text[..4].parse().ok().map(|year: u16| format!("{:04}", year + 1)),
        [_, _, _, _, b'-', _, _] => text[5..].parse().ok().map(|month: u8| format!("{}{:02}", &text[..5], month + 1)),
        [_, _, _, _, b'-', _, _, b'-', _, _] => return start + DAY_MICROS - 1,
        _ => return start,
    };
    // The year after 9999 is not valid, and nothing is later.
    next.map_or(start, |next| parse(&next).map_or(i64::MAX, |end| end - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::calendar::DAY_SECONDS;

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
    fn what_a_lastmod_names_has_an_end() {
        for (text, after) in [
            ("2025", "2026"),
            ("2026-02", "2026-03"),
            ("2026-12", "2027"),
            ("2026-12-31", "2027-01-01"),
            ("2024-02-28", "2024-02-29"),
        ] {
            assert_eq!(last(text, parse(text).unwrap()), parse(after).unwrap() - 1, "{text}");
        }
        let instant = "2026-11-20T10:00Z";
        assert_eq!(last(instant, parse(instant).unwrap()), parse(instant).unwrap());
        assert_eq!(last("9999", parse("9999").unwrap()), i64::MAX);
    }

    #[test]
    fn a_time_without_a_zone_has_its_own_error() {
        for text in ["2005-01-01T10:00:00", "2005-01-01T10:00", "2005-01-01T10:00:00.25"] {
            assert_eq!(parse(text), Err(LastmodError::MissingZone(text)), "{text}");
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
            assert!(parse(text).is_err_and(|error| error != LastmodError::MissingZone(text)), "{text:?}");
        }
        assert!(parse("2000-02-29").is_ok() && parse("2004-02-29").is_ok());
    }
}
