//! Character data and attribute values: references resolved once, line ends and blanks as XML 1.0 normalises them.

use std::borrow::Cow;

use wide::u8x16;

use crate::xml::{is_entity_name, is_xml_char};

/// Something in character data that XML forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFault {
    /// Bytes from the beginning of the raw text.
    pub at: usize,
    pub message: Cow<'static, str>,
    /// It is a character that no XML document may hold, rather than a mistake of syntax.
    pub illegal_character: bool,
}

impl TextFault {
    fn syntax(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        TextFault { at, message: message.into(), illegal_character: false }
    }
}

/// The fault of a character that no XML document may hold.
pub fn illegal(at: usize, character: char) -> TextFault {
    let message = format!("the character U+{:04X} is not allowed in XML", character as u32);
    TextFault { at, message: message.into(), illegal_character: true }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Text between tags.
    Content,
    /// An attribute's value: blanks become spaces and `<` is forbidden.
    Attribute,
    /// Inside `<![CDATA[ … ]]>`: no references.
    Cdata,
}

/// Whether `bytes` hold nothing that the plain path would have to look at twice: no control character but tab and
/// LF, no `]` (of `]]>`), and no lead byte of U+FFFE and U+FFFF. True for nearly every document, in one fast pass.
#[inline]
pub fn is_plain(bytes: &[u8]) -> bool {
    let mut special = false;
    for &byte in bytes {
        special |= (byte < 0x20) & (byte != b'\t') & (byte != b'\n') | (byte == b']') | (byte == 0xef);
    }
    !special
}

/// Whether an attribute's value stands for itself: nothing to resolve, to normalise, or to look at twice.
#[inline]
pub fn is_simple(bytes: &[u8]) -> bool {
    let mut special = false;
    for &byte in bytes {
        special |= (byte < 0x20) | (byte == b'&') | (byte == b'<') | (byte == 0xef);
    }
    !special
}

/// Checks `raw` and appends its value to `out`.
pub fn decode(raw: &str, context: Context, out: &mut String) -> Result<(), TextFault> {
    let bytes = raw.as_bytes();
    if !is_plain(bytes) {
        check_characters(raw, context)?;
    }
    let mut done = 0;
    while done < raw.len() {
        let Some(found) = next_special(&bytes[done..], context).map(|offset| done + offset) else {
            break;
        };
        out.push_str(&raw[done..found]);
        done = found + 1;
        match bytes[found] {
            b'&' => done = reference(raw, found, out)?,
            b'<' => {
                return Err(TextFault::syntax(found, "`<` in an attribute's value: write `&lt;`"));
            }
            b'\r' => {
                // XML 1.0, 2.11: CR LF and a lone CR both become LF before anything else sees them.
                if bytes.get(done) == Some(&b'\n') {
                    done += 1;
                }
                out.push(if context == Context::Attribute { ' ' } else { '\n' });
            }
            // XML 1.0, 3.3.3: a blank in an attribute's value becomes a space.
            _ => out.push(' '),
        }
    }
    out.push_str(&raw[done..]);
    Ok(())
}

/// The next byte that is not simply copied.
fn next_special(bytes: &[u8], context: Context) -> Option<usize> {
    match context {
        Context::Content => memchr::memchr2(b'&', b'\r', bytes),
        Context::Cdata => memchr::memchr(b'\r', bytes),
        // In one pass: a search for some of them would look again and again at what stands before the others.
        Context::Attribute => special_in_value(bytes),
    }
}

/// The next `&`, `<` or blank but a space in the value of an attribute, which has no other controls.
fn special_in_value(bytes: &[u8]) -> Option<usize> {
    let (sixteens, rest) = bytes.as_chunks::<16>();
    for (number, sixteen) in sixteens.iter().enumerate() {
        let bytes = u8x16::new(*sixteen);
        let markup = bytes.simd_eq(u8x16::splat(b'&')) | bytes.simd_eq(u8x16::splat(b'<'));
        let found = (markup | bytes.simd_eq(bytes.min(u8x16::splat(0x1f)))).to_bitmask();
        if found != 0 {
            return Some(16 * number + found.trailing_zeros() as usize);
        }
    }
    let offset = rest.iter().position(|byte| matches!(byte, b'&' | b'<' | ..b' '))?;
    Some(bytes.len() - rest.len() + offset)
}

