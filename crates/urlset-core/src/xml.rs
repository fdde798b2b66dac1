//! Characters of XML 1.0: which there are, which are blank, and how they are escaped.

use wide::i8x16;

/// Whether a byte is blank as XML means it (production 3, `S`), which is narrower than Unicode's.
#[inline]
pub const fn is_xml_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The same blanks as characters.
pub const XML_BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Return where in `text` its value stands, without the XML blanks at both ends.
#[inline(always)]
pub fn strip_range(text: &str) -> std::ops::Range<usize> {
    let bytes = text.as_bytes();
    if let (Some(first), Some(last)) = (bytes.first(), bytes.last())
        && !is_xml_blank(*first)
        && !is_xml_blank(*last)
    {
        return 0..text.len();
    }
    strip_range_of_any(text)
}

#[inline(never)]
fn strip_range_of_any(text: &str) -> std::ops::Range<usize> {
    let end = text.trim_end_matches(XML_BLANKS).len();
    end - text[..end].trim_start_matches(XML_BLANKS).len()..end
}

/// Whether XML 1.0 (production 2, `Char`) allows the character.
pub const fn is_xml_char(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Append a value as character data. The error is a character that no XML document may hold.
///
/// Source: sitemaps.org protocol, "Entity escaping": ampersand, both quotes, less and greater than are written as
/// entities in every value.
pub fn escape_text(value: &str, out: &mut String) -> Result<(), char> {
    escape(value, |byte| if byte == b'\r' { Some("&#13;") } else { None }, out)
}

/// Append a value as an attribute's; its blanks have to be written as references to survive (XML 1.0, 3.3.3).
pub fn escape_attribute(value: &str, out: &mut String) -> Result<(), char> {
    let blank = |byte| match byte {
        b'\t' => Some("&#9;"),
        b'\n' => Some("&#10;"),
        b'\r' => Some("&#13;"),
        _ => None,
    };
    escape(value, blank, out)
}

/// Return a text escaped; characters that XML does not allow are left out.
pub fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 16);
    if escape_text(value, &mut out).is_err() {
        out.clear();
        let allowed: String = value.chars().filter(|character| is_xml_char(*character)).collect();
        // Only characters that are not allowed make it fail.
        let _ = escape_text(&allowed, &mut out);
    }
    out
}

/// Bytes that need a closer look: what is escaped, controls, and whatever is not ASCII, because U+FFFE may be there.
const IS_SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte as u8, b'&' | b'<' | b'>' | b'"' | b'\'' | 0..0x20 | 0x80..);
        byte += 1;
    }
    table
};

/// A mask of the special bytes.
#[inline(always)]
fn special_of(sixteen: &[u8; 16]) -> i8x16 {
    let bytes = i8x16::new(sixteen.map(|byte| byte as i8));
    let all = |byte: u8| i8x16::splat(byte as i8);
    // Controls and what is not ASCII, which is negative; both quotes and `&`; `<` and `>`.
    bytes.simd_lt(all(0x20))
        | bytes.simd_eq(all(b'"'))
        | (bytes | all(1)).simd_eq(all(b'\''))
        | (bytes & all(!2)).simd_eq(all(b'<'))
}

/// Whether a text has no such byte, as most have none: it is written as it is.
#[inline(always)]
pub fn is_plain(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk::<16>() else {
        return !text.iter().fold(false, |found, byte| found | IS_SPECIAL[usize::from(*byte)]);
    };
    let sixteens = text.as_chunks::<16>().0;
    sixteens.iter().fold(special_of(last), |found, sixteen| found | special_of(sixteen)).none()
}

#[inline(always)]
fn escape(value: &str, blank: impl Fn(u8) -> Option<&'static str>, out: &mut String) -> Result<(), char> {
    if is_plain(value.as_bytes()) {
        out.push_str(value);
        return Ok(());
    }
    let (sixteens, rest) = value.as_bytes().as_chunks::<16>();
    let mut done = 0;
    for (number, sixteen) in sixteens.iter().enumerate() {
        let mut specials = special_of(sixteen).to_bitmask();
        while specials != 0 {
            done = escape_at(value, number * 16 + specials.trailing_zeros() as usize, done, &blank, out)?;
            specials &= specials - 1;
        }
    }
    for (at, byte) in rest.iter().enumerate() {
        if IS_SPECIAL[usize::from(*byte)] {
            done = escape_at(value, sixteens.len() * 16 + at, done, &blank, out)?;
        }
    }
    out.push_str(&value[done..]);
    Ok(())
}

/// Append what comes before a special byte, from `done` on, and what is written in its place, if it is escaped. Returns how
/// much of the value is done then.
fn escape_at(
    value: &str,
    at: usize,
    done: usize,
    blank: &impl Fn(u8) -> Option<&'static str>,
    out: &mut String,
) -> Result<usize, char> {
    let reference = match value.as_bytes()[at] {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\'' => "&apos;",
        // Controls, and the lead byte of U+FFFE and U+FFFF.
        byte @ (0..0x20 | 0xef) => match blank(byte) {
            Some(reference) => reference,
            None => {
                let character = value[at..].chars().next().unwrap_or_default();
                return if is_xml_char(character) { Ok(done) } else { Err(character) };
            }
        },
        _ => return Ok(done),
    };
    out.push_str(&value[done..at]);
    out.push_str(reference);
    Ok(at + 1)
}

/// Whether a name may have a character. Source: XML 1.0, production 4a.
pub fn is_name_char(character: char) -> bool {
    matches!(character,
        'a'..='z' | 'A'..='Z' | '0'..='9' | ':' | '_' | '-' | '.' | '\u{b7}' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{203f}'..='\u{2040}'
        | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}'
        | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}')
}

/// Name characters that no name begins with.
pub fn is_inner_only(character: char) -> bool {
    matches!(character, '0'..='9' | ':' | '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

/// Whether a text is the name of an entity, which has no prefix, and so may have colons. Source: XML 1.0, production 5.
pub fn is_entity_name(text: &str) -> bool {
    let begins = text.starts_with(|first| first == ':' || is_name_char(first) && !is_inner_only(first));
    begins && text.chars().all(is_name_char)
}
