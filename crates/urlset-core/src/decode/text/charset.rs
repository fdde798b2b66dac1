//! The charset of a document: decided by its byte order mark, its first bytes and its declaration, in this order.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

use super::declaration::{Declared, SEARCHED, declared};
use crate::diagnostic::{Rule, grammar};
use crate::xml::is_xml_blank;

/// Source: XML 1.0, appendix F.1.
const MARKS: [(&[u8], &Encoding); 3] =
    [(&[0xef, 0xbb, 0xbf], UTF_8), (&[0xff, 0xfe], UTF_16LE), (&[0xfe, 0xff], UTF_16BE)];

/// Names of ASCII. All of ASCII is UTF-8, so declaring it is not reported. Source: WHATWG, Encoding Standard.
const ASCII: [&str; 3] = ["ascii", "us-ascii", "ansi_x3.4-1968"];

/// The most characters of a declaration that a message shows.
const SHOWN: usize = 40;

/// A charset, and how certain it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    /// A charset of one byte per character, in which any bytes are valid: only the first byte that is not ASCII shows
    /// whether the declaration is true.
    Declared {
        charset: &'static Encoding,
        is_ascii: bool,
    },
    Certain(&'static Encoding),
}

/// Something to report about the charset of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharsetNote {
    pub rule: &'static Rule,
    pub message: String,
    /// The document is not well-formed because of it.
    pub is_repair: bool,
}

impl CharsetNote {
    fn new(rule: &'static Rule, message: String, is_repair: bool) -> Self {
        CharsetNote { rule, message, is_repair }
    }
}

/// The charset of a document, and what there is to report about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub charset: Charset,
    /// What the declaration says, shortened for messages.
    pub declared: String,
    pub notes: Vec<CharsetNote>,
    /// Bytes at the beginning that do not belong to the text.
    pub skipped: usize,
    /// It begins with the mark of UTF-8.
    pub has_mark: bool,
    /// Readers that go by the declaration read other characters.
    pub is_doubtful: bool,
}

impl Decision {
    fn new(charset: Charset, label: Option<&str>, notes: Vec<CharsetNote>) -> Self {
        let declared = shown(label.unwrap_or_default());
        Decision { charset, declared, notes, skipped: 0, has_mark: false, is_doubtful: false }
    }
}

/// Decide on the charset of the document that begins with `first`; None while more bytes are needed.
pub fn decide(first: &[u8], at_end: bool) -> Option<Decision> {
    let marked = MARKS.iter().find(|(mark, _)| first.starts_with(mark)).map(|(_, charset)| *charset);
    if marked.is_none() && !at_end && MARKS.iter().any(|(mark, _)| mark.starts_with(first)) {
        return None;
    }
    if let Some(charset) = marked.filter(|charset| is_utf16(charset)) {
        match first.get(2..4) {
            Some(pair) if pair.iter().all(|byte| byte.is_ascii_graphic() || is_xml_blank(*byte)) => {
                return Some(mistaken_mark(charset));
            }
            None if !at_end => return None,
            _ => {}
        }
    }
    let known = match marked {
        Some(charset) => Some(charset),
        None => match by_zeros(first) {
            Zeros::Unclear if !at_end => return None,
            Zeros::Of(charset) => Some(charset),
            _ => None,
        },
    };
    let label = match declared(&readable(first, known), at_end) {
        Declared::Unclear => return None,
        Declared::Nothing => None,
        Declared::Charset(label) => Some(label),
    };
    Some(match known {
        Some(charset) => by_bytes(charset, marked.is_some(), label.as_deref()),
        None => by_declaration(label.as_deref()),
    })
}

/// The mark of UTF-16 before text that is not UTF-16: of the first two characters, each would have a zero in it.
fn mistaken_mark(charset: &'static Encoding) -> Decision {
    let message =
        format!("its byte order mark is that of {}, but its bytes are not; it is read as UTF-8", charset.name());
    let notes = vec![CharsetNote::new(&grammar::XML004, message, true)];
    Decision { skipped: 2, ..Decision::new(Charset::Utf8, None, notes) }
}

