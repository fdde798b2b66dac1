//! What a segment of an entry means: what follows it, and what it holds.

use crate::read::namespaces::element::{Element, Field};

/// What follows a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The text of a field of the entry.
    Field(Field),
    /// The text of a field of its last image.
    ImageField(Element),
    /// An attribute's value of its last link.
    Hreflang,
    Href,
    /// An attribute's value of a link of Atom.
    FeedLink(LinkState),
    FeedId,
    /// A date of a feed, by its rank.
    FeedDate(u8),
    /// A text in an item that is not kept.
    Skipped(Around),
    /// An attribute's value in an item that is not kept.
    SkippedValue(Around),
    /// What comes after the entry.
    End,
}

/// The elements around what is skipped, by the numbers of their names. The text of a segment does not say what has to close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Around {
    /// The element that is skipped with the elements inside, or 0 right inside the item.
    pub outer: u8,
    /// The element with this text or value, or 0 where its whole tag is in the segment.
    pub inner: u8,
}

/// How much of a link of Atom has been read, up to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkState {
    pub href: HrefState,
    /// Whether its `rel` says that it leads to the page; `None` before that.
    pub is_page: Option<bool>,
}

/// Where the address of a link stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HrefState {
    /// Behind the value, if anywhere.
    Missing,
    /// It is the value.
    Follows,
    /// Before the value.
    Given,
}

/// What begins inside a segment, and at which byte of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    Nothing,
    Image(usize),
    Link(usize),
}

/// What a segment means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    pub target: Target,
    pub begins: Begins,
    /// Where in it the values of attributes stand that are the same for all links: `rel` and `media`.
    pub rel: Option<(usize, usize)>,
    pub media: Option<(usize, usize)>,
    /// Of an item: the text that follows is that of a CDATA section, which begins at the end of the segment.
    pub is_section: bool,
    /// Of an item: a link to the page ends inside the segment, and its address was read before.
    pub ends_link: bool,
    /// Of an item: an element begins inside the segment that is passed over, and this is the place of its namespace among
    /// those that are counted.
    pub counted: Option<usize>,
}

impl Meaning {
    pub fn of(target: Target) -> Self {
        Meaning {
            target,
            begins: Begins::Nothing,
            rel: None,
            media: None,
            is_section: false,
            ends_link: false,
            counted: None,
        }
    }

    /// There is more to the segment than what follows it.
    pub fn holds_more(&self) -> bool {
        *self != Meaning::of(self.target)
    }
}
