//! Which charset a document is in: by its byte order mark, its first bytes, its declaration, in this order.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

use super::declaration::{Declared, LOOK, declared};
use crate::diagnostic::{Rule, catalogue};
use crate::xml::is_xml_blank;

/// Source: XML 1.0, appendix F.1.
const MARKS: [(&[u8], &Encoding); 3] =
    [(&[0xef, 0xbb, 0xbf], UTF_8), (&[0xff, 0xfe], UTF_16LE), (&[0xfe, 0xff], UTF_16BE)];

/// Names of the charset all of which is UTF-8, so that declaring it is nothing odd. Source: WHATWG, Encoding Standard.
const ASCII: [&str; 3] = ["ascii", "us-ascii", "ansi_x3.4-1968"];

/// Shown of what a declaration says, in characters at most.
const SHOWN: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    /// A charset of one byte a character, in which any bytes mean something: whether it is true shows only at the
    /// first byte that is not ASCII.
    Declared {
        charset: &'static Encoding,
        is_ascii: bool,
    },
    Certain(&'static Encoding),
}

/// Something to be said of the whole document: its rule, a sentence, and whether it is not well-formed for it.
pub type Remark = (&'static Rule, String, bool);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub charset: Charset,
    /// What the declaration says, cut to what is worth showing.
    pub declared: String,
    pub notes: Vec<Remark>,
}

/// The charset of the document that begins with `first`; None while more bytes are needed.
pub fn decide(first: &[u8], at_end: bool) -> Option<Decision> {
    let marked = MARKS.iter().find(|(mark, _)| first.starts_with(mark)).map(|(_, charset)| *charset);
    if marked.is_none() && !at_end && MARKS.iter().any(|(mark, _)| mark.starts_with(first)) {
        return None;
    }
    let told = match marked {
        Some(charset) => Some(charset),
        None => match by_zeros(first) {
            Zeros::Unclear if !at_end => return None,
            Zeros::Of(charset) => Some(charset),
            _ => None,
        },
    };
    let label = match declared(&readable(first, told), at_end) {
        Declared::Unclear => return None,
        Declared::Nothing => None,
        Declared::Charset(label) => Some(label),
    };
    Some(match told {
        Some(charset) => by_bytes(charset, marked.is_some(), label.as_deref()),
        None => by_declaration(label.as_deref()),
    })
}

enum Zeros {
    Unclear,
    None,
    Of(&'static Encoding),
}

/// UTF-16 without a mark: every second byte of what it begins with is zero, for blanks and markup are ASCII.
fn by_zeros(first: &[u8]) -> Zeros {
    let (pairs, _) = first.as_chunks::<2>();
    for pair in pairs.iter().take(LOOK) {
        match *pair {
            [blank, 0] | [0, blank] if is_xml_blank(blank) => {}
            [low, 0] if low.is_ascii_graphic() => return Zeros::Of(UTF_16LE),
            [0, low] if low.is_ascii_graphic() => return Zeros::Of(UTF_16BE),
            _ => return Zeros::None,
        }
    }
    if pairs.len() >= LOOK { Zeros::None } else { Zeros::Unclear }
}

/// The beginning as bytes in which a declaration can be read.
fn readable<'b>(first: &'b [u8], told: Option<&'static Encoding>) -> Cow<'b, [u8]> {
    let low_byte = match told {
        Some(charset) if charset == UTF_16LE => 0,
        Some(charset) if charset == UTF_16BE => 1,
        _ => return Cow::Borrowed(&first[..first.len().min(LOOK)]),
    };
    let (pairs, _) = first.as_chunks::<2>();
    let low = |pair: &[u8; 2]| if pair[1 - low_byte] == 0 { pair[low_byte] } else { b'?' };
    Cow::Owned(pairs.iter().take(LOOK).map(low).collect())
}

/// The bytes say what they are, whatever is declared. Source: XML 1.0, appendix F.
fn by_bytes(charset: &'static Encoding, is_marked: bool, label: Option<&str>) -> Decision {
    let mut notes = Vec::new();
    if charset != UTF_8 {
        notes.push(in_another(charset));
    }
    if let Some(label) = label
        && !agrees(charset, label)
    {
        let told = if is_marked { "its byte order mark is that of" } else { "its bytes are" };
        let message = format!("the document is declared as {:?}, but {told} {}", shown(label), charset.name());
        notes.push((&catalogue::XML004, message, !is_name(label)));
    }
    let charset = if charset == UTF_8 { Charset::Utf8 } else { Charset::Certain(charset) };
    Decision { charset, declared: shown(label.unwrap_or_default()), notes }
}

/// Nothing but the declaration says what the document is in, and what it says has been readable as ASCII.
///
/// DIFFERENCE: labels mean what browsers take them for (WHATWG, Encoding Standard), because that is what sites test
/// with: `ISO-8859-1` and `US-ASCII` are windows-1252, `GB2312` is GBK, `Shift_JIS` is that of Windows.
fn by_declaration(label: Option<&str>) -> Decision {
    let utf8 = |notes| Decision { charset: Charset::Utf8, declared: shown(label.unwrap_or_default()), notes };
    let Some(label) = label else {
        return utf8(Vec::new());
    };
    let contradiction = |rest: &str, mended| {
        let message = format!("the document is declared as {:?}, {rest}; it is read as UTF-8", shown(label));
        utf8(vec![(&catalogue::XML004, message, mended)])
    };
    match Encoding::for_label(label.as_bytes()) {
        None => contradiction("which is no charset we know", !is_name(label)),
        Some(charset) if charset == REPLACEMENT => contradiction("which is no charset we know", false),
        Some(charset) if charset == UTF_8 => utf8(Vec::new()),
        Some(charset) if is_utf16(charset) => contradiction("but its bytes are not that", false),
        Some(charset) if charset.is_single_byte() => {
            let is_ascii = ASCII.iter().any(|name| label.trim().eq_ignore_ascii_case(name));
            let message = format!("the document is declared as {:?}; a sitemap has to be UTF-8", shown(label));
            let notes = if is_ascii { Vec::new() } else { vec![(&catalogue::XML002, message, false)] };
            Decision { charset: Charset::Declared { charset, is_ascii }, declared: shown(label), notes }
        }
        Some(charset) => {
            Decision { charset: Charset::Certain(charset), declared: shown(label), notes: vec![in_another(charset)] }
        }
    }
}

pub fn in_another(charset: &'static Encoding) -> Remark {
    (&catalogue::XML002, format!("the document is in {}; a sitemap has to be UTF-8", charset.name()), false)
}

fn agrees(charset: &'static Encoding, label: &str) -> bool {
    match Encoding::for_label(label.as_bytes()) {
        // `UTF-16` is either, as the mark says, and only by its other name is it the one of the little end.
        Some(named) if is_utf16(named) && is_utf16(charset) => {
            let has_end = ["utf-16le", "utf-16be"].iter().any(|name| label.trim().eq_ignore_ascii_case(name));
            named == charset || !has_end
        }
        named => named == Some(charset),
    }
}

fn is_utf16(charset: &'static Encoding) -> bool {
    charset == UTF_16LE || charset == UTF_16BE
}

fn shown(label: &str) -> String {
    label.chars().take(SHOWN).collect()
}

/// Source: XML 1.0, production 81.
fn is_name(label: &str) -> bool {
    label.starts_with(|first: char| first.is_ascii_alphabetic())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
