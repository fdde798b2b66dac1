//! What is done about the invalid values of a row: the row is refused, or the value is left out, or it is repaired.

use std::borrow::Cow;

use super::error::Refusal;
use super::fields::{lastmod_text, local, priority_element};
use super::judged::{self, Repair};
use super::row::{Lastmod, Priority, Row};
use crate::diagnostic::{Safety, catalogue, wording};
use crate::judge::instead;
use crate::value::lastmod::{self, LastmodError};
use crate::value::loc;
use crate::value::zone::Zone;
use crate::value::{changefreq, repair};
use crate::xml::strip_range;

/// What is done about an invalid value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBadValue {
    /// Its row is refused.
    #[default]
    Refuse,
    /// It is left out, with what is worth nothing without it.
    Drop,
    /// What its safe fix makes of it is written, as `lint` fixes documents. Without one, its row is refused.
    Fix,
}

/// How values are taken.
#[derive(Debug, Clone)]
pub struct ValuePolicy {
    pub on_bad_value: OnBadValue,
    /// Of times that state none.
    pub zone: Option<Zone>,
    /// Times as databases print them are taken for what they mean, and are not invalid.
    pub takes_printed_times: bool,
    /// Microseconds since the epoch; nothing here reads a clock.
    pub now: i64,
}

impl Default for ValuePolicy {
    fn default() -> ValuePolicy {
        ValuePolicy { on_bad_value: OnBadValue::Refuse, zone: None, takes_printed_times: false, now: i64::MAX }
    }
}

impl ValuePolicy {
    /// Return a loc without what makes it invalid, if that has a safe fix.
    pub fn loc<'r>(&self, given: &'r str, corrected: &mut Vec<Refusal>) -> Cow<'r, str> {
        let Err(error) = loc::check(given) else { return Cow::Borrowed(given) };
        if self.on_bad_value != OnBadValue::Fix {
            return Cow::Borrowed(given);
        }
        let bare = instead::without_blanks(given);
        let encoded = loc::check(bare).err().and_then(|error| safe(instead::loc(bare, error)));
        let (rule, message) = match error {
            _ if bare.len() < given.len() => (&catalogue::LOC008, "blanks around the loc".to_owned()),
            error => (wording::loc_error(error).0, error.to_string()),
        };
        let fixed = encoded.map_or(Cow::Borrowed(bare), Cow::Owned);
        if fixed.len() != given.len() {
            corrected.push(Refusal::new(rule, message).written_as(&fixed));
        }
        fixed
    }

    /// Append a lastmod as it is written; nothing if there is none, or if it is left out.
    pub fn lastmod(
        &self,
        value: Option<Lastmod<'_>>,
        out: &mut String,
        corrected: &mut Vec<Refusal>,
    ) -> Result<(), Refusal> {
        let Err(refusal) = lastmod_text(value, out) else { return Ok(()) };
        out.clear();
        let problem = match value {
            Some(Lastmod::Local(micros)) => {
                let offset = self.zone.as_ref().and_then(|zone| zone.offset_at(micros));
                local(micros, offset.unwrap_or_default(), out);
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
        match (self.on_bad_value, value) {
            (OnBadValue::Drop, _) => corrected.push(problem),
            (OnBadValue::Fix, Some(Lastmod::Text(text))) => {
                let fixed = self.fixed_time(text).filter(|fixed| lastmod_text(Some(Lastmod::Text(fixed)), out).is_ok());
                let Some(fixed) = fixed else { return Err(problem) };
                corrected.push(problem.written_as(&fixed));
            }
            _ => return Err(problem),
        }
        Ok(())
    }

    /// Return the date that an invalid text can only mean.
    fn fixed_time(&self, text: &str) -> Option<String> {
        let bare = &text[strip_range(text)];
        match lastmod::check(bare) {
            Ok(_) => Some(bare.to_owned()),
            Err(_) => safe(instead::lastmod(bare, self.zone.as_ref())),
        }
    }

    /// Return a time as the W3C profile writes it, if the text is one as databases print it: with a blank for the T, with an
    /// offset of hours alone, or without one. It still has no zone if none is known.
    fn usual_time(&self, text: &str) -> Option<String> {
        let bytes = text.trim().as_bytes();
        let is_time = self.takes_printed_times
            && bytes.len() > 10
            && bytes[4] == b'-'
            && bytes[7] == b'-'
            && matches!(bytes[10], b'T' | b' ');
        if !is_time {
            return None;
        }
        match lastmod::check(text) {
            Err(LastmodError::MissingZone(_)) if self.zone.is_none() => Some(text.to_owned()),
            _ => repair::repaired(text, self.zone.as_ref()),
        }
    }

    /// Return what is written in place of invalid values, apart from the loc and the lastmod. `loc` is the loc as it is
    /// written.
    pub fn repairs(&self, row: &Row<'_>, loc: &str) -> Vec<Repair> {
        if self.on_bad_value != OnBadValue::Fix {
            return Vec::new();
        }
        let mut repairs = judged::repairs(row, loc, self.now, self.zone.as_ref());
        if let (Some(Priority::Text(text)), Some(refusal)) = (row.priority, bad_priority(row)) {
            let bare = &text[strip_range(text)];
            let is_fine = bad_priority(&Row { priority: Some(Priority::Text(bare)), ..Row::default() }).is_none();
            let fixed = if is_fine && !bare.is_empty() { Some(bare.to_owned()) } else { safe(instead::priority(bare)) };
            repairs.extend(fixed.map(|fixed| Repair::of_priority(fixed, refusal)));
        }
        if let (Some(text), Some(refusal)) = (row.changefreq, bad_changefreq(row)) {
            let fixed = safe(instead::changefreq(text));
            repairs.extend(fixed.map(|fixed| Repair::of_changefreq(fixed, refusal)));
        }
        repairs
    }

    /// Return the row with what was repaired, or without what is invalid, apart from its loc and its lastmod; and add what
    /// is wrong with that to `corrected`.
    pub fn corrected<'r>(
        &self,
        row: &'r Row<'r>,
        loc: &str,
        repairs: &'r [Repair],
        corrected: &mut Vec<Refusal>,
    ) -> Cow<'r, Row<'r>> {
        if self.on_bad_value != OnBadValue::Drop {
            let mut row = Cow::Borrowed(row);
            for repair in repairs {
                repair.apply(row.to_mut());
                corrected.push(repair.refusal.clone());
            }
            return row;
        }
        let mut row = judged::without_errors(row, loc, self.now, corrected);
        if let Some(refusal) = bad_priority(&row) {
            corrected.push(refusal);
            row.to_mut().priority = None;
        }
        if let Some(refusal) = bad_changefreq(&row) {
            corrected.push(refusal);
            row.to_mut().changefreq = None;
        }
        row
    }
}

