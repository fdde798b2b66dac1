//! Values of recognised entries that need a closer look: those that are padded or hold a reference.

use std::ops::Range;

use crate::read::entries::slots::Slot;
use crate::read::grammar::content::{attribute_slot, stripped, stripped_scratch};
use crate::read::index::structural_index::StructuralIndex;
use crate::read::lexer::attribute_cache::plain_value;
use crate::read::lexer::tag::Attribute;
use crate::read::text::{self, Context};

/// The value of an attribute that is padded or holds a reference, and where it ends.
#[inline(never)]
pub fn odd_attribute(window: &str, at: usize, scratch: &mut String) -> Option<(Slot, usize)> {
    let end = plain_value(window.as_bytes(), at, b'"')?;
    let attribute = Attribute { name: at..at, value: at..end, is_plain: false };
    Some((attribute_slot(window, &attribute, scratch).ok()?, end))
}

/// The value of a text that is padded or holds a reference, and where it ends; the plain text of it is `plain`.
#[inline(never)]
pub fn odd_text(
    index: &StructuralIndex,
    window: &str,
    plain: Range<usize>,
    scratch: &mut String,
) -> Option<(Slot, usize)> {
    const AMPERSAND: &str = "&amp;";
    if window.as_bytes()[plain.end] == b'<' {
        return Some((stripped(window, plain.clone()), plain.end));
    }
    let (start, mut done, mut stop) = (scratch.len(), plain.start, plain.end);
    // Nearly every reference is this one, and where no window held anything special, nothing else needs a look.
    while window.as_bytes()[stop..].starts_with(AMPERSAND.as_bytes()) {
        scratch.push_str(&window[done..stop]);
        scratch.push('&');
        done = stop + AMPERSAND.len();
        stop = index.stop(done)?;
    }
    let end = index.less(window.as_bytes(), stop)?;
    if stop == end {
        scratch.push_str(&window[done..end]);
    } else {
        text::decode(&window[done..end], Context::Content, scratch).ok()?;
    }
    Some((stripped_scratch(scratch, start, window, plain.start..end), end))
}
