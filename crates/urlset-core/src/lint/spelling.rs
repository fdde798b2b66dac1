//! References that a loc still has.

use crate::read::text::numeric;

/// The first reference that a loc still holds after its references were resolved.
pub fn escaped_again(loc: &str) -> Option<&str> {
    memchr::memchr_iter(b'&', loc.as_bytes()).find_map(|at| reference(&loc[at..])).map(|(text, _)| text)
}

/// The reference that a text begins with, and what it stands for.
fn reference(text: &str) -> Option<(&str, char)> {
    // The names of most parameters begin with another letter.
    if !matches!(text.as_bytes().get(1), Some(b'#' | b'a' | b'g' | b'l' | b'q')) {
        return None;
    }
    let end = text.bytes().take(9).position(|byte| byte == b';')?;
    let character = match &text[1..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        name => char::from_u32(numeric(name.strip_prefix('#')?)?)?,
    };
    Some((&text[..=end], character))
}

/// The loc with one layer of escaping fewer.
pub fn escaped_once(loc: &str) -> String {
    let (mut out, mut rest) = (String::new(), loc);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, character) = reference(rest).map_or((1, '&'), |(text, character)| (text.len(), character));
        out.push(character);
        rest = &rest[length..];
    }
    out + rest
}