fn safe(instead: Option<instead::Instead>) -> Option<String> {
    instead.and_then(|(safety, text)| (safety == Safety::Safe).then_some(text))
}

fn bad_priority(row: &Row<'_>) -> Option<Refusal> {
    priority_element(row.priority, &mut String::new()).err()
}

fn bad_changefreq(row: &Row<'_>) -> Option<Refusal> {
    let word = row.changefreq.filter(|word| !word.is_empty() && changefreq::parse(word).is_none())?;
    let (rule, message) = wording::changefreq_error(word);
    Some(Refusal::of_column("changefreq", rule, message, None))
}

/// Refuse a time without a zone.
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
        let none = ValuePolicy { takes_printed_times: true, ..ValuePolicy::default() };
        let zoned = ValuePolicy { zone: Some(Zone::fixed("+01:00")), ..none.clone() };
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
        let lenient = ValuePolicy { on_bad_value: OnBadValue::Drop, ..ValuePolicy::default() };
        let mut dropped = Vec::new();
        let kept = lenient.corrected(&row, row.loc, &[], &mut dropped);
        assert_eq!((kept.priority, kept.changefreq), (None, None));
        let mut out = String::new();
        lenient.lastmod(row.lastmod, &mut out, &mut dropped).unwrap();
        let codes: Vec<_> = dropped.iter().map(|refusal| refusal.rule.code).collect();
        assert_eq!((out.as_str(), codes), ("", vec!["PRI002", "FRQ001", "MOD001"]));
        let mut dropped = Vec::new();
        let kept = ValuePolicy::default().corrected(&row, row.loc, &[], &mut dropped);
        assert_eq!((kept.changefreq, dropped), (Some("often"), Vec::new()));
    }

    #[test]
    fn what_has_a_safe_fix_is_repaired_if_that_is_asked_for() {
        let row = Row {
            loc: "\u{feff}https://a.example/a b",
            lastmod: Some(Lastmod::Text("2026/01/31")),
            priority: Some(Priority::Text("0,5 ")),
            changefreq: Some("Daily"),
            ..Row::default()
        };
        let fixing = ValuePolicy { on_bad_value: OnBadValue::Fix, ..ValuePolicy::default() };
        let mut corrected = Vec::new();
        assert_eq!(fixing.loc(row.loc, &mut corrected), "https://a.example/a%20b");
        let repairs = fixing.repairs(&row, row.loc);
        let fixed = fixing.corrected(&row, row.loc, &repairs, &mut corrected);
        assert_eq!((fixed.priority, fixed.changefreq), (Some(Priority::Text("0.5")), Some("daily")));
        let mut out = String::new();
        fixing.lastmod(row.lastmod, &mut out, &mut corrected).unwrap();
        assert_eq!(out, "2026-01-31");
        let said: Vec<_> = corrected.iter().map(|refusal| (refusal.rule.code, refusal.message.as_str())).collect();
        let codes: Vec<_> = said.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, ["LOC008", "PRI001", "FRQ001", "MOD004"]);
        assert!(said.iter().all(|(_, message)| message.contains("; it is written as \"")), "{said:?}");
        for unsafe_or_none in ["2", "half"] {
            let row = Row { priority: Some(Priority::Text(unsafe_or_none)), ..Row::default() };
            assert!(fixing.repairs(&row, "").is_empty());
        }
        assert!(fixing.lastmod(Some(Lastmod::Text("soon")), &mut out, &mut corrected).is_err());
    }
}
