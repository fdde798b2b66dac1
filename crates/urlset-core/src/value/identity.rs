//! When two URLs are one. Every rule and every verb that compares URLs asks here.
//!
//! There are three levels, and each knows more pairs than the one before:
//!
//! 1. As written: the same text.
//! 2. Normalized ([`normalized`]): the same by RFC 3986, sections 6.2.2 and 6.2.3, without asking anybody: letter case of
//!    the scheme, the host and the escapes, escapes that need not be there, dot segments, the default port, the empty path;
//!    and the same for every client, because the URL Standard sends both as one.
//! 3. Same page: what a server answers alike, as by a redirect or a canonical link. Only an audit, which asks, can tell.
//!
//! A fragment is a part of the URL, so two URLs with different fragments differ. What asks a server leaves it out.

use std::borrow::Cow;

use super::loc::{self, normal_escape, push_encoded, traits};
use super::standard_url::standard_of_any;
use crate::limits::PAGE_FORM_CHARS;

/// Return the form that all URLs equal to this one have in common; None for anything but an absolute http or https URL.
pub fn normalized(url: &str) -> Option<Cow<'_, str>> {
    match loc::glance(url) {
        Some(seen) if is_normalized(&url.as_bytes()[seen.path..], seen.bits) => return Some(Cow::Borrowed(url)),
        // Its host is a plain one already, and only escapes are left to do.
        Some(seen) if seen.bits & (traits::ILLEGAL | traits::REWRITTEN) == 0 => {
            let out = with_encoded(&url[..seen.path], &url[seen.path..]);
            // An escaped dot can make a dot segment.
            if !traits::begins_dotted(&out.as_bytes()[seen.path..]) {
                return Some(Cow::Owned(out));
            }
        }
        _ => {}
    }
    by_standard(url).map(Cow::Owned)
}

/// Return the form by which the pages of a site are compared: the normal form without its fragment, which no server is
/// asked for, and not longer than the bound. Any other text stays as it is, but for characters that no table holds.
pub fn page_form(url: &str) -> Cow<'_, str> {
    let mut form = normalized(url).unwrap_or(Cow::Borrowed(url));
    let end = form.find('#').unwrap_or(form.len());
    // Bytes are never fewer than characters.
    let end = match end > PAGE_FORM_CHARS {
        true => form[..end].char_indices().nth(PAGE_FORM_CHARS).map_or(end, |(at, _)| at),
        false => end,
    };
    match &mut form {
        Cow::Borrowed(text) => *text = &text[..end],
        Cow::Owned(text) => text.truncate(end),
    }
    if memchr::memchr(0, form.as_bytes()).is_some() { Cow::Owned(form.replace('\0', "\u{fffd}")) } else { form }
}

/// The same as [`normalized`], by the URL Standard's parser.
fn by_standard(url: &str) -> Option<String> {
    let standard = standard_of_any(url)?;
    let host = standard.find("//")? + 2;
    let path = host + standard[host..].find('/')?;
    Some(with_encoded(&standard[..path], &standard[path..]))
}

fn with_encoded(origin: &str, rest: &str) -> String {
    let mut out = String::with_capacity(origin.len() + rest.len());
    out.push_str(origin);
    push_encoded(rest, &mut out);
    out
}

/// Whether two URLs are one, at the level of [`normalized`]. Texts that are not URLs are one if they are equal.
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || normalized(one).is_some_and(|one| normalized(other).is_some_and(|other| one == other))
}

/// Where a URL is: what all URLs of one site have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub scheme: String,
    /// The host, with the port if it is not the usual one of the scheme.
    pub host: String,
    /// Whether the URL has a user name, which does not belong to its origin.
    pub has_user: bool,
}

/// The origin of an http or https URL; None for other texts.
pub fn origin(url: &str) -> Option<Origin> {
    let normal = normalized(url)?;
    let parts = loc::parts(&normal)?;
    let colon = if parts.port.is_empty() { "" } else { ":" };
    let host = format!("{}{colon}{}", parts.host, parts.port);
    Some(Origin { scheme: parts.scheme.to_owned(), host, has_user: parts.user.is_some() })
}

/// Whether a URL is known to be in its normal form, without making it.
#[inline]
pub fn is_in_normal_form(url: &str) -> bool {
    loc::glance(url).is_some_and(|seen| is_normalized(&url.as_bytes()[seen.path..], seen.bits))
}

