//! The charset of a page. Source: HTML Standard, determining the character encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

/// A page names its charset in its first bytes.
const SEARCHED: usize = 1024;

/// A page as text.
#[derive(Debug)]
pub struct Decoded<'a> {
    pub text: Cow<'a, str>,
    /// Whether its charset was known, and all its bytes are valid in it.
    pub fits: bool,
}

/// Return a page as text: by its byte order mark, the charset of its Content-Type, or the one that it declares. Without
/// any of these it is UTF-8 if that is valid, else windows-1252.
pub fn decoded<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return by(encoding, &body[mark..]);
    }
    let first = &body[..body.len().min(SEARCHED)];
    let named = content_type.and_then(|text| charset_of(text.as_bytes()));
    if let Some(encoding) = named.or_else(|| Prescan { bytes: first, at: 0 }.run()).or_else(|| xml_encoding(first)) {
        return by(encoding, body);
    }
    match simdutf8::basic::from_utf8(body) {
        Ok(text) => Decoded { text: Cow::Borrowed(text), fits: true },
        Err(_) => Decoded { fits: false, ..by(WINDOWS_1252, body) },
    }
}

fn by<'a>(encoding: &'static Encoding, body: &'a [u8]) -> Decoded<'a> {
    if encoding == UTF_8
        && let Ok(text) = simdutf8::basic::from_utf8(body)
    {
        return Decoded { text: Cow::Borrowed(text), fits: true };
    }
    let (text, is_malformed) = encoding.decode_without_bom_handling(body);
    Decoded { text, fits: !is_malformed }
}

/// The search for a meta with a charset. Source: HTML Standard, prescan a byte stream to determine its encoding.
struct Prescan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Prescan<'_> {
    fn run(&mut self) -> Option<&'static Encoding> {
        for (start, encoding) in [(&b"<\0?\0x\0"[..], UTF_16LE), (b"\0<\0?\0x", UTF_16BE)] {
            if self.bytes.starts_with(start) {
                return Some(encoding);
            }
        }
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                self.at += memmem::find(&rest[2..], b"-->")? + 4;
            } else if starts_meta(rest) {
                self.at += 5;
                if let Some(encoding) = self.meta() {
                    return Some(encoding);
                }
            } else if starts_tag(rest) {
                self.at += rest.iter().position(|byte| is_blank(*byte) || *byte == b'>')?;
                while self.attribute().is_some() {}
            } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
                self.at += memchr::memchr(b'>', rest)?;
            }
            self.at += 1;
        }
        None
    }

    /// Read the attributes of a meta, and return the charset that it declares.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut is_pragma, mut needs_pragma, mut charset) = (false, None, None);
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_pragma = value == b"content-type",
                b"content" if charset.is_none() => {
                    charset = charset_of(&value);
                    needs_pragma = charset.map(|_| true).or(needs_pragma);
                }
                b"charset" => (charset, needs_pragma) = (Encoding::for_label(&value), Some(false)),
                _ => {}
            }
            seen.push(name);
        }
        charset.filter(|_| needs_pragma.is_some_and(|needs| is_pragma || !needs)).map(declarable)
    }

    /// Return the next attribute of a tag, in small letters. Source: HTML Standard, get an attribute.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip(|byte| is_blank(byte) || byte == b'/');
        let start = self.at;
        // A name may begin with an equals sign.
        while !(is_blank(self.peek()?)
            || matches!(self.peek()?, b'/' | b'>')
            || (self.peek()? == b'=' && self.at > start))
        {
            self.at += 1;
        }
        if self.at == start {
            return None; // the end of the tag
        }
        let name = self.bytes[start..self.at].to_ascii_lowercase();
        self.skip(is_blank);
        if self.peek()? != b'=' {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip(is_blank);
        let quote = self.peek()?;
        let value = if matches!(quote, b'"' | b'\'') {
            self.at += 1;
            let length = memchr::memchr(quote, &self.bytes[self.at..])?;
            self.at += length + 1;
            &self.bytes[self.at - length - 1..self.at - 1]
        } else {
            let start = self.at;
            self.skip(|byte| !is_blank(byte) && byte != b'>');
            self.peek()?;
            &self.bytes[start..self.at]
        };
        Some((name, value.to_ascii_lowercase()))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }
}

fn starts_meta(rest: &[u8]) -> bool {
    rest.len() > 5 && rest[..5].eq_ignore_ascii_case(b"<meta") && (is_blank(rest[5]) || rest[5] == b'/')
}

fn starts_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"</").or_else(|| rest.strip_prefix(b"<"));
    name.and_then(<[u8]>::first).is_some_and(u8::is_ascii_alphabetic)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

/// A charset that was read as ASCII cannot be UTF-16. Source: HTML Standard, prescan, steps 15 and 16 of a meta.
fn declarable(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == X_USER_DEFINED { WINDOWS_1252 } else { encoding.output_encoding() }
}