fn check_characters(raw: &str, context: Context) -> Result<(), TextFault> {
    if let Some((at, character)) = raw.char_indices().find(|(_, character)| !is_xml_char(*character)) {
        return Err(illegal(at, character));
    }
    match memchr::memmem::find(raw.as_bytes(), b"]]>") {
        Some(at) if context == Context::Content => {
            Err(TextFault::syntax(at, "`]]>` outside a CDATA section: write `]]&gt;`"))
        }
        _ => Ok(()),
    }
}

/// The name of the reference that a text begins with, or `#` and what follows; `None` where its `&` stands for itself.
///
/// No more is looked at than the name, which has no `&`: so all the references of a text are found in one pass. Source:
/// XML 1.0, productions 66 and 68: a reference is `&`, a name or a number, and `;`.
pub fn reference_name(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('&')?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'_' | b'-' | b'.' | b':' | 0x80..);
    let length = rest.bytes().take_while(is_part).count();
    let name = rest.get(..length).filter(|_| rest.as_bytes().get(length) == Some(&b';'))?;
    (name.starts_with('#') || is_entity_name(name)).then_some(name)
}

/// Resolves the reference at `at`, appends what it stands for, and returns where it ends.
fn reference(raw: &str, at: usize, out: &mut String) -> Result<usize, TextFault> {
    let bare = || TextFault::syntax(at, "a bare `&`: write `&amp;`");
    let name = reference_name(&raw[at..]).ok_or_else(bare)?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => match name.strip_prefix('#') {
            Some(number) => {
                let code =
                    numeric(number).ok_or_else(|| TextFault::syntax(at, format!("`&{name};` is not a number")))?;
                match char::from_u32(code).filter(|character| is_xml_char(*character)) {
                    Some(character) => character,
                    None => {
                        let message = format!("`&{name};` stands for a character that XML does not allow");
                        return Err(TextFault { at, message: message.into(), illegal_character: true });
                    }
                }
            }
            None => {
                return Err(TextFault::syntax(
                    at,
                    format!("`&{name};` is not an entity of XML, and none is ever expanded"),
                ));
            }
        },
    };
    out.push(character);
    Ok(at + name.len() + 2)
}

/// What an entity of HTML stands for. Source: WHATWG HTML, named character references.
pub fn entity(name: &str) -> Option<&'static str> {
    let text = htmlize::ENTITIES.get(format!("&{name};").as_bytes())?;
    std::str::from_utf8(text).ok()
}

/// Whether a value still holds a reference that stands for nothing known: of an entity that neither XML nor HTML has, or
/// of a number that is not one.
pub fn has_unresolved_reference(text: &str) -> bool {
    let mut names = memchr::memchr_iter(b'&', text.as_bytes()).filter_map(|at| reference_name(&text[at..]));
    names.any(|name| match name.strip_prefix('#') {
        Some(number) => !number.is_empty() && number.chars().all(char::is_alphanumeric) && numeric(number).is_none(),
        None => entity(name).is_none(),
    })
}

