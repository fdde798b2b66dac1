//! URLs as the URL Standard writes them, which is what clients ask for and what published sets list.
//!
//! Source: URL Standard (WHATWG), "URL parsing" and "URL serializing": the host by IDNA, the rest percent-encoded in UTF-8,
//! dots resolved, what is encoded left as it is. DIFFERENCE: a `%` without two digits becomes `%25`, and characters that the
//! standard accepts and RFC 3986 does not are encoded, too.

use url::Url;

use super::loc::{self, LocError, traits};
use crate::xml::strip_range;

/// Return an absolute http or https URL as the standard writes it; None for any other text.
pub fn standard(given: &str) -> Option<String> {
    loc::check(&given[strip_range(given)]).ok().and_then(|()| standard_of_any(given))
}

/// The same for a URL that may be longer than a loc, or have blanks in it.
pub fn standard_of_any(given: &str) -> Option<String> {
    let trimmed = &given[strip_range(given)];
    // The standard drops some of them silently, which would turn a text that was cut in two into another URL.
    if trimmed.bytes().any(|byte| byte.is_ascii_control()) {
        return None;
    }
    match loc::check(trimmed) {
        Ok(()) | Err(LocError::TooLong(_) | LocError::Character(_)) => {}
        Err(_) => return None,
    }
    Some(encoded(Url::parse(trimmed).ok()?.as_str()))
}

/// Return the http(s) URL that a link of a page leads to, without its fragment; None for anything else, and for one with a
/// user name.
pub fn joined(base: &Url, link: &str) -> Option<String> {
    let mut url = base.join(link).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    let out = encoded(url.as_str());
    loc::check(&out).is_ok().then_some(out)
}

/// Return a URL that the standard has serialized, with what RFC 3986 does not allow percent-encoded.
pub fn encoded(url: &str) -> String {
    let is_plain = |byte: u8| !matches!(byte, b'%' | b'"' | b'<' | b'>' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'`');
    if url.bytes().all(is_plain) {
        return url.to_owned();
    }
    let mut out = String::with_capacity(url.len());
    for (at, character) in url.char_indices() {
        match character {
            '%' if !has_whole_escapes(&url.as_bytes()[at..(at + 3).min(url.len())]) => out.push_str("%25"),
            '"' | '<' | '>' | '{' | '}' | '|' | '\\' | '^' | '`' => out.push_str(&format!("%{:02X}", character as u32)),
            _ => out.push(character),
        }
    }
    out
}

/// Whether a URL is already written as the standard does, as nearly every loc is. DIFFERENCE: an apostrophe in a query stays.
pub fn is_standard(given: &str) -> bool {
    loc::glance(given).is_some_and(|seen| is_standard_behind(&given[seen.path..], seen.bits))
}

/// The same for what comes behind a plain origin, given what a glance at it has shown.
#[inline]
pub fn is_standard_behind(path: &str, bits: u8) -> bool {
    bits & (traits::ILLEGAL | traits::NON_ASCII) == 0
        && (bits & (traits::REWRITTEN | traits::PERCENT) == 0 || !loc::may_have_dots(path))
        && (bits & traits::PERCENT == 0 || has_whole_escapes(path.as_bytes()))
}

/// Whether every `%` is followed by two digits.
fn has_whole_escapes(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'%', bytes)
        .all(|at| bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}
