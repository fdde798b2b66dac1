//! Escaping. Source: sitemaps.org protocol, "Entity escaping": ampersand, both quotes, less and greater than are
//! written as entities in every value.

use super::Refusal;
use crate::lint::catalogue;
use crate::read::text::is_xml_char;

/// Appends a value as character data.
pub fn text(value: &str, out: &mut String) -> Result<(), Refusal> {
    escape(value, |byte| if byte == b'\r' { Some("&#13;") } else { None }, out)
}

/// Appends a value as an attribute's; its blanks have to be written as references to survive (XML 1.0, 3.3.3).
pub fn attribute(value: &str, out: &mut String) -> Result<(), Refusal> {
    let blank = |byte| match byte {
        b'\t' => Some("&#9;"),
        b'\n' => Some("&#10;"),
        b'\r' => Some("&#13;"),
        _ => None,
    };
    escape(value, blank, out)
}

/// A text escaped as it is in what we write; a character that no XML can hold is left out.
pub fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 16);
    if text(value, &mut out).is_err() {
        out.clear();
        let held: String = value.chars().filter(|character| is_xml_char(*character)).collect();
        // Nothing is left in it that could be refused.
        let _ = text(&held, &mut out);
    }
    out
}

/// Whether a byte has to be looked at: what is escaped, controls, and the lead byte of U+FFFE and U+FFFF.
const IS_ODD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte as u8, b'&' | b'<' | b'>' | b'"' | b'\'' | 0..0x20 | 0xef);
        byte += 1;
    }
    table
};

fn escape(value: &str, blank: impl Fn(u8) -> Option<&'static str>, out: &mut String) -> Result<(), Refusal> {
    // Most texts have nothing to escape, which is seen eight bytes at a time.
    let (eights, rest) = value.as_bytes().as_chunks::<8>();
    let is_odd = |bytes: &[u8]| bytes.iter().fold(false, |is_odd, byte| is_odd | IS_ODD[usize::from(*byte)]);
    if !eights.iter().any(|eight| is_odd(eight)) && !is_odd(rest) {
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
                    let message = format!("U+{:04X} cannot stand in XML: remove it", character as u32);
                    return Err(Refusal::new(&catalogue::XML007, message));
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
