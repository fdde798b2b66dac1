//! Text as people write it, made into text that XML allows: only characters that XML does not allow are lost.

use std::borrow::Cow;
use std::ops::Range;

use super::output::Output;
use crate::diagnostic::{Fix, Note, Safety, grammar};
use crate::read::text::{Context, entity, numeric, reference_name};
use crate::xml::{escaped, is_xml_blank, is_xml_char};

/// Copies the text, or an attribute's value, and notes what had to be repaired.
pub fn text(window: &str, range: Range<usize>, context: Context, out: &mut Output, notes: &mut Vec<Note>) {
    let bytes = window.as_bytes();
    if bytes[range.clone()].iter().copied().all(is_xml_blank) {
        return out.copy(window, range);
    }
    let mut done = range.start;
    let mut at = range.start;
    while let Some(offset) = bytes[at..range.end].iter().position(|byte| SPECIAL[usize::from(*byte)]) {
        at += offset;
        if bytes[at] == b'>' {
            // What stood before it may have been followed by something that is left out.
            out.copy(window, done..at);
            done = at;
        }
        let ends_section = context != Context::Cdata && bytes[at] == b'>' && out.text.ends_with("]]");
        let found = match ends_section {
            true => Some((1, "&gt;".into())),
            false => special(window, at, range.end, context, notes),
        };
        if let Some((length, instead)) = found {
            out.copy(window, done..at);
            if !instead.is_empty() {
                out.push(&instead, at);
            }
            at += length;
            done = at;
        } else {
            at += window[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    out.copy(window, done..range.end);
}

/// Bytes at which a text may have to be changed.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'&' | b']' | b'<' | b'>' | b'"' | b'\'' | 0xef => true,
            b'\t' | b'\n' | b'\r' => false,
            byte => byte < b' ',
        };
        byte += 1;
    }
    table
};

/// How many bytes at `at` are replaced, and by what; `None` where they can stay.
fn special(
    window: &str,
    at: usize,
    end: usize,
    context: Context,
    notes: &mut Vec<Note>,
) -> Option<(usize, Cow<'static, str>)> {
    let rest = &window[at..end];
    let character = rest.chars().next()?;
    match character {
        '&' if context != Context::Cdata => reference(window, at, end, notes),
        ']' if context == Context::Content && rest.starts_with("]]>") => {
            notes.push(Note::repair(&grammar::XML001, at, "`]]>` outside a CDATA section: write `]]&gt;`"));
            Some((3, "]]&gt;".into()))
        }
        // Whoever found these in a text or a value has noted it.
        '<' if context != Context::Cdata => Some((1, "&lt;".into())),
        '"' if context == Context::Attribute => Some((1, "&quot;".into())),
        '\'' if context == Context::Attribute => Some((1, "&apos;".into())),
        _ if is_xml_char(character) => None,
        _ => {
            let message = format!("the character U+{:04X} is not allowed in XML: it is left out", character as u32);
            let range = at..at + character.len_utf8();
            let safety = removal(window, range.clone());
            notes.push(Note::repair(&grammar::XML007, at, message).with_fix(Fix::replace(safety, range, "")));
            Some((character.len_utf8(), "".into()))
        }
    }
}

/// The reference at `at`, or an `&` that stands for itself.
fn reference(window: &str, at: usize, end: usize, notes: &mut Vec<Note>) -> Option<(usize, Cow<'static, str>)> {
    let rest = &window[at..end];
    let Some(name) = reference_name(rest) else {
        notes.push(Note::repair(&grammar::XML005, at, "a bare `&`: write `&amp;`").with_fix(ampersand(at)));
        return Some((1, "&amp;".into()));
    };
    let whole = name.len() + 2;
    if matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") {
        return None;
    }
    if let Some(number) = name.strip_prefix('#') {
        let Some(code) = numeric(number) else {
            let message = format!("`&{name};` is not a number: write `&amp;`");
            notes.push(Note::repair(&grammar::XML005, at, message).with_fix(ampersand(at)));
            return Some((1, "&amp;".into()));
        };
        if char::from_u32(code).is_some_and(is_xml_char) {
            return None;
        }
        let message = format!("`&{name};` stands for a character that XML does not allow: it is left out");
        let fix = Fix::replace(removal(window, at..at + whole), at..at + whole, "");
        notes.push(Note::repair(&grammar::XML007, at, message).with_fix(fix));
        return Some((whole, "".into()));
    }
    match entity(name) {
        Some(text) => {
            let message = format!("`&{name};` is an entity of HTML, not of XML: it is read as {text:?}");
            let fix = Fix::replace(Safety::Safe, at..at + whole, escaped(text));
            notes.push(Note::repair(&grammar::XML009, at, message).with_fix(fix));
            // It could stand for `<` or `&` itself.
            Some((whole, text.chars().map(|character| format!("&#{};", character as u32)).collect()))
        }
        None => {
            let message = format!("`&{name};` is not an entity of XML, and none is ever expanded");
            notes.push(Note::repair(&grammar::XML009, at, message));
            Some((1, "&amp;".into()))
        }
    }
}

/// Whether an illegal character can be dropped without making markup of what stands around it.
pub fn removal(window: &str, range: Range<usize>) -> Safety {
    let is_apart = |character: Option<char>| {
        character.is_some_and(|character| character.is_alphanumeric() || character.is_ascii_whitespace())
    };
    match is_apart(window[..range.start].chars().next_back()) && is_apart(window[range.end..].chars().next()) {
        true => Safety::Safe,
        false => Safety::Unsafe,
    }
}

fn ampersand(at: usize) -> Fix {
    Fix::replace(Safety::Safe, at..at + 1, "&amp;")
}