enum Zeros {
    Unclear,
    None,
    Of(&'static Encoding),
}

/// Recognises UTF-16 without a mark: every second byte at its beginning is zero, because blanks and markup are ASCII.
fn by_zeros(first: &[u8]) -> Zeros {
    let (pairs, _) = first.as_chunks::<2>();
    for pair in pairs.iter().take(SEARCHED) {
        match *pair {
            [blank, 0] | [0, blank] if is_xml_blank(blank) => {}
            [low, 0] if low.is_ascii_graphic() => return Zeros::Of(UTF_16LE),
            [0, low] if low.is_ascii_graphic() => return Zeros::Of(UTF_16BE),
            _ => return Zeros::None,
        }
    }
    if pairs.len() >= SEARCHED { Zeros::None } else { Zeros::Unclear }
}

/// The beginning as bytes in which a declaration can be found.
fn readable<'b>(first: &'b [u8], known: Option<&'static Encoding>) -> Cow<'b, [u8]> {
    let low_byte = match known {
        Some(charset) if charset == UTF_16LE => 0,
        Some(charset) if charset == UTF_16BE => 1,
        _ => return Cow::Borrowed(&first[..first.len().min(SEARCHED)]),
    };
    let (pairs, _) = first.as_chunks::<2>();
    let low = |pair: &[u8; 2]| if pair[1 - low_byte] == 0 { pair[low_byte] } else { b'?' };
    Cow::Owned(pairs.iter().take(SEARCHED).map(low).collect())
}

/// The bytes decide, whatever is declared. Source: XML 1.0, appendix F.
fn by_bytes(charset: &'static Encoding, is_marked: bool, label: Option<&str>) -> Decision {
    let mut notes = Vec::new();
    if charset != UTF_8 {
        notes.push(other_charset(charset));
    }
    if let Some(label) = label
        && !agrees(charset, label)
    {
        let evidence = if is_marked { "its byte order mark is that of" } else { "its bytes are" };
        let message = format!("the document is declared as {:?}, but {evidence} {}", shown(label), charset.name());
        notes.push(CharsetNote::new(&grammar::XML004, message, !is_name(label)));
    }
    let has_mark = is_marked && charset == UTF_8;
    // UTF-16 that is not there is an error to a reader, and no other character.
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let is_doubtful = has_mark && named.is_some_and(|named| named != UTF_8 && !is_utf16(named));
    let charset = if charset == UTF_8 { Charset::Utf8 } else { Charset::Certain(charset) };
    Decision { has_mark, is_doubtful, ..Decision::new(charset, label, notes) }
}

/// Only the declaration says what the charset is, and it was readable as ASCII.
///
/// DIFFERENCE: labels mean what browsers take them for (WHATWG, Encoding Standard), because that is what sites test
/// with: `ISO-8859-1` and `US-ASCII` are windows-1252, `GB2312` is GBK, `Shift_JIS` is that of Windows.
fn by_declaration(label: Option<&str>) -> Decision {
    let utf8 = |notes| Decision::new(Charset::Utf8, label, notes);
    let Some(label) = label else {
        return utf8(Vec::new());
    };
    let contradiction = |rest: &str, is_repair| {
        let message = format!("the document is declared as {:?}, {rest}; it is read as UTF-8", shown(label));
        utf8(vec![CharsetNote::new(&grammar::XML004, message, is_repair)])
    };
    match Encoding::for_label(label.as_bytes()) {
        None => contradiction("which is not a known charset", !is_name(label)),
        Some(charset) if charset == REPLACEMENT => contradiction("which is not a known charset", false),
        Some(charset) if charset == UTF_8 => utf8(Vec::new()),
        Some(charset) if is_utf16(charset) => contradiction("but its bytes are not that", false),
        Some(charset) if charset.is_single_byte() => {
            let is_ascii = ASCII.iter().any(|name| label.trim().eq_ignore_ascii_case(name));
            let message = format!("the document is declared as {:?}; a sitemap has to be UTF-8", shown(label));
            let notes = if is_ascii { Vec::new() } else { vec![CharsetNote::new(&grammar::XML002, message, false)] };
            Decision::new(Charset::Declared { charset, is_ascii }, Some(label), notes)
        }
        Some(charset) => Decision::new(Charset::Certain(charset), Some(label), vec![other_charset(charset)]),
    }
}

/// The note that a document is in a charset other than UTF-8.
pub fn other_charset(charset: &'static Encoding) -> CharsetNote {
    let message = format!("the document is in {}; a sitemap has to be UTF-8", charset.name());
    CharsetNote::new(&grammar::XML002, message, false)
}

fn agrees(charset: &'static Encoding, label: &str) -> bool {
    match Encoding::for_label(label.as_bytes()) {
        // `UTF-16` is either, as the mark says. Only `UTF-16LE` means little-endian.
        Some(named) if is_utf16(named) && is_utf16(charset) => {
            let has_endianness = ["utf-16le", "utf-16be"].iter().any(|name| label.trim().eq_ignore_ascii_case(name));
            named == charset || !has_endianness
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
