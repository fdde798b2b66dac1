//! Names: which texts are one, and their two parts.

use crate::read::stop::Stop;
use crate::xml::{is_inner_only, is_name_char, is_xml_blank};

/// `prefix:local` apart; without a colon the prefix is "".
pub fn split(name: &str) -> (&str, &str) {
    // Names are short: a search of the library takes longer to begin than this one to end.
    match name.bytes().position(|byte| byte == b':') {
        Some(colon) => (&name[..colon], &name[colon + 1..]),
        None => ("", name),
    }
}

/// Past the blanks at `at`.
pub fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).copied().is_some_and(is_xml_blank) {
        at += 1;
    }
    at
}

/// Return how long a name is that is written as nearly every name: plain ASCII, without a prefix. 0: it begins otherwise.
#[inline]
pub fn simple_length(bytes: &[u8]) -> usize {
    if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    bytes.iter().take_while(|byte| IS_SIMPLE[usize::from(**byte)]).count()
}

/// Whether each byte may be in such a name.
const IS_SIMPLE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Where the qualified name that begins at `at` ends. Source: XML 1.0 productions 4 and 5, Namespaces production 7.
pub fn name(window: &str, at: usize, what: &str) -> Result<usize, Stop> {
    let bytes = &window.as_bytes()[at..];
    let simple = simple_length(bytes);
    if simple > 0 && bytes.get(simple).is_some_and(|byte| matches!(byte, b'=' | b' ' | b'>' | b'/')) {
        return Ok(at + simple);
    }
    let rest = &window[at..];
    let length = rest.find(|character| !is_name_char(character)).ok_or(Stop::NeedData)?;
    if !is_built_well(&rest[..length]) {
        return Err(Stop::malformed(at, format!("{what} is missing or not a name of XML")));
    }
    Ok(at + length)
}

/// Whether a text is a qualified name.
pub fn is_name(text: &str) -> bool {
    (!text.is_empty() && simple_length(text.as_bytes()) == text.len())
        || (text.chars().all(is_name_char) && is_built_well(text))
}

/// Whether characters of names make a qualified name.
fn is_built_well(text: &str) -> bool {
    let (prefix, local) = split(text);
    let starts_well =
        |part: &str| part.chars().next().is_some_and(|first| is_name_char(first) && !is_inner_only(first));
    starts_well(local) && (!text.contains(':') || starts_well(prefix)) && !local.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_is_one_where_a_tag_takes_it() {
        for text in [
            "a", "a:b", "é", "_", "a-1", "a.b:c", "日本", "", "1", "1a", ":a", "a:", "a:b:c", "a:1", "-", "a b", "a$",
            "×",
        ] {
            let ended = format!("{text}>");
            assert_eq!(is_name(text), name(&ended, 0, "").is_ok_and(|end| end == text.len()), "{text:?}");
        }
        assert!(is_name("image:loc") && !is_name("image:loc:x"));
    }
}
