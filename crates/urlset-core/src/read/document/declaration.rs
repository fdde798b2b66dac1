//! Declarations before the root: the XML declaration and the document type.

use crate::read::index::window::starts;
use crate::read::lexer::markup::{checked, comment_or_instruction};
use crate::read::lexer::name::{name, skip_blanks};
use crate::read::stop::Stop;
use crate::xml::is_xml_blank;

/// Why a page is refused.
pub const HTML: &str = "it is an HTML page";

/// Whether an XML declaration begins at `at`, rather than another instruction such as `<?xml-stylesheet`.
pub fn is_declaration(window: &str, at: usize, has_ended: bool) -> Result<bool, Stop> {
    match starts(window, at, "<?xml") {
        Ok(true) => match window.as_bytes().get(at + "<?xml".len()) {
            Some(byte) => Ok(is_xml_blank(*byte)),
            None if has_ended => Ok(false),
            None => Err(Stop::NeedData),
        },
        Ok(false) => Ok(false),
        Err(stop) => Err(stop),
    }
}

/// Where the XML declaration ends that may stand at the very beginning, by its grammar.
/// Source: XML 1.0 production 23: version, then encoding, then standalone.
pub fn declaration(window: &str, at: usize) -> Result<usize, Stop> {
    let inner = at + "<?xml".len();
    let wrong = |what: &str| Stop::malformed(at, format!("invalid XML declaration: {what}"));
    let end = inner + memchr::memchr2(b'>', b'<', &window.as_bytes()[inner..]).ok_or(Stop::NeedData)?;
    if !window[inner..=end].ends_with("?>") {
        return Err(wrong("it has to end with `?>`"));
    }
    let end = end - 1;
    let mut rest = window[inner..end].trim_start_matches([' ', '\t', '\r', '\n']);
    let mut expected = ["version", "encoding", "standalone"].as_slice();
    while !rest.is_empty() {
        let (name, value, after) = pseudo_attribute(rest).ok_or_else(|| wrong("it is not a list of name=\"value\""))?;
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

/// Where the document type declaration at `at` ends. It is skipped: its declarations are neither read nor expanded.
/// One that names HTML begins a page, unless the document `is_sitemap` all the same: a template has put it before one.
pub fn doctype(window: &str, at: usize, is_sitemap: impl FnOnce() -> Result<bool, Stop>) -> Result<usize, Stop> {
    const OPENING: &[u8] = b"<!DOCTYPE";
    let rest = &window.as_bytes()[at..];
    let length = rest.len().min(OPENING.len());
    if !rest[..length].eq_ignore_ascii_case(&OPENING[..length]) {
        return Err(Stop::malformed(at, "a declaration other than DOCTYPE before the root"));
    }
    if length < OPENING.len() {
        return Err(Stop::NeedData);
    }
    if is_html_name(&rest[length..])? && !is_sitemap()? {
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
    let mut next = external_id(window, name(window, name_at, "the name in a DOCTYPE")?)?;
    if byte(bytes, next)? == b'[' {
        next = skip_blanks(bytes, subset(window, next + 1)?);
    }
    if byte(bytes, next)? != b'>' {
        return Err(Stop::malformed(next, "a DOCTYPE that does not end where it should"));
    }
    checked(window, at..next)?;
    Ok(next + 1)
}

fn byte(bytes: &[u8], at: usize) -> Result<u8, Stop> {
    bytes.get(at).copied().ok_or(Stop::NeedData)
}

/// Past the blanks at `at`, and past `SYSTEM "…"` or `PUBLIC "…" "…"` if one follows them. Source: XML 1.0,
/// productions 28, 75, 11 and 12.
fn external_id(window: &str, at: usize) -> Result<usize, Stop> {
    let bytes = window.as_bytes();
    let start = skip_blanks(bytes, at);
    if matches!(byte(bytes, start)?, b'[' | b'>') {
        return Ok(start);
    }
    let wrong = || Stop::malformed(start, "a DOCTYPE whose identifier is not written as XML writes it");
    let is_public = starts(window, start, "PUBLIC")?;
    if start == at || !(is_public || starts(window, start, "SYSTEM")?) {
        return Err(wrong());
    }
    let mut next = start + "PUBLIC".len();
    for index in 0..=usize::from(is_public) {
        let quote_at = skip_blanks(bytes, next);
        let quote = byte(bytes, quote_at)?;
        if quote_at == next || !matches!(quote, b'"' | b'\'') {
            return Err(wrong());
        }
        let end = quote_at + 1 + memchr::memchr(quote, &bytes[quote_at + 1..]).ok_or(Stop::NeedData)?;
        if is_public && index == 0 && !bytes[quote_at + 1..end].iter().copied().all(is_pubid) {
            return Err(wrong());
        }
        next = end + 1;
    }
    Ok(skip_blanks(bytes, next))
}

/// Source: XML 1.0, production 13.
fn is_pubid(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\r' | b'\n') || b"-'()+,./:=?;!*#@$_%".contains(&byte)
}

/// Past the `]` of the internal subset that begins at `at`: declarations, comments, instructions, `%name;` and blanks.
/// DIFFERENCE from XML: what is inside a declaration is not read, so its mistakes are not seen.
fn subset(window: &str, at: usize) -> Result<usize, Stop> {
    let bytes = window.as_bytes();
    let mut next = at;
    loop {
        next = skip_blanks(bytes, next);
        match byte(bytes, next)? {
            b']' => return Ok(next + 1),
            b'%' => {
                next = name(window, next + 1, "the name of a parameter entity")?;
                if byte(bytes, next)? != b';' {
                    return Err(Stop::malformed(next, "a reference to a parameter entity without its `;`"));
                }
                next += 1;
            }
            b'<' => match comment_or_instruction(window, next)? {
                Some(end) => next = end,
                None => next = markup_declaration(window, next)?,
            },
            _ => return Err(Stop::malformed(next, "text inside a DOCTYPE")),
        }
    }
}

/// Past the declaration at `at`.
fn markup_declaration(window: &str, at: usize) -> Result<usize, Stop> {
    let bytes = window.as_bytes();
    let mut next = None;
    for keyword in ["<!ELEMENT", "<!ATTLIST", "<!ENTITY", "<!NOTATION"] {
        if starts(window, at, keyword)? {
            next = Some(at + keyword.len());
        }
    }
    let mut next = next.ok_or_else(|| Stop::malformed(at, "something inside a DOCTYPE that is not a declaration"))?;
    if !is_xml_blank(byte(bytes, next)?) {
        return Err(Stop::malformed(next, "a declaration without a blank behind its keyword"));
    }
    loop {
        let found = bytes[next..].iter().position(|byte| matches!(byte, b'"' | b'\'' | b'>' | b'<'));
        next += found.ok_or(Stop::NeedData)?;
        match bytes[next] {
            b'>' => return Ok(next + 1),
            b'<' => return Err(Stop::malformed(next, "`<` inside a declaration")),
            quote => next += 2 + memchr::memchr(quote, &bytes[next + 1..]).ok_or(Stop::NeedData)?,
        }
    }
}

/// Whether a DOCTYPE names HTML as the root.
fn is_html_name(rest: &[u8]) -> Result<bool, Stop> {
    let name = &rest[rest.iter().take_while(|byte| is_xml_blank(**byte)).count()..];
    match name.get(..5) {
        None => Err(Stop::NeedData),
        Some(start) => Ok(start[..4].eq_ignore_ascii_case(b"html") && !start[4].is_ascii_alphanumeric()),
    }
}
