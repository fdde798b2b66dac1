//! The charset of a page. Source: HTML Standard, determining the character encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use memchr::memmem;

/// A page names its charset in its first bytes.
const SEARCHED: usize = 1024;

/// Return a page as text: by its byte order mark, the charset of its Content-Type, or that in its first bytes. Without
/// any of these it is UTF-8 if that is valid, else windows-1252.
pub fn decoded<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return encoding.decode_without_bom_handling(&body[mark..]).0;
    }
    let named = content_type.and_then(|text| label(text.as_bytes())).or_else(|| declared(body));
    match named {
        Some(encoding) if encoding != UTF_8 => encoding.decode_without_bom_handling(body).0,
        Some(_) => String::from_utf8_lossy(body),
        None => match simdutf8::basic::from_utf8(body) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(body).0,
        },
    }
}

/// The charset of a meta in the first bytes. One that says UTF-16 means UTF-8, or nothing could have been read so far.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let first = body[..body.len().min(SEARCHED)].to_ascii_lowercase();
    let at = memmem::find_iter(&first, b"<meta").find_map(|at| {
        let tag = &first[at..];
        label(&tag[..memchr::memchr(b'>', tag).unwrap_or(tag.len())])
    })?;
    Some(at.output_encoding())
}

/// The charset that is named behind `charset=`.
fn label(text: &[u8]) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let at = memmem::find(&lower, b"charset")? + b"charset".len();
    let value = lower[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let end =
        value.iter().position(|byte| matches!(byte, b'"' | b'\'' | b';' | b'/' | b'>') || byte.is_ascii_whitespace());
    Encoding::for_label(&value[..end.unwrap_or(value.len())])
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn the_first_that_says_it_counts() {
        for (body, content_type, text) in [
            (&b"\xef\xbb\xbf<p>\xc3\xa4"[..], Some("text/html; charset=iso-8859-1"), "<p>ä"),
            (b"<p>\xe4", Some("text/html; charset=\"ISO-8859-1\""), "<p>ä"),
            (b"<meta charset=windows-1251><p>\xe4", None, "<meta charset=windows-1251><p>д"),
            (
                b"<META http-equiv=x content='text/html; charset=koi8-r'>\xc4",
                None,
                "<META http-equiv=x content='text/html; charset=koi8-r'>д",
            ),
            (b"<meta charset=utf-16><p>\xc3\xa4", None, "<meta charset=utf-16><p>ä"),
            (b"<p>\xc3\xa4", None, "<p>ä"),
            (b"<p>\xe4", None, "<p>ä"),
            (b"<p>\xe4", Some("text/html; charset=utf-8"), "<p>\u{fffd}"),
            (b"<p>\xe4", Some("text/html; charset=unknown"), "<p>ä"),
        ] {
            assert_eq!(decoded(body, content_type), text);
        }
    }
}
