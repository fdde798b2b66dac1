//! `<loc>`: an absolute http or https URL of fewer than 2,048 characters. Source: sitemaps.org protocol, `<loc>`:
//! it begins with the protocol, such as http, and is shorter than that limit.
//!
//! Only what the protocol itself asks is checked here, byte by byte and without building a URL.

use std::error::Error;
use std::fmt;

mod escapes;
mod hash;
pub mod traits;

pub use escapes::{bad_escape, normal_escape, push_encoded, push_escaped};
pub use hash::{hash, hash_as_written, hash_behind, hash_of, hash_of_escaped, path_of, seed};

use super::host as hosts;
use crate::limits::LOC_CHARS;

/// Why a text is not a loc, in the order in which it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocError {
    /// An empty text.
    Empty,
    /// No scheme: a path, `//host/path`, `www.example.com/`.
    Relative,
    /// A scheme that is neither http nor https.
    Scheme,
    /// A blank or a control character inside.
    Character(char),
    /// The same, in the host.
    HostCharacter(char),
    /// No host after the scheme.
    Host,
    /// A host that cannot be one.
    HostName,
    /// A port that is not a number up to 65535.
    Port,
    /// `https://https://example.com/`, or the same without the second colon.
    TwoSchemes,
    /// So many characters: 2,048 or more.
    TooLong(usize),
}

impl LocError {
    /// The error of a text that is not a URL, whichever part of it is wrong.
    pub fn invalid(loc: &str) -> LocError {
        let blank = loc.chars().find(|character| *character <= ' ' || *character == '\u{7f}');
        match (split_scheme(loc).and_then(|(_, rest)| defect(rest)), blank) {
            (Some(LocError::HostName | LocError::Port), Some(blank)) => LocError::HostCharacter(blank),
            (Some(defect), _) => defect,
            (None, blank) => blank.map_or(LocError::Host, LocError::Character),
        }
    }

    /// What to do about it, where that is known.
    pub fn help(&self) -> Option<String> {
        match self {
            LocError::Relative => Some("write the whole URL, as in https://example.com/page".into()),
            LocError::Character(character) => Some(format!("percent-encode it as %{:02X}", *character as u32)),
            LocError::HostCharacter(_) => Some("no host contains one".into()),
            LocError::TwoSchemes => Some("write https:// once".into()),
            _ => None,
        }
    }

    /// The error in words about a URL that is called so, such as `loc` or `content_loc`.
    pub fn said_of(&self, what: &str) -> String {
        match self {
            LocError::Empty => format!("the entry has no {what}"),
            LocError::Relative => format!("the {what} has no scheme: it has to be absolute"),
            LocError::Scheme => format!("the {what}'s scheme is neither http nor https"),
            LocError::Character(character) | LocError::HostCharacter(character) => {
                format!("the {what} contains U+{:04X}, which is not allowed in a URL", *character as u32)
            }
            LocError::Host => format!("the {what} has no host"),
            LocError::HostName => format!("the host of the {what} is not a valid name or address"),
            LocError::Port => format!("the port of the {what} is not a number up to 65535"),
            LocError::TwoSchemes => format!("the {what} has two schemes"),
            LocError::TooLong(chars) => {
                format!("the {what} has {chars} characters; it has to have fewer than {LOC_CHARS}")
            }
        }
    }
}

impl fmt::Display for LocError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.said_of("loc"))
    }
}

impl Error for LocError {}

/// Check that a text is a loc.
pub fn check(loc: &str) -> Result<(), LocError> {
    if loc.len() < LOC_CHARS && glance(loc).is_some() {
        return Ok(());
    }
    check_grammar(loc)
}

