//! What a tag is: a name, attributes, and what the name means here.

use std::ops::Range;

use crate::read::namespaces::element::Element;
use crate::read::stop::Stop;

/// Bytes of a tag that are compared at once.
pub const LONGEST_KEY: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagKind {
    Open,
    Close,
    Empty,
}

/// One tag; its offsets are relative to the window.
#[derive(Debug, Clone, Copy)]
pub struct Tag {
    pub kind: TagKind,
    /// Not set on a closing tag: what that closes is known from what is open.
    pub element: Element,
    /// Where its `<` stands.
    pub start: usize,
    pub name_start: usize,
    pub name_end: usize,
    /// After its `>`.
    pub end: usize,
    /// It declared a namespace: its scope is to be popped when it closes.
    pub scoped: bool,
    /// Of a tag met before: the bytes of its closing tag, and a mask of them. No mask, no such bytes.
    pub close: u128,
    pub close_mask: u128,
}

impl Tag {
    /// A tag that declares nothing, between two offsets of the window.
    pub fn new(kind: TagKind, element: Element, start: usize, name: Range<usize>, end: usize) -> Self {
        let (name_start, name_end) = (name.start, name.end);
        Tag { kind, element, start, name_start, name_end, end, scoped: false, close: 0, close_mask: 0 }
    }

    pub fn name<'w>(&self, window: &'w str) -> &'w str {
        &window[self.name_start..self.name_end]
    }

    /// Where the closing tag `</name>` at `at` ends, if just that stands there.
    #[inline(always)]
    pub fn closed_at(&self, window: &str, at: usize) -> Option<usize> {
        let bytes = window.as_bytes();
        let length = self.name_end - self.name_start;
        if self.close_mask != 0
            && let Some(chunk) = chunk(bytes, at)
        {
            return ((chunk ^ self.close) & self.close_mask == 0).then_some(at + length + 3);
        }
        let rest = bytes.get(at..)?.strip_prefix(b"</")?;
        (rest.strip_prefix(self.name(window).as_bytes())?.first() == Some(&b'>')).then_some(at + length + 3)
    }
}

/// Name and raw value of an attribute, relative to the window.
#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: Range<usize>,
    pub value: Range<usize>,
    /// The value stands for itself: nothing to resolve, to normalise, or to look at twice.
    pub is_plain: bool,
}

/// Where the closing tag ends, if it closes the element called `opened`.
pub fn closed(opened: &str, window: &str, close: &Tag) -> Result<usize, Stop> {
    let name = close.name(window);
    if opened == name {
        return Ok(close.end);
    }
    Err(Stop::malformed(close.start, format!("`</{name}>` stands where `<{opened}>` has to be closed")))
}

/// The 16 bytes at `at`, the first of them lowest.
#[inline]
pub fn chunk(bytes: &[u8], at: usize) -> Option<u128> {
    bytes.get(at..)?.first_chunk::<LONGEST_KEY>().map(|chunk| u128::from_le_bytes(*chunk))
}
