//! The values of a row that a publish can take although the protocol does not: times as databases print them, and invalid
//! values that cost the page nothing but themselves.

use std::borrow::Cow;

use crate::diagnostic::{catalogue, wording};
use crate::value::lastmod::{self, LastmodError};
use crate::value::{changefreq, repair};
use crate::write::error::Refusal;
use crate::write::fields::{lastmod_text, local, priority_element};
use crate::write::judged;
use crate::write::row::{Lastmod, Row};

/// How values are taken.
#[derive(Debug, Clone)]
pub struct ValuePolicy {
    /// `Z` or an offset: the zone of times that state none.
    pub zone: Option<String>,
    /// What is invalid is left out, and what is worth nothing without it. Otherwise its row is refused.
    pub drops_invalid: bool,
    /// Microseconds since the epoch; nothing here reads a clock.
    pub now: i64,
}

impl Default for ValuePolicy {
    fn default() -> ValuePolicy {
        ValuePolicy { zone: None, drops_invalid: false, now: i64::MAX }
    }
}

impl ValuePolicy {
    /// Append a lastmod as it is written; nothing if there is none, or if it is left out.
    pub fn lastmod(
        &self,
        value: Option<Lastmod<'_>>,
        out: &mut String,
        dropped: &mut Vec<Refusal>,
    ) -> Result<(), Refusal> {
        let Err(refusal) = lastmod_text(value, out) else { return Ok(()) };
        out.clear();
        let problem = match value {
            Some(Lastmod::Local(micros)) if self.zone.is_some() => {
                local(micros, self.zone.as_deref().unwrap_or_default(), out);
                if lastmod::check(out).is_ok() {
                    return Ok(());
                }
                refusal
            }
            Some(Lastmod::Text(text)) => match self.usual_time(text) {
                Some(usual) if lastmod_text(Some(Lastmod::Text(&usual)), out).is_ok() => return Ok(()),
                Some(_) => without_zone(text),
                None => with_hint(refusal, text),
            },
            _ => refusal,
        };
        out.clear();
        if !self.drops_invalid {
            return Err(problem);
        }
        dropped.push(problem);
        Ok(())
    }

    /// Return a time as the W3C profile writes it, if the text is one as databases print it: with a blank for the T, with an
    /// offset of hours alone, or without one. It still has no zone if none is known.
    fn usual_time(&self, text: &str) -> Option<String> {
        let bytes = text.trim().as_bytes();
        let is_time = bytes.len() > 10 && bytes[4] == b'-' && bytes[7] == b'-' && matches!(bytes[10], b'T' | b' ');
        if !is_time {
            return None;
        }
        match lastmod::check(text) {
            Err(LastmodError::MissingZone(_)) if self.zone.is_none() => Some(text.to_owned()),
            _ => repair::repaired(text, self.zone.as_deref()),
        }
    }

    /// Return the row without what is invalid apart from its lastmod, and what is wrong with that. `loc` is its loc as it is
    /// written.
    pub fn without_invalid<'r>(&self, row: &'r Row<'r>, loc: &str) -> (Cow<'r, Row<'r>>, Vec<Refusal>) {
        let mut dropped = Vec::new();
        if !self.drops_invalid {
            return (Cow::Borrowed(row), dropped);
        }
        let mut row = judged::without_errors(row, loc, self.now, &mut dropped);
        if let Err(refusal) = priority_element(row.priority, &mut String::new()) {
            dropped.push(refusal);
            row.to_mut().priority = None;
        }
        if let Some(word) = row.changefreq.filter(|word| !word.is_empty() && changefreq::parse(word).is_none()) {
            let (rule, message) = wording::changefreq_error(word);
            dropped.push(Refusal::of_column("changefreq", rule, message, None));
            row.to_mut().changefreq = None;
        }
        (row, dropped)
    }
}

/// Refuse a time whose zone nobody knows.
fn without_zone(text: &str) -> Refusal {
    let message =
        format!("lastmod: {text:?} has no zone: write its offset, or name the zone of all such times with zone");
    Refusal::new(&catalogue::MOD002, message)
}