/// The same, by the whole grammar.
fn check_grammar(loc: &str) -> Result<(), LocError> {
    if loc.is_empty() {
        return Err(LocError::Empty);
    }
    let Some((scheme, rest)) = split_scheme(loc) else {
        return Err(if loc.trim_start() == loc { LocError::Relative } else { LocError::invalid(loc) });
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(LocError::Scheme);
    }
    if defect(rest).is_some() || loc.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err(LocError::invalid(loc));
    }
    // Bytes are never fewer than characters, so the count is only needed near the limit.
    let chars = if loc.len() < LOC_CHARS { 0 } else { loc.chars().count() };
    if chars < LOC_CHARS { Ok(()) } else { Err(LocError::TooLong(chars)) }
}

/// Return the scheme and what follows its colon, if the text begins with a scheme in the form of RFC 3986, section 3.1.
fn split_scheme(loc: &str) -> Option<(&str, &str)> {
    let colon = loc.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))?;
    let scheme = &loc[..colon];
    if loc.as_bytes()[colon] != b':' || !scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    // `example.com:8080/path` has the form of a scheme but is a host and a port.
    let rest = &loc[colon + 1..];
    if !rest.starts_with("//") && rest.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((scheme, rest))
}

/// Return the host and port of what follows the scheme's colon, without user information.
fn host(rest: &str) -> Option<&str> {
    let authority = rest.strip_prefix("//")?;
    let end = authority.find(['/', '?', '#', '\\']).unwrap_or(authority.len());
    let authority = &authority[..end];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    (!host.starts_with(':')).then_some(host)
}

/// What is wrong with the host and the port of what follows the scheme's colon. Source: RFC 3986, section 3.2: a port is a
/// 16-bit number in digits.
fn defect(rest: &str) -> Option<LocError> {
    let Some(host) = host(rest).filter(|host| !host.is_empty()) else { return Some(LocError::Host) };
    let authority = rest.trim_start_matches('/');
    let (first, path) = authority.split_at(authority.find('/').unwrap_or(authority.len()));
    if path.starts_with("//") && is_scheme(first.strip_suffix(':').unwrap_or(first)) {
        return Some(LocError::TwoSchemes);
    }
    let (name, port) = split_port(host);
    if !(port.is_empty() || port.len() <= 5 && port.parse::<u16>().is_ok()) {
        return Some(LocError::Port);
    }
    (!hosts::is_host(name)).then_some(LocError::HostName)
}

fn is_scheme(name: &str) -> bool {
    name.eq_ignore_ascii_case("http") || name.eq_ignore_ascii_case("https")
}

/// Return a host and its port, which is "" if there is none.
fn split_port(host: &str) -> (&str, &str) {
    match host.rsplit_once(':') {
        // A bracket that is not closed leaves no port.
        Some((name, port))
            if !name.is_empty() && name.starts_with('[') == name.ends_with(']') && !port.contains(']') =>
        {
            (name, port)
        }
        _ => (host, ""),
    }
}

/// What one look at a loc shows: its scheme is http or https, and its host is written as nearly every host is, in lower
/// case and without a port. So anything unusual about it is among the bits.
#[derive(Debug, Clone, Copy)]
pub struct Glance {
    /// The offset of its path.
    pub path: usize,
    /// The traits of the path and of what follows it.
    pub bits: u8,
}

/// Look at a loc. If it is like nearly all locs, only its length can still be wrong.
#[inline]
pub fn glance(loc: &str) -> Option<Glance> {
    glance_from(loc.as_bytes(), plain_origin(loc)?)
}

/// The same, for a loc whose path is known to begin at `path`, after a plain origin.
#[inline(always)]
pub fn glance_from(loc: &[u8], path: usize) -> Option<Glance> {
    let bits = traits::at_once(loc, path).unwrap_or_else(|| traits::of_rest(loc, path));
    (bits & traits::BLANK == 0).then_some(Glance { path, bits })
}

