//! `<loc>`: an absolute http or https URL of fewer than 2,048 characters. Source: sitemaps.org protocol, `<loc>`:
//! it begins with the protocol, such as http, and is shorter than that limit.
//!
//! Only what the protocol itself asks is checked here, byte by byte and without building a URL.

use crate::limits::LOC_CHARS;

/// What is wrong with a loc, in the order in which it is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// Nothing there.
    Empty,
    /// No scheme: a path, `//host/path`, `www.example.com/`.
    Relative,
    /// A scheme that is neither http nor https.
    Scheme,
    /// No host after the scheme, or a blank or control character inside.
    Invalid,
    /// 2,048 characters or more.
    TooLong,
}

/// The first problem of `loc`, if it has one.
pub fn problem(loc: &str) -> Option<Problem> {
    if loc.is_empty() {
        return Some(Problem::Empty);
    }
    let Some((scheme, rest)) = split_scheme(loc) else {
        return Some(if loc.trim_start() == loc { Problem::Relative } else { Problem::Invalid });
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Some(Problem::Scheme);
    }
    if host(rest).is_none_or(str::is_empty) || loc.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Some(Problem::Invalid);
    }
    // Bytes are never fewer than characters, so the count is only needed near the limit.
    (loc.len() >= LOC_CHARS && loc.chars().count() >= LOC_CHARS).then_some(Problem::TooLong)
}

/// `scheme` and what follows its colon, where the text begins with a scheme as RFC 3986 section 3.1 writes it.
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

/// The host and port of what follows the scheme's colon, user information cut away.
fn host(rest: &str) -> Option<&str> {
    let authority = rest.strip_prefix("//")?;
    let end = authority.find(['/', '?', '#', '\\']).unwrap_or(authority.len());
    let authority = &authority[..end];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    (!host.starts_with(':')).then_some(host)
}

/// The origin's host of an absolute loc, without its port: what "same host" compares, letter case aside.
pub fn host_name(loc: &str) -> Option<&str> {
    let host = host(split_scheme(loc)?.1)?;
    // An IPv6 host has colons inside its brackets; a port has digits after the last colon.
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => Some(name),
        _ => Some(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fine_locs() {
        let long = format!("https://example.com/{}", "é".repeat(LOC_CHARS - 1 - 20));
        for loc in [
            "http://a.io/",
            "https://example.com",
            "HTTPS://EXAMPLE.COM/",
            "https://example.com:8443/a?b=c&d=e#f",
            "https://user:pass@example.com/",
            "https://[::1]:80/x",
            "https://例え.jp/パス",
            "https://e.com/a|b{c}",
            &long,
        ] {
            assert_eq!(problem(loc), None, "{loc}");
        }
    }

    #[test]
    fn each_problem() {
        let long = format!("https://example.com/{}", "é".repeat(LOC_CHARS - 20));
        for (loc, expected) in [
            ("", Problem::Empty),
            ("/path", Problem::Relative),
            ("//example.com/", Problem::Relative),
            ("www.example.com/", Problem::Relative),
            ("example.com:8080/", Problem::Relative),
            ("?q=http://x/", Problem::Relative),
            ("mailto:a@b.c", Problem::Scheme),
            ("ftp://example.com/", Problem::Scheme),
            ("javascript:alert(1)", Problem::Scheme),
            ("http:", Problem::Invalid),
            ("http://", Problem::Invalid),
            ("http:///path", Problem::Invalid),
            ("http://:80/", Problem::Invalid),
            ("https://example.com/a b", Problem::Invalid),
            (" https://example.com/", Problem::Invalid),
            ("https://example.com/\u{1}", Problem::Invalid),
            (&long, Problem::TooLong),
        ] {
            assert_eq!(problem(loc), Some(expected), "{loc:?}");
        }
    }

    #[test]
    fn host_names() {
        for (loc, host) in [
            ("https://example.com/a", Some("example.com")),
            ("https://u:p@Example.com:8443/a", Some("Example.com")),
            ("https://[::1]:80/x", Some("[::1]")),
            ("https://[::1]/x", Some("[::1]")),
            ("/a", None),
            ("http:", None),
        ] {
            assert_eq!(host_name(loc), host, "{loc}");
        }
    }
}
