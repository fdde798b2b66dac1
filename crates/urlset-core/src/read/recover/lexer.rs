//! Tags as people write them: what counts as a tag where the grammar of XML does not see one.

use std::borrow::Cow;
use std::ops::Range;

use crate::diagnostic::{Fix, Note, Safety, grammar};
use crate::read::lexer::name::{is_name, simple_length, skip_blanks};
use crate::read::lexer::tag::TagKind;
use crate::read::stop::Stop;
use crate::xml::{is_name_char, is_xml_blank, is_xml_char};

/// A tag, well-formed or not; its offsets are in the window.
#[derive(Debug)]
pub struct LooseTag<'w> {
    pub kind: TagKind,
    pub start: usize,
    /// Without the characters that no XML can hold.
    pub name: Cow<'w, str>,
    /// It is a name of XML.
    pub is_name: bool,
    /// Where that is written.
    pub name_range: Range<usize>,
    /// Those that can be kept: each with a name of XML, none twice.
    pub attributes: Vec<(Range<usize>, Range<usize>)>,
    pub end: usize,
}

impl<'w> LooseTag<'w> {
    /// Without attributes.
    fn new(kind: TagKind, start: usize, name: Cow<'w, str>, name_range: Range<usize>, end: usize) -> Self {
        LooseTag { kind, start, name, is_name: true, name_range, attributes: Vec::new(), end }
    }
}

/// The tag whose `<` is at `at`; `None` where that is just a character of text. A name that `is_known` makes it a tag
/// even where it does not end.
pub fn tag<'w>(
    window: &'w str,
    at: usize,
    is_known: impl Fn(&str) -> bool,
    most_attributes: usize,
    notes: &mut Vec<Note>,
) -> Result<Option<LooseTag<'w>>, Stop> {
    let bytes = window.as_bytes();
    let closing = *bytes.get(at + 1).ok_or(Stop::NeedData)? == b'/';
    // A blank after `</` is forgiven; after `<` it makes that a character of text.
    let start = if closing { skip_blanks(bytes, at + 2) } else { at + 1 };
    let first = *bytes.get(start).ok_or(Stop::NeedData)?;
    if !closing && is_xml_blank(first) {
        return spaced_closing(window, at, is_known, notes);
    }
    if !(first.is_ascii_alphabetic() || first == b'_' || first == b':' || first >= 0x80) {
        return Ok(None);
    }
    let kind = if closing { TagKind::Close } else { TagKind::Open };
    if closing && start > at + 2 {
        notes.push(Note::repair(&grammar::XML001, at, "a blank before the name of a closing tag"));
    }
    let simple_end = start + simple_length(&bytes[start..]);
    if simple_end > start && bytes.get(simple_end) == Some(&b'>') {
        // Nearly every tag is a name and nothing else.
        let name = Cow::Borrowed(&window[start..simple_end]);
        return Ok(Some(LooseTag::new(kind, at, name, start..simple_end, simple_end + 1)));
    }
    let name_end = word_end(bytes, start)?;
    let name = clean(window, start..name_end, notes);
    let is_name = is_name(&name);
    let mut tag = LooseTag { is_name, ..LooseTag::new(kind, at, name, start..name_end, name_end) };
    loop {
        let next = skip_blanks(bytes, tag.end);
        match *bytes.get(next).ok_or(Stop::NeedData)? {
            b'>' => {
                tag.end = next + 1;
                return Ok(Some(tag));
            }
            b'/' if *bytes.get(skip_blanks(bytes, next + 1)).ok_or(Stop::NeedData)? == b'>' => {
                let end = skip_blanks(bytes, next + 1);
                if end > next + 1 {
                    notes.push(Note::repair(&grammar::XML001, next, "a blank between `/` and `>`"));
                }
                if !closing {
                    tag.kind = TagKind::Empty;
                }
                tag.end = end + 1;
                return Ok(Some(tag));
            }
            b'<' => {
                // The tag has no end: it is one anyway if anybody would take it for one.
                if tag.attributes.is_empty() && !is_known(&tag.name) {
                    return Ok(None);
                }
                notes.push(Note::repair(&grammar::XML001, at, "a tag without its `>`"));
                tag.end = next;
                return Ok(Some(tag));
            }
            _ => tag.end = attribute(window, next, &mut tag, most_attributes, notes)?,
        }
    }
}

/// The closing tag at `at` that has a blank behind its `<`, if nothing else can be meant by it: `< /loc>`.
fn spaced_closing<'w>(
    window: &'w str,
    at: usize,
    is_known: impl Fn(&str) -> bool,
    notes: &mut Vec<Note>,
) -> Result<Option<LooseTag<'w>>, Stop> {
    let bytes = window.as_bytes();
    let slash = skip_blanks(bytes, at + 1);
    if *bytes.get(slash).ok_or(Stop::NeedData)? != b'/' {
        return Ok(None);
    }
    let start = skip_blanks(bytes, slash + 1);
    let name_end = word_end(bytes, start)?;
    let name = &window[start..name_end];
    let end = skip_blanks(bytes, name_end);
    if !is_known(name) || *bytes.get(end).ok_or(Stop::NeedData)? != b'>' {
        return Ok(None);
    }
    notes.push(Note::repair(&grammar::XML001, at, format!("a blank inside a closing tag: write `</{name}>`")));
    let tag = LooseTag::new(TagKind::Close, at, Cow::Borrowed(name), start..name_end, end + 1);
    Ok(Some(LooseTag { is_name: is_name(name), ..tag }))
}

