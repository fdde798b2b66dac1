//! Comments and instructions that are closed wrongly, or never: where they must have ended.
//!
//! Only what is not well-formed comes here. Each decision is made by what precedes it, or once nothing more can come.

use memchr::memmem;

use super::name::skip_blanks;
use crate::read::stop::Stop;
use crate::xml::is_xml_blank;

const COMMENT: &str = "a comment that is not closed: write `-->`";
const INSTRUCTION: &str = "a processing instruction that is not closed: write `?>`";

/// What the window was searched for in vain: it is not anywhere behind either.
#[derive(Debug, Default)]
pub struct Unclosed {
    pub sections: bool,
    comments: bool,
    arrows: bool,
    instructions: bool,
}

/// Where something begins from `from` on, unless it is known to be missing.
pub fn find(window: &str, from: usize, what: &str, missing: Option<&mut bool>) -> Option<usize> {
    if missing.as_ref().is_some_and(|missing| **missing) {
        return None;
    }
    let found = memmem::find(&window.as_bytes()[from..], what.as_bytes());
    if let Some(missing) = missing {
        *missing = found.is_none();
    }
    found.map(|found| from + found)
}

/// Where the comment at `at` ends, and what is wrong with that end. One that nothing closes ends with `->`, or before a tag
/// that `is_known`.
pub fn comment_end(
    window: &str,
    at: usize,
    unclosed: Option<&mut Unclosed>,
    is_known: impl Fn(&str) -> bool,
) -> Result<(usize, Option<&'static str>), Stop> {
    let start = at + "<!--".len();
    if !unclosed.as_ref().is_some_and(|unclosed| unclosed.comments)
        && let Some(end) = closed(window, start)
    {
        return Ok(end);
    }
    let unclosed = unclosed.ok_or(Stop::NeedData)?;
    unclosed.comments = true;
    if let Some(arrow) = find(window, start, "->", Some(&mut unclosed.arrows)) {
        return Ok((arrow + 2, Some(COMMENT)));
    }
    known_tag(window, start, is_known).map(|tag| (tag, Some(COMMENT))).ok_or(Stop::NeedData)
}

/// Where the first tag from `start` on begins that `is_known`.
pub fn known_tag(window: &str, start: usize, is_known: impl Fn(&str) -> bool) -> Option<usize> {
    memchr::memchr_iter(b'<', &window.as_bytes()[start..]).map(|less| start + less).find(|less| {
        let name = &window[less + 1..];
        let name = name.strip_prefix('/').unwrap_or(name);
        let is_end = |byte: u8| is_xml_blank(byte) || matches!(byte, b'>' | b'/' | b'<');
        name.bytes().take(LONGEST_NAME).position(is_end).is_some_and(|length| is_known(&name[..length]))
    })
}

/// Bytes of a name that is looked at.
const LONGEST_NAME: usize = 64;

/// Where the text of a comment that begins at `start` is closed: by `-->`, by `--!>` or `-- >` as in HTML and by mistake,
/// or by `->` if another comment begins before anything else closes it.
fn closed(window: &str, start: usize) -> Option<(usize, Option<&'static str>)> {
    let bytes = window.as_bytes();
    let (mut next, mut searched) = (start, start);
    loop {
        let dashes = next + memmem::find(&bytes[next..], b"--")?;
        if bytes[start..dashes].ends_with(b"<!") {
            if let Some(arrow) = memmem::find(&bytes[searched..dashes], b"->") {
                return Some((searched + arrow + 2, Some(COMMENT)));
            }
            searched = dashes;
        }
        let behind = dashes + 2;
        match bytes.get(behind)? {
            b'>' => return Some((behind + 1, None)),
            b'!' if *bytes.get(behind + 1)? == b'>' => return Some((behind + 2, Some(COMMENT))),
            blank if is_xml_blank(*blank) => {
                let end = skip_blanks(bytes, behind);
                if *bytes.get(end)? == b'>' {
                    return Some((end + 1, Some(COMMENT)));
                }
            }
            _ => {}
        }
        next = dashes + 1;
    }
}

/// The same of an instruction. One that nothing closes ends with `>`, or before a tag.
pub fn instruction_end(
    window: &str,
    at: usize,
    unclosed: Option<&mut Unclosed>,
) -> Result<(usize, Option<&'static str>), Stop> {
    let start = at + "<?".len();
    let is_over = unclosed.is_some();
    if let Some(end) = find(window, start, "?>", unclosed.map(|unclosed| &mut unclosed.instructions)) {
        return Ok((end + 2, None));
    }
    let bytes = window.as_bytes();
    let end = memchr::memchr2(b'>', b'<', &bytes[start..]).filter(|_| is_over).ok_or(Stop::NeedData)? + start;
    Ok((end + usize::from(bytes[end] == b'>'), Some(INSTRUCTION)))
}
