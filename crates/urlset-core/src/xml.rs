//! Characters of XML 1.0: which there are, which are blank, and how they are escaped.

/// Whether a byte is blank as XML means it (production 3, `S`), which is narrower than Unicode's.
#[inline]
pub const fn is_xml_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The same blanks as characters.
pub const XML_BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Return where in `text` its value stands, without the XML blanks at both ends.
#[inline]
pub fn strip_range(text: &str) -> std::ops::Range<usize> {
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

/// Bytes that need a closer look: what is escaped, controls, and the lead byte of U+FFFE and U+FFFF.
const IS_SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte as u8, b'&' | b'<' | b'>' | b'"' | b'\'' | 0..0x20 | 0xef);
        byte += 1;
    }
    table
};

fn escape(value: &str, blank: impl Fn(u8) -> Option<&'static str>, out: &mut String) -> Result<(), char> {
    // Most texts have nothing to escape, which is seen eight bytes at a time.
    let (eights, rest) = value.as_bytes().as_chunks::<8>();
    let is_special = |bytes: &[u8]| bytes.iter().fold(false, |found, byte| found | IS_SPECIAL[usize::from(*byte)]);
    if !eights.iter().any(|eight| is_special(eight)) && !is_special(rest) {
        out.push_str(value);
        return Ok(());
    }
    let mut done = 0;
    for (at, byte) in value.bytes().enumerate() {
        let reference = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&apos;",
            // Controls, and the lead byte of U+FFFE and U+FFFF: rare enough to be looked at one by one.
            0..0x20 | 0xef => match blank(byte) {
                Some(reference) => reference,
                None => {
                    let character = value[at..].chars().next().unwrap_or_default();
                    if is_xml_char(character) {
                        continue;
                    }
                    return Err(character);
                }
            },
            _ => continue,
        };
        out.push_str(&value[done..at]);
        out.push_str(reference);
        done = at + 1;
    }
    out.push_str(&value[done..]);
    Ok(())
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