/// The charset of a Content-Type. Source: HTML Standard, extracting a character encoding from a meta element.
fn charset_of(text: &[u8]) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.as_slice();
    loop {
        rest = rest[memmem::find(rest, b"charset")? + b"charset".len()..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    let (value, is_end): (&[u8], fn(u8) -> bool) = match rest.first()? {
        b'"' => (&rest[1..], |byte| byte == b'"'),
        b'\'' => (&rest[1..], |byte| byte == b'\''),
        _ => (rest, |byte| is_blank(byte) || byte == b';'),
    };
    match value.iter().position(|byte| is_end(*byte)) {
        Some(end) => Encoding::for_label(&value[..end]),
        None if value.len() == rest.len() => Encoding::for_label(value),
        None => None, // a quote without its end
    }
}

/// The charset of an XML declaration. Source: HTML Standard, get an XML encoding.
fn xml_encoding(first: &[u8]) -> Option<&'static Encoding> {
    let declaration = &first.strip_prefix(b"<?xml")?[..memchr::memchr(b'>', &first[5..])?];
    let after = &declaration[memmem::find(declaration, b"encoding")? + b"encoding".len()..];
    let quoted = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *quoted.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    Encoding::for_label(&quoted[1..=memchr::memchr(quote, &quoted[1..])?]).map(declarable)
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn the_first_that_says_it_counts() {
        for (body, content_type, text) in [
            (&b"\xef\xbb\xbf<p>\xc3\xa4"[..], Some("text/html; charset=iso-8859-1"), "<p>ä"),
            (b"\xff\xfe<\0p\0>\0\xe4\0", Some("text/html; charset=utf-8"), "<p>ä"),
            (b"<p>\xe4", Some("text/html; charset=\"ISO-8859-1\""), "<p>ä"),
            (b"<p>\xe4", Some("text/html; charset='iso-8859-1'"), "<p>ä"),
            (
                b"<meta charset=windows-1251><p>\xe4",
                Some("text/html; charset=latin1"),
                "<meta charset=windows-1251><p>ä",
            ),
            (b"<meta charset=windows-1251><p>\xe4", None, "<meta charset=windows-1251><p>д"),
            (b"<meta charset=utf-16><p>\xc3\xa4", None, "<meta charset=utf-16><p>ä"),
            (b"<p>\xc3\xa4", None, "<p>ä"),
            (b"<p>\xe4", None, "<p>ä"),
            (b"<p>\xe4", Some("text/html; charset=utf-8"), "<p>\u{fffd}"),
            (b"<p>\xe4", Some("text/html; charset=unknown"), "<p>ä"),
        ] {
            assert_eq!(decoded(body, content_type).text, text);
        }
    }

    /// Each page ends with a byte that is another letter in KOI8-R than in windows-1252.
    #[test]
    fn a_page_declares_its_charset_as_browsers_read_it() {
        for (head, is_declared) in [
            ("<META http-equiv=Content-Type content='text/html; charset=koi8-r'>", true),
            ("<meta content='text/html; charset=koi8-r' http-equiv=content-type>", true),
            ("<meta http-equiv=x content='text/html; charset=koi8-r'>", false),
            ("<meta name=x content='charset=koi8-r'>", false),
            ("<meta/charset=koi8-r>", true),
            ("<meta charset = \"koi8-r\" >", true),
            ("<metacharset=koi8-r>", false),
            ("<meta charset=unknown><meta charset=koi8-r>", true),
            ("<meta charset=koi8-r charset=utf-8>", true),
            ("<!-- <meta charset=utf-8> --><meta charset=koi8-r>", true),
            ("<!--><meta charset=koi8-r>", true),
            ("<!-- <meta charset=koi8-r>", false),
            ("<p title='<meta charset=utf-8>'><meta charset=koi8-r>", true),
            ("<p title=\"<meta charset=koi8-r>\">", false),
            ("</p title='<meta charset=koi8-r>'>", false),
            ("<!x <meta charset=utf-8><meta charset=koi8-r>", true),
            ("<?xml version='1.0' encoding='koi8-r'?>", true),
            ("<?xml version='1.0' encoding=koi8-r?>", false),
            ("<meta http-equiv=content-type content='charset charset=\"koi8-r\"'>", true),
            ("<meta http-equiv=content-type content='charset=\"koi8-r'>", false),
        ] {
            let body = [head.as_bytes(), b"\xc4"].concat();
            let read = decoded(&body, None);
            assert_eq!(read.text.chars().last(), Some(if is_declared { 'д' } else { 'Ä' }), "{head}");
            assert_eq!(read.fits, is_declared, "{head}");
        }
        let late = [&b" ".repeat(1024)[..], b"<meta charset=koi8-r>\xc4"].concat();
        assert!(decoded(&late, None).text.ends_with('Ä'));
        assert!(decoded(b"<\0?\0x\0m\0l\0?\0>\0\xe4\0", None).text.ends_with('ä'));
    }
}
