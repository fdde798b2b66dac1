//! Markup other than tags: comments, CDATA sections and processing instructions.

use std::ops::Range;

use memchr::memmem;

use super::name;
use crate::read::index::structural_index::section_end;
use crate::read::index::window::starts;
use crate::read::stop::Stop;
use crate::read::text;
use crate::xml::{is_xml_blank, is_xml_char};

/// What begins a CDATA section, and what ends it.
pub const SECTION_START: &str = "<![CDATA[";
pub const SECTION_END: &str = "]]>";

/// One piece of content after a `<` that is not a tag.
pub enum Piece {
    /// A comment or processing instruction: nothing to keep.
    Silent,
    /// A CDATA section's raw text.
    Cdata(Range<usize>),
}

/// The comment, CDATA section or processing instruction at `at`, and where it ends; `None` for a tag.
pub fn piece(window: &str, at: usize) -> Result<Option<(Piece, usize)>, Stop> {
    match window.as_bytes().get(at + 1).ok_or(Stop::NeedData)? {
        b'?' => instruction(window, at).map(|end| Some((Piece::Silent, end))),
        b'!' if starts(window, at, "<!--")? => comment(window, at).map(|end| Some((Piece::Silent, end))),
        b'!' if starts(window, at, SECTION_START)? => {
            let start = at + SECTION_START.len();
            let end = start + section_end(&window.as_bytes()[start..]).ok_or(Stop::NeedData)?;
            Ok(Some((Piece::Cdata(start..end), end + SECTION_END.len())))
        }
        b'!' => Err(Stop::malformed(at, "a declaration inside an element")),
        _ => Ok(None),
    }
}

/// Where the comment at `at` ends. Source: XML 1.0 production 15: no `--` inside.
pub fn comment(window: &str, at: usize) -> Result<usize, Stop> {
    let start = at + "<!--".len();
    let dashes = start + memmem::find(&window.as_bytes()[start..], b"--").ok_or(Stop::NeedData)?;
    match window.as_bytes().get(dashes + 2).ok_or(Stop::NeedData)? {
        b'>' => checked(window, start..dashes).map(|()| dashes + 3),
        _ => Err(Stop::malformed(dashes, "`--` inside a comment")),
    }
}

/// Where the processing instruction at `at` ends. Source: XML 1.0 productions 16 and 17: a name, not `xml`.
pub fn instruction(window: &str, at: usize) -> Result<usize, Stop> {
    let target_end = name::name(window, at + 2, "the target of a processing instruction")?;
    let target = &window[at + 2..target_end];
    if target.eq_ignore_ascii_case("xml") {
        return Err(Stop::malformed(at, "an XML declaration that is not at the very beginning of the document"));
    }
    if target.contains(':') {
        return Err(Stop::malformed(at, "a colon in the target of a processing instruction"));
    }
    let end = target_end + memmem::find(&window.as_bytes()[target_end..], b"?>").ok_or(Stop::NeedData)?;
    if end > target_end && !is_xml_blank(window.as_bytes()[target_end]) {
        return Err(Stop::malformed(target_end, "a processing instruction's target is not followed by a blank"));
    }
    checked(window, target_end..end).map(|()| end + 2)
}

/// That the text holds only characters that XML allows.
pub fn checked(window: &str, range: Range<usize>) -> Result<(), Stop> {
    match window[range.clone()].char_indices().find(|(_, character)| !is_xml_char(*character)) {
        None => Ok(()),
        Some((offset, character)) => Err(Stop::text(range.start, text::illegal(offset, character))),
    }
}

/// Where the comment, CDATA section or processing instruction at `at` ends, which need not be well-formed; `None` for
/// anything else. What is in it is not markup.
pub fn broken_piece(window: &str, at: usize) -> Result<Option<usize>, Stop> {
    // `<!-->` opens and closes a comment, as far as anybody reads it.
    let (skipped, close) = if starts(window, at, "<!--")? {
        (2, "-->")
    } else if starts(window, at, SECTION_START)? {
        (SECTION_START.len(), SECTION_END)
    } else if starts(window, at, "<?")? {
        (2, "?>")
    } else {
        return Ok(None);
    };
    let start = at + skipped;
    let length = memmem::find(&window.as_bytes()[start..], close.as_bytes()).ok_or(Stop::NeedData)?;
    Ok(Some(start + length + close.len()))
}

/// Where the comment or instruction at `at` ends, if it is one.
pub fn comment_or_instruction(window: &str, at: usize) -> Result<Option<usize>, Stop> {
    if starts(window, at, "<?")? {
        return instruction(window, at).map(Some);
    }
    if starts(window, at, "<!--")? {
        return comment(window, at).map(Some);
    }
    Ok(None)
}
