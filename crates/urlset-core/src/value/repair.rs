//! Repairing a date: the W3C date that a text can only mean.

use super::feed_date::{self, Form};
use super::lastmod;
use super::loose_date::{LastmodError, Time, month, parts};
use super::w3c_date;
use super::zone::Zone;

/// Return the W3C date that a text can only mean, if there is one. A time without a zone gets `zone`, if that is known.
pub fn repaired(text: &str, zone: Option<&Zone>) -> Option<String> {
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
                match stated_zone(time.zone)? {
                    Some(stated) => fixed += &stated,
                    None => fixed += zone.and_then(|zone| offset_of(&fixed, zone)).unwrap_or_default(),
                }
            }
            fixed
        }
        None => month(text).map(|(year, month, _)| format!("{year:04}-{month:02}")).or_else(|| of_feed(text))?,
    };
    // If the zone is unknown, everything else is still repaired.
    let is_better = matches!(lastmod::check(&fixed), Ok(_) | Err(LastmodError::MissingZone(_)));
    (is_better && fixed != text).then_some(fixed)
}

/// Return the instant of a lastmod. An offset without its colon or minutes can only mean one.
pub fn instant(text: &str) -> Option<i64> {
    match lastmod::parse(text) {
        Ok(instant) => Some(instant),
        Err(LastmodError::Offset(_)) => repaired(text, None).and_then(w3c_date::instant),
        Err(_) => None,
    }
}

/// Return a date of RFC 822 in UTC. What its day of the week contradicts, and what a year of two digits means, is for a
/// person to decide.
fn of_feed(text: &str) -> Option<String> {
    let date = feed_date::parse(text).filter(|date| matches!(date.form, Form::Exact | Form::Loose))?;
    let mut fixed = String::new();
    w3c_date::format(date.micros, &mut fixed);
    Some(fixed)
}

/// Return the offset at a time that states none.
fn offset_of<'z>(time: &str, zone: &'z Zone) -> Option<&'z str> {
    zone.offset_at(w3c_date::instant(format!("{time}Z"))?)
}

/// Return the zone as it should be written, `Some(None)` if the text has none, and `None` if it is invalid.
fn stated_zone(text: &str) -> Option<Option<String>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_and_what_is_meant() {
        use LastmodError::*;
        type Case = (&'static str, fn(&'static str) -> LastmodError<'static>, Option<&'static str>);
        let cases: &[Case] = &[
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
            ("Sun, 31 Jan 2026 08:00:00 +0100", Invalid, None),
            ("Sam, 31 Jan 2026 08:00:00 +0100", Invalid, None),
            ("31 Jan 26 08:00 GMT", Invalid, None),
            ("31 January 2026 08:00 GMT", Invalid, Some("2026-01-31T08:00:00Z")),
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
        ];
        for (text, wrong, fixed) in cases {
            assert_eq!(lastmod::check(text).err(), Some(wrong(text)), "{text}");
            assert_eq!(repaired(text, None).as_deref(), *fixed, "{text}");
        }
    }

    #[test]
    fn a_known_zone_is_put_where_there_is_none() {
        let (east, utc) = (Zone::fixed("+01:00"), Zone::fixed("Z"));
        let summer = 1_774_749_600 + 2 * 3_600; // by the clock of Berlin
        let berlin = Zone::new(vec![(0, "+01:00".into()), (summer, "+02:00".into())]);
        let fixed = |text, zone| repaired(text, Some(zone));
        assert_eq!(fixed("2026-01-31T10:00:00", &east).as_deref(), Some("2026-01-31T10:00:00+01:00"));
        assert_eq!(fixed("2026-01-31 10:00:00.25", &utc).as_deref(), Some("2026-01-31T10:00:00.25Z"));
        assert_eq!(fixed("2026-01-31T10:00:00+0200", &utc).as_deref(), Some("2026-01-31T10:00:00+02:00"));
        assert_eq!(fixed("2026-01-31 10:00", &berlin).as_deref(), Some("2026-01-31T10:00+01:00"));
        assert_eq!(fixed("2026-07-31 10:00", &berlin).as_deref(), Some("2026-07-31T10:00+02:00"));
        assert_eq!(fixed("1969-07-20T20:17:40", &berlin), None);
        assert_eq!(fixed("2026-02-30 10:00", &berlin), None);
    }
}
