//! What reading passes over: the grammar allows it, and no value of an entry comes from it.
//!
//! It is kept only for sinks that look at it: few do, and reading is faster without.

use std::ops::Range;

/// One thing that was passed over, in offsets of the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// An element inside an entry that has no meaning there.
    Element(Stranger),
    /// An element right under the root that is not an entry.
    ChildOfRoot(Stranger),
    /// A field that an entry of an index cannot have, from its `<` to behind its closing tag.
    FieldOfIndex { name: Range<usize>, written: Range<usize> },
    /// An attribute without a prefix on one of the protocol's own elements.
    Attribute { name: Range<usize>, tag: Range<usize> },
    /// Text between elements, the blanks around it left out.
    Text(Range<usize>),
}

/// An element that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    /// Where its `<` stands.
    pub at: usize,
    pub name: Range<usize>,
    /// The namespace that it is in; empty where it is in none or its prefix was never declared.
    pub uri: String,
    /// It is in the namespace of the root.
    pub is_core: bool,
    /// Its name has a meaning, though not here.
    pub is_known: bool,
}