/// Whether a loc behind a plain origin is in its normal form, given what a glance at its path has shown.
#[inline]
pub fn is_normalized(path: &[u8], bits: u8) -> bool {
    bits & (traits::ILLEGAL | traits::NON_ASCII | traits::REWRITTEN) == 0
        && (bits & traits::PERCENT == 0 || has_normal_escapes(path))
}

/// Whether every escape is in capital letters, and of a character that needs one.
#[cold]
fn has_normal_escapes(path: &[u8]) -> bool {
    memchr::memchr_iter(b'%', path).all(|at| match path.get(at + 1..at + 3) {
        Some([high, low]) => normal_escape(*high, *low).is_some(),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms() {
        for (url, normal) in [
            ("HTTPS://E.com", "https://e.com/"),
            ("https://e.com:443?a", "https://e.com/?a"),
            ("http://e.com:443/", "http://e.com:443/"),
            ("https://e.com/%7ea%c3%A9%zz%", "https://e.com/~a%C3%A9%25zz%25"),
            ("https://e.com/é?é", "https://e.com/%C3%A9?%C3%A9"),
            ("https://u@MÜNCHEN.example/", "https://u@xn--mnchen-3ya.example/"),
            ("https://[0::1]/a/../b", "https://[::1]/b"),
            ("https://e.com/a/./b/..", "https://e.com/a/"),
            ("https://e.com/%2e%2E/a", "https://e.com/a"),
            ("https://e.com/a|b{c}", "https://e.com/a%7Cb%7Bc%7D"),
            ("https://e.com/it's?it's", "https://e.com/it's?it%27s"),
            ("https://e.com/?", "https://e.com/?"),
            ("https://e.com/a%2Fb#%7e", "https://e.com/a%2Fb#~"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            (" https://e.com/a ", "https://e.com/a"),
        ] {
            assert_eq!(normalized(url).as_deref(), Some(normal), "{url}");
            assert_eq!(normalized(normal).as_deref(), Some(normal), "{normal} is normal");
        }
        for text in ["", "/a", "e.com", "mailto:a@b.c", "android-app://com.example/a", "https://", "https://e.com/a\nb"]
        {
            assert_eq!(normalized(text), None, "{text:?}");
        }
        assert!(is_same("/a", "/a") && !is_same("/a", "/b") && is_same("https://e.com", "https://E.com/"));
    }

    #[test]
    fn forms_of_pages() {
        let long = format!("https://e.com/{}", "é".repeat(2_000));
        for (url, form) in [
            ("HTTPS://E.com#a", "https://e.com/"),
            ("https://e.com/a?b#c#d", "https://e.com/a?b"),
            ("https://e.com/a", "https://e.com/a"),
            ("mailto:a\0b#c", "mailto:a\u{fffd}b"),
            (&long, &format!("https://e.com/{}%C3", "%C3%A9".repeat(338) + "%C3%A9")[..PAGE_FORM_CHARS]),
            (&"é".repeat(3_000), &"é".repeat(PAGE_FORM_CHARS)),
        ] {
            assert_eq!(page_form(url), form, "{url}");
        }
    }

    #[test]
    fn the_fast_way_is_that_of_the_standard() {
        const PIECES: [&str; 40] = [
            "a",
            "b/",
            "/",
            ".",
            "..",
            "/./",
            "/../",
            "%2e",
            "%2E",
            "%7e",
            "%7E",
            "%c3%a9",
            "%C3%A9",
            "é",
            "日本",
            "%",
            "%z",
            "%25",
            "%2f",
            "%2F",
            "?",
            "&",
            "=",
            "#",
            "'",
            "\"",
            "|",
            "{",
            "^",
            "`",
            "\\",
            "<",
            "+",
            "*",
            "$",
            "~",
            "@",
            ":",
            "-long-enough-to-go-beyond-forty-eight-bytes-of-a-path",
            " ",
        ];
        let mut state = 1_u64;
        let mut next = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % most
        };
        let mut fast = 0;
        for _ in 0..60_000 {
            let mut url = String::from(["https://e.com/", "http://www.shop.example/", "https://E.com:443/"][next(3)]);
            for _ in 0..next(8) {
                url.push_str(PIECES[next(PIECES.len())]);
            }
            let found = normalized(&url);
            assert_eq!(found.as_deref(), by_standard(&url).as_deref(), "{url}");
            fast += usize::from(matches!(found, Some(Cow::Borrowed(_))));
            if let Some(normal) = found {
                assert_eq!(normalized(&normal).as_deref(), Some(&*normal), "{url}");
            }
        }
        assert!(fast > 1_000, "{fast}");
    }
}
