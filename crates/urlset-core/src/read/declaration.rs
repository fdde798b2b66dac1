//! Declarations before the root: the XML declaration and the document type.

use super::Stop;
use super::document::misc;
use super::misc::checked;
use super::name::{name, skip_blanks};
use super::prolog::HTML;
use crate::value::is_xml_blank;

/// Where the XML declaration ends that may stand at the very beginning, by its grammar.
/// Source: XML 1.0 production 23: version, then encoding, then standalone.
pub fn declaration(window: &str, at: usize) -> Result<usize, Stop> {
    let inner = at + "<?xml".len();
    let end = inner + memchr::memmem::find(&window.as_bytes()[inner..], b"?>").ok_or(Stop::NeedData)?;
    let wrong = |what: &str| Stop::malformed(at, format!("the XML declaration is wrong: {what}"));
    let mut rest = window[inner..end].trim_start_matches([' ', '\t', '\r', '\n']);
    let mut expected = ["version", "encoding", "standalone"].as_slice();
    while !rest.is_empty() {
        let (name, value, after) = pseudo_attribute(rest).ok_or_else(|| wrong("it holds no list of name=\"value\""))?;
        let position = expected
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| wrong("an unknown, repeated or misplaced part"))?;
        if name != "version" && expected[0] == "version" {
            return Err(wrong("the version is missing"));
        }
        expected = &expected[position + 1..];
        let fine = match name {
            "version" => value
                .strip_prefix("1.")
                .is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|digit| digit.is_ascii_digit())),
            "standalone" => matches!(value, "yes" | "no"),
            _ => true,
        };
        if !fine {
            return Err(wrong(&format!("{name} is {value:?}")));
        }
        let next = after.trim_start_matches([' ', '\t', '\r', '\n']);
        if next.len() == after.len() && !next.is_empty() {
            return Err(wrong("a blank is missing"));
        }
        rest = next;
    }
    if expected.len() == 3 {
        return Err(wrong("the version is missing"));
    }
    Ok(end + 2)
}

fn pseudo_attribute(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('=')?;
    let rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, after) = rest[1..].split_once(quote)?;
    Some((name.trim_end_matches([' ', '\t', '\r', '\n']), value, after))
}

/// Where the document type declaration at `at` ends. It is passed over, its declarations neither read nor expanded.
pub fn doctype(window: &str, at: usize) -> Result<usize, Stop> {
    const OPENING: &[u8] = b"<!DOCTYPE";
    let rest = &window.as_bytes()[at..];
    let length = rest.len().min(OPENING.len());
    if !rest[..length].eq_ignore_ascii_case(&OPENING[..length]) {
        return Err(Stop::malformed(at, "a declaration that is no DOCTYPE before the root"));
    }
    if length < OPENING.len() {
        return Err(Stop::NeedData);
    }
    if is_html_name(&rest[length..])? {
        return Err(Stop::not_a_sitemap(at, HTML));
    }
    if &rest[..length] != OPENING {
        return Err(Stop::malformed(at, "DOCTYPE has to be in upper case"));
    }
    let bytes = window.as_bytes();
    let name_at = skip_blanks(bytes, at + OPENING.len());
    if name_at == at + OPENING.len() {
        return Err(Stop::malformed(at, "DOCTYPE is not followed by a blank and a name"));
    }
    let mut next = name(window, name_at, "the name in a DOCTYPE")?;
    let mut in_subset = false;
    loop {
        next += memchr_any(&bytes[next..]).ok_or(Stop::NeedData)?;
        match bytes[next] {
            b'[' if !in_subset => in_subset = true,
            b']' if in_subset => in_subset = false,
            b'>' if !in_subset => break,
            quote @ (b'"' | b'\'') => next += 1 + memchr::memchr(quote, &bytes[next + 1..]).ok_or(Stop::NeedData)?,
            b'<' if in_subset => {
                if let Some(end) = misc(window, next)? {
                    next = end - 1;
                }
            }
            b'<' => return Err(Stop::malformed(next, "`<` inside the DOCTYPE")),
            _ => {}
        }
        next += 1;
    }
    checked(window, at..next)?;
    Ok(next + 1)
}

fn memchr_any(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, b'[' | b']' | b'>' | b'"' | b'\'' | b'<'))
}

/// Whether a DOCTYPE names HTML as the root.
fn is_html_name(rest: &[u8]) -> Result<bool, Stop> {
    let name = &rest[rest.iter().take_while(|byte| is_xml_blank(**byte)).count()..];
    match name.get(..5) {
        None => Err(Stop::NeedData),
        Some(start) => Ok(start[..4].eq_ignore_ascii_case(b"html") && !start[4].is_ascii_alphanumeric()),
    }
}