/// Passes what stands at `at` inside a tag, and keeps it if it is an attribute that can be kept.
fn attribute(
    window: &str,
    at: usize,
    tag: &mut LooseTag<'_>,
    most: usize,
    notes: &mut Vec<Note>,
) -> Result<usize, Stop> {
    let bytes = window.as_bytes();
    let name_end = word_end(bytes, at)?;
    if name_end == at {
        notes.push(Note::repair(&grammar::XML001, at, "a character that is not allowed in a tag"));
        let width = window[at..].chars().next().map_or(1, char::len_utf8);
        return Ok(at + width);
    }
    if tag.attributes.len() == most {
        return Err(Stop::limit(at, format!("more than {most} attributes on one tag")));
    }
    let equals = skip_blanks(bytes, name_end);
    if *bytes.get(equals).ok_or(Stop::NeedData)? != b'=' {
        notes.push(Note::repair(&grammar::XML001, at, "an attribute without `=` and a value"));
        return Ok(name_end);
    }
    let quote_at = skip_blanks(bytes, equals + 1);
    let quote = *bytes.get(quote_at).ok_or(Stop::NeedData)?;
    let (value, end) = if quote == b'"' || quote == b'\'' {
        quoted(bytes, quote_at, quote, notes)?
    } else {
        notes.push(Note::repair(&grammar::XML001, at, "an attribute's value without quotes"));
        let length = bytes[quote_at..].iter().position(|byte| is_xml_blank(*byte) || matches!(byte, b'>' | b'<'));
        let end = quote_at + length.ok_or(Stop::NeedData)?;
        // The `/` of `/>` belongs to the tag, not to a URL.
        let end = if bytes[quote_at..end].ends_with(b"/") && bytes[end] == b'>' { end - 1 } else { end };
        (quote_at..end, end)
    };
    let name = &window[at..name_end];
    if !is_name(name) {
        notes.push(Note::repair(&grammar::XML001, at, "an attribute's name that is not a name of XML"));
    } else if tag.attributes.iter().any(|(known, _)| window[known.clone()] == *name) {
        notes.push(Note::repair(&grammar::XML001, at, format!("the attribute {name} stands twice on one tag")));
    } else if tag.kind != TagKind::Close {
        tag.attributes.push((at..name_end, value));
    } else {
        notes.push(Note::repair(&grammar::XML001, at, "a closing tag holds more than its name"));
    }
    Ok(end)
}

/// The value that begins with the quote at `at`, and where what follows it begins. A quote that never ends is taken
/// to end with the tag.
fn quoted(bytes: &[u8], at: usize, quote: u8, notes: &mut Vec<Note>) -> Result<(Range<usize>, usize), Stop> {
    let mut tag_end = None;
    let mut end = at + 1;
    loop {
        end +=
            bytes[end..].iter().position(|byte| *byte == quote || matches!(byte, b'<' | b'>')).ok_or(Stop::NeedData)?;
        match bytes[end] {
            b'>' => tag_end = tag_end.or(Some(end)),
            b'<' => {
                if let Some(tag_end) = tag_end {
                    // The `/` of `/>` belongs to the tag, not to a URL.
                    let end = tag_end - usize::from(bytes[at + 1..tag_end].ends_with(b"/"));
                    let message = format!("a quote that is not closed: write `{}` behind the value", char::from(quote));
                    notes.push(Note::repair(&grammar::XML001, at, message));
                    return Ok((at + 1..end, end));
                }
                notes.push(Note::repair(&grammar::XML001, end, "`<` in an attribute's value: write `&lt;`"));
            }
            _ => return Ok((at + 1..end, end + 1)),
        }
        end += 1;
    }
}

/// Where the run of characters that make a name, or could be meant to, ends.
fn word_end(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let ends = |byte: &u8| is_xml_blank(*byte) || matches!(byte, b'>' | b'<' | b'/' | b'=' | b'"' | b'\'');
    bytes[at..].iter().position(ends).map(|length| at + length).ok_or(Stop::NeedData)
}

/// A name without the characters that no XML can hold.
fn clean<'w>(window: &'w str, range: Range<usize>, notes: &mut Vec<Note>) -> Cow<'w, str> {
    let written = &window[range.clone()];
    let is_plain = |byte: u8| byte > b' ' && byte.is_ascii();
    if written.bytes().all(is_plain) || written.chars().all(is_xml_char) {
        return Cow::Borrowed(written);
    }
    let mut name = String::new();
    for (offset, character) in written.char_indices() {
        if is_xml_char(character) {
            name.push(character);
        } else {
            let message = format!("the character U+{:04X} is not allowed in XML: it is left out", character as u32);
            let at = range.start + offset;
            let fix = Fix::replace(Safety::Unsafe, at..at + character.len_utf8(), "");
            notes.push(Note::repair(&grammar::XML007, at, message).with_fix(fix));
        }
    }
    Cow::Owned(name)
}

/// The offset of the first character that is not allowed in a name, in something written as a name; 0 if the name is built
/// wrong. Characters that XML does not allow are reported separately.
pub fn bad_character(written: &str) -> usize {
    written.find(|character| is_xml_char(character) && !is_name_char(character)).unwrap_or(0)
}
