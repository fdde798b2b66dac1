//! Where a text stands: the elements around it, as a number.

use twox_hash::XxHash3_64;

use super::tag::{Attribute, Tag};

/// Whether an element only marks words of the line that it stands in. One with a class or an id is a place of its own: it
/// is what a script or a template fills.
pub fn is_inline(tag: &Tag) -> bool {
    matches!(
        tag.name.as_slice(),
        b"a" | b"abbr"
            | b"b"
            | b"bdi"
            | b"bdo"
            | b"big"
            | b"cite"
            | b"code"
            | b"dfn"
            | b"em"
            | b"font"
            | b"i"
            | b"kbd"
            | b"mark"
            | b"q"
            | b"s"
            | b"samp"
            | b"small"
            | b"span"
            | b"strong"
            | b"sub"
            | b"sup"
            | b"tt"
            | b"u"
            | b"var"
    ) && tag.get(Attribute::Class).is_none()
        && tag.get(Attribute::Id).is_none()
}

/// Return the place of what stands in an element. Numbers in its class and id do not count: they are those of the page.
pub fn place(outer: u32, tag: &Tag) -> u32 {
    let mut written = Vec::with_capacity(64);
    written.extend_from_slice(&outer.to_le_bytes());
    written.extend_from_slice(&tag.name);
    for attribute in [Attribute::Class, Attribute::Id] {
        written.push(b' ');
        written.extend(tag.get(attribute).unwrap_or_default().iter().filter(|byte| !byte.is_ascii_digit()));
    }
    XxHash3_64::oneshot(&written) as u32
}