/// The number that `233` or `xE9` writes, with any number of leading zeros; past all code points, a number that is not a code point.
pub fn numeric(number: &str) -> Option<u32> {
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    // Seven digits hold every code point; more of them cannot be one.
    let code = if significant.len() <= 7 { u32::from_str_radix(significant, radix).unwrap_or(0) } else { u32::MAX };
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(raw: &str, context: Context) -> Result<String, TextFault> {
        let mut out = String::new();
        decode(raw, context, &mut out).map(|()| out)
    }

    #[test]
    fn references_are_resolved_once() {
        assert_eq!(decoded("a&amp;b&lt;&gt;&quot;&apos;", Context::Content).unwrap(), "a&b<>\"'");
        assert_eq!(decoded("&amp;amp;&#38;#38;", Context::Content).unwrap(), "&amp;&#38;");
        assert_eq!(decoded("&#233;&#xE9;&#x1F642;&#0000000065;&#x000a;", Context::Content).unwrap(), "éé🙂A\n");
        assert_eq!(decoded("&amp;", Context::Cdata).unwrap(), "&amp;");
    }

    #[test]
    fn the_grammar_tells_references_from_ampersands() {
        for name in ["amp", "a.b", "a-b", "a_b", "a:b", ":", "\u{e9}", "x1", "#1", "#a-b"] {
            assert_eq!(reference_name(&format!("&{name}; &x;")), Some(name));
            assert_eq!(reference_name(&format!("&{name}&x;")), None, "{name}");
        }
        for text in ["&;", "&1;", "&-x;", "&.x;", "&\u{d7};", "&a b;", "&a/b;", "&a", "&", "a;", ""] {
            assert_eq!(reference_name(text), None, "{text}");
        }
        assert!(has_unresolved_reference("?a&b.c;&amp;") && has_unresolved_reference("&#1a;"));
        assert!(!has_unresolved_reference("&b=c;&eacute;&#99;&-x;"));
    }

    #[test]
    fn line_ends_and_blanks() {
        assert_eq!(decoded("a\r\nb\rc\n", Context::Content).unwrap(), "a\nb\nc\n");
        assert_eq!(decoded("a\r\nb\r", Context::Cdata).unwrap(), "a\nb\n");
        assert_eq!(decoded("a\r\nb\tc\nd&#10;", Context::Attribute).unwrap(), "a b c d\n");
    }

    #[test]
    fn values_are_normalised_wherever_something_stands_in_them() {
        let pieces = [
            ("a", "a"),
            ("of-sixteen-bytes", "of-sixteen-bytes"),
            ("é>'\"", "é>'\""),
            ("&amp;", "&"),
            ("&#10;", "\n"),
            ("\t", " "),
            ("\n", " "),
            ("\r\n", " "),
        ];
        for seed in 1..5_000 {
            let mut numbers = crate::tests::Numbers(seed);
            let of = 3 + numbers.below(6);
            let drawn: Vec<_> = (0..numbers.below(12)).map(|_| pieces[numbers.below(of) as usize]).collect();
            let (raw, value): (String, String) = drawn.into_iter().unzip();
            assert_eq!(decoded(&raw, Context::Attribute).unwrap(), value, "{raw:?}");
            let refused = decoded(&format!("{raw}<{raw}"), Context::Attribute).unwrap_err();
            assert_eq!(refused.at, raw.len(), "{raw:?}");
        }
    }

    #[test]
    fn what_is_refused_and_where() {
        for (raw, at) in [
            ("a & b", 2),
            ("a&b", 1),
            ("a&;", 1),
            ("&copy;", 0),
            ("&#0;", 0),
            ("&#xD800;", 0),
            ("&#;", 0),
            ("&#x;", 0),
            ("&#+65;", 0),
            ("&#99999999;", 0),
            ("&#xFFFE;", 0),
            ("x]]>", 1),
            ("é\u{1}", 2),
            ("\u{fffe}", 0),
            ("&AMP;", 0),
            ("&#X41;", 0),
            ("&#1a;", 0),
        ] {
            assert_eq!(decoded(raw, Context::Content).unwrap_err().at, at, "{raw:?}");
        }
        assert_eq!(decoded("a<b", Context::Attribute).unwrap_err().at, 1);
        assert_eq!(decoded("x]]>", Context::Attribute).unwrap(), "x]]>");
        for (raw, illegal) in
            [("\u{b}", true), ("&#11;", true), ("&#xFFFFFFFFF;", true), ("&#1a;", false), ("&b;", false)]
        {
            assert_eq!(decoded(raw, Context::Content).unwrap_err().illegal_character, illegal, "{raw:?}");
        }
    }
}
