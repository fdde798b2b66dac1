//! The fields of an entry that have a grammar.

use super::element::{element, tags};
use super::error::Refusal;
use super::row::{Lastmod, Priority};
use crate::diagnostic::{catalogue, wording};
use crate::value::calendar::is_instant;
use crate::value::{lastmod, loc, priority, w3c_date};

/// `<loc>`.
pub fn loc_element(value: &str, out: &mut String) -> Result<(), Refusal> {
    if let Err(error) = loc::check(value) {
        let (rule, message, help) = wording::loc_error(error);
        return Err(Refusal::with_help(rule, message, help));
    }
    if let Some(at) = loc::bad_escape(value, 0) {
        let help = "write %25 for a `%` that is meant as itself";
        return Err(Refusal::with_help(&catalogue::LOC005, wording::bad_escape(value, at), Some(help.into())));
    }
    element(tags!("loc"), value, out)
}

/// `<lastmod>`; nothing if there is none.
pub fn lastmod_element(value: Option<Lastmod<'_>>, out: &mut String) -> Result<(), Refusal> {
    let before = out.len();
    out.push_str("<lastmod>");
    let start = out.len();
    // None of its characters has to be escaped.
    lastmod_text(value, out)?;
    if out.len() == start {
        out.truncate(before);
    } else {
        out.push_str("</lastmod>");
    }
    Ok(())
}

/// Appends a lastmod as it is written; nothing if there is none.
pub fn lastmod_text(value: Option<Lastmod<'_>>, out: &mut String) -> Result<(), Refusal> {
    let start = out.len();
    match value {
        None | Some(Lastmod::Text("")) => return Ok(()),
        Some(Lastmod::Text(value)) => out.push_str(value),
        Some(Lastmod::Instant(micros)) => {
            w3c_date::format(micros, out);
            if is_instant(micros) {
                return Ok(());
            }
        }
        Some(Lastmod::Day(days)) => w3c_date::format_date(days.into(), out),
        // Checked, and refused, without the Z of UTC.
        Some(Lastmod::Local(micros)) => local(micros, "", out),
    }
    if let Err(error) = lastmod::check(&out[start..]) {
        let (rule, message, help) = wording::lastmod_error(error);
        out.truncate(start);
        return Err(Refusal::of_column("lastmod", rule, message, help));
    }
    Ok(())
}

/// Appends the time of a clock with the zone of that clock.
pub fn local(micros: i64, zone: &str, out: &mut String) {
    w3c_date::format(micros, out);
    if out.ends_with('Z') {
        out.pop();
        out.push_str(zone);
    }
}

/// `<priority>`; nothing if there is none.
pub fn priority_element(value: Option<Priority<'_>>, out: &mut String) -> Result<(), Refusal> {
    let before = out.len();
    out.push_str("<priority>");
    let start = out.len();
    let checked = match value {
        None | Some(Priority::Text("")) => {
            out.truncate(before);
            return Ok(());
        }
        Some(Priority::Text(value)) => {
            out.push_str(value);
            priority::parse(value)
        }
        Some(Priority::Number(number)) => {
            // -0.0 is written as the zero that everybody expects.
            priority::format(number + 0.0, out);
            priority::check(number, &out[start..])
        }
    };
    if let Err(error) = checked {
        let (rule, message) = wording::priority_error(error);
        return Err(Refusal::of_column("priority", rule, message, None));
    }
    // None of the characters of a decimal has to be escaped.
    out.push_str("</priority>");
    Ok(())
}
