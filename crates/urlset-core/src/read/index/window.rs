//! Questions about the window: what begins at an offset, and where text can be cut.

use std::ops::Range;

use wide::u8x16;

use crate::read::stop::Stop;
use crate::xml::is_xml_blank;

/// Whether `literal` stands at `at`; needs data where the window ends before that is certain.
pub fn starts(window: &str, at: usize, literal: &str) -> Result<bool, Stop> {
    let rest = &window.as_bytes()[at..];
    let length = rest.len().min(literal.len());
    if rest[..length] != literal.as_bytes()[..length] {
        return Ok(false);
    }
    if length < literal.len() { Err(Stop::NeedData) } else { Ok(true) }
}

/// Where the blanks at `at` end; needs data where nothing follows them yet.
pub fn first_not_blank(window: &str, at: usize) -> Result<usize, Stop> {
    let blanks = window.as_bytes()[at..].iter().take_while(|byte| is_xml_blank(**byte)).count();
    if at + blanks == window.len() { Err(Stop::NeedData) } else { Ok(at + blanks) }
}

/// Whether there are only blanks in a range, which mostly has few bytes or none.
#[inline(always)]
pub fn is_blank(bytes: &[u8], range: Range<usize>) -> bool {
    if range.is_empty() {
        return true;
    }
    match bytes.get(range.start..).and_then(|rest| rest.first_chunk::<16>()) {
        Some(chunk) if range.len() <= 16 => {
            let chunk = u8x16::new(*chunk);
            let others = !chunk.simd_eq(chunk.min(u8x16::splat(b' '))).to_bitmask();
            others.trailing_zeros() as usize >= range.len()
        }
        _ => bytes[range].iter().all(|byte| *byte <= b' '),
    }
}

/// The last character boundary at or before `at`.
pub fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The next character boundary at or after `at`, or the end.
pub fn ceil_boundary(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Whether a text begins as an absolute URL that sitemaps may list.
pub fn is_url(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)) && text.len() > scheme.len()
    })
}