/// The same as [`plain_origin`], but faster if a loc begins with the origin of one before it; `known` is that origin with
/// the slash after it.
#[inline(always)]
pub fn path_behind(known: &str, loc: &[u8]) -> Option<usize> {
    let known = known.as_bytes();
    let begin = loc.get(..known.len())?;
    let is_same = match (known.first_chunk::<16>(), known.last_chunk::<16>()) {
        // Most are that long, and two comparisons take less time than a call.
        (Some(first), Some(last)) if known.len() <= 32 => {
            begin.first_chunk() == Some(first) && begin.last_chunk() == Some(last)
        }
        _ => !known.is_empty() && begin == known,
    };
    is_same.then(|| known.len() - 1)
}

/// The plain origin of the last loc that had one: that of most locs after it.
#[derive(Debug, Default)]
pub struct KnownOrigin {
    /// With the slash behind it.
    text: String,
}

impl KnownOrigin {
    /// The same as [`plain_origin`].
    #[inline(always)]
    pub fn path_of(&mut self, loc: &str) -> Option<usize> {
        path_behind(&self.text, loc.as_bytes()).or_else(|| self.begin(loc))
    }

    #[cold]
    fn begin(&mut self, loc: &str) -> Option<usize> {
        let path = plain_origin(loc)?;
        self.text.clear();
        self.text.push_str(&loc[..=path]);
        Some(path)
    }
}

/// Return the offset of the path of a loc, if its scheme and host are written as nearly all are.
pub fn plain_origin(loc: &str) -> Option<usize> {
    let bytes = loc.as_bytes();
    let host = match bytes.strip_prefix(b"https://") {
        Some(_) => 8,
        None => bytes.strip_prefix(b"http://").map(|_| 7)?,
    };
    let path = host + memchr::memchr(b'/', &bytes[host..])?;
    let name = &bytes[host..path];
    // Where a scheme is written twice, the second one stands for the host.
    (hosts::is_usual(name) && !matches!(name, b"http" | b"https")).then_some(path)
}

/// The parts of an absolute loc, each as written: its scheme, its user information, its host, its port ("" is the default
/// port of the scheme) and what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlParts<'l> {
    pub scheme: &'l str,
    pub user: Option<&'l str>,
    pub host: &'l str,
    pub port: &'l str,
    pub rest: &'l str,
}

impl UrlParts<'_> {
    /// Return the port, or the default port of the scheme if none is written.
    pub fn effective_port(&self) -> &str {
        match self.port {
            "" if self.scheme.eq_ignore_ascii_case("https") => "443",
            "" => "80",
            port => port,
        }
    }
}

/// Return the parts of a loc that passes [`check`].
pub fn parts(loc: &str) -> Option<UrlParts<'_>> {
    let (scheme, rest) = split_scheme(loc)?;
    let authority = rest.strip_prefix("//")?;
    let end = authority.find(['/', '?', '#', '\\']).unwrap_or(authority.len());
    let (authority, rest) = authority.split_at(end);
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let (host, port) = split_port(host);
    Some(UrlParts { scheme, user, host, port, rest })
}

/// Return the path that a client requests: of what follows a host, without dot segments, encoded as in the normal form.
/// Source: RFC 3986, section 5.2.4.
pub fn requested_path(rest: &str) -> String {
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let mut path = String::new();
    push_encoded(&rest[..end], &mut path);
    let mut kept: Vec<&str> = Vec::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        if part == ".." {
            kept.pop();
        }
        if !matches!(part, "." | "..") {
            kept.push(part);
        } else if parts.peek().is_none() {
            kept.push("");
        }
    }
    format!("/{}", kept.join("/"))
}

/// Whether a path may have a segment that [`requested_path`] leaves out.
pub fn may_have_dots(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with('.')
        || traits::begins_dotted(bytes)
        || memchr::memchr_iter(b'%', bytes).any(|at| matches!(bytes.get(at + 1..at + 3), Some([b'2', b'e' | b'E'])))
}

/// The origin's host of an absolute loc, without its port: what "same host" compares, letter case aside.
pub fn host_name(loc: &str) -> Option<&str> {
    let host = host(split_scheme(loc)?.1)?;
    Some(split_port(host).0)
}

#[cfg(test)]
mod tests;