/// Say what a number most likely is.
fn with_hint(refusal: Refusal, text: &str) -> Refusal {
    let is_number = matches!(text.len(), 10 | 13) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return refusal;
    }
    let unit = if text.len() == 10 { "seconds" } else { "milliseconds" };
    let hint = format!("it looks like Unix {unit}: convert it, in SQL as to_timestamp({text}) does");
    Refusal::with_help(refusal.rule, refusal.message, Some(hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::row::Priority;

    fn taken(values: &ValuePolicy, value: Lastmod<'_>) -> Result<String, &'static str> {
        let mut out = String::new();
        values.lastmod(Some(value), &mut out, &mut Vec::new()).map_err(|refusal| refusal.rule.code)?;
        Ok(out)
    }

    #[test]
    fn times_as_databases_print_them() {
        let (none, zoned) =
            (ValuePolicy::default(), ValuePolicy { zone: Some("+01:00".into()), ..ValuePolicy::default() });
        for (text, without, with) in [
            ("2026-03-28", Ok("2026-03-28"), "2026-03-28"),
            ("2026-03-28T10:00:00Z", Ok("2026-03-28T10:00:00Z"), "2026-03-28T10:00:00Z"),
            ("2026-03-28 10:00:00", Err("MOD002"), "2026-03-28T10:00:00+01:00"),
            ("2026-03-28 10:00:00.123456", Err("MOD002"), "2026-03-28T10:00:00.123456+01:00"),
            ("2026-03-28T10:00", Err("MOD002"), "2026-03-28T10:00+01:00"),
            ("2026-03-28 10:00:00Z", Ok("2026-03-28T10:00:00Z"), "2026-03-28T10:00:00Z"),
            ("2026-03-28 10:00:00+00", Ok("2026-03-28T10:00:00+00:00"), "2026-03-28T10:00:00+00:00"),
            ("2026-03-28 10:00:00 UTC", Ok("2026-03-28T10:00:00Z"), "2026-03-28T10:00:00Z"),
        ] {
            assert_eq!(taken(&none, Lastmod::Text(text)).as_deref(), without.as_ref().map(|text| *text), "{text}");
            assert_eq!(taken(&zoned, Lastmod::Text(text)).as_deref(), Ok(with), "{text}");
        }
        for text in ["28.03.2026", "2026/03/28", "2026-02-30 10:00:00", "1774692000", "today", "2026-1-3 9:00"] {
            assert!(taken(&zoned, Lastmod::Text(text)).is_err(), "{text}");
        }
        assert_eq!(taken(&none, Lastmod::Local(0)), Err("MOD002"));
        assert_eq!(taken(&zoned, Lastmod::Local(0)).as_deref(), Ok("1970-01-01T00:00:00+01:00"));
        assert_eq!(taken(&zoned, Lastmod::Local(i64::MAX)), Err("MOD001"));
    }

    #[test]
    fn a_number_is_explained() {
        let refused =
            ValuePolicy::default().lastmod(Some(Lastmod::Text("1774692000")), &mut String::new(), &mut Vec::new());
        assert!(refused.unwrap_err().message.contains("Unix seconds"));
    }

    #[test]
    fn what_is_invalid_is_left_out_if_that_is_asked_for() {
        let row = Row {
            loc: "https://a.example/",
            lastmod: Some(Lastmod::Text("soon")),
            priority: Some(Priority::Number(f64::INFINITY)),
            changefreq: Some("often"),
            ..Row::default()
        };
        let lenient = ValuePolicy { drops_invalid: true, ..ValuePolicy::default() };
        let (kept, mut dropped) = lenient.without_invalid(&row, row.loc);
        assert_eq!((kept.priority, kept.changefreq), (None, None));
        let mut out = String::new();
        lenient.lastmod(row.lastmod, &mut out, &mut dropped).unwrap();
        let codes: Vec<_> = dropped.iter().map(|refusal| refusal.rule.code).collect();
        assert_eq!((out.as_str(), codes), ("", vec!["PRI002", "FRQ001", "MOD001"]));
        let (kept, dropped) = ValuePolicy::default().without_invalid(&row, row.loc);
        assert_eq!((kept.changefreq, dropped), (Some("often"), Vec::new()));
    }
}
