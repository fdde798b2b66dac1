//! Where in an entry a fault is.

use std::fmt;

use crate::media::{NEWS, VIDEO_TEXTS};

/// The fields of an alternate, by the index that [`Part::Text`] has.
pub const ALTERNATE: [&str; 4] = ["hreflang", "href", "media", "rel"];

/// What the fault is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    Entry,
    Image(usize),
    Video(usize),
    Alternate(usize),
    News,
}

/// A value of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// By its index among the texts of a video, of an article or of an alternate; the loc of an image.
    Text(usize),
    /// The URL of a content segment.
    Segment(usize),
    Tag(usize),
}

/// What of the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    Whole,
    Value(Part),
    /// The element of a value, because of something that it lacks or because it is one too many.
    Element(Part),
    /// The texts at these indexes are missing.
    Lacking(Vec<usize>),
}

/// Where in an entry a fault is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub item: Item,
    pub spot: Spot,
}

impl Place {
    pub fn whole(item: Item) -> Place {
        Place { item, spot: Spot::Whole }
    }

    pub fn text(item: Item, index: usize) -> Place {
        Place { item, spot: Spot::Value(Part::Text(index)) }
    }
}

/// As one would write it in Python: `videos[0].duration`.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, at): (&[&str], usize) = match self.item {
            Item::Entry => return formatter.write_str("alternates"),
            Item::Image(at) => (&["loc"], at),
            Item::Video(at) => (&VIDEO_TEXTS, at),
            Item::Alternate(at) => (&ALTERNATE, at),
            Item::News => (&NEWS, 0),
        };
        match self.item {
            Item::Image(_) => write!(formatter, "images[{at}]")?,
            Item::Video(_) => write!(formatter, "videos[{at}]")?,
            Item::Alternate(_) => write!(formatter, "alternates[{at}]")?,
            Item::News | Item::Entry => formatter.write_str("news")?,
        }
        match &self.spot {
            Spot::Value(Part::Text(index)) | Spot::Element(Part::Text(index)) => {
                write!(formatter, ".{}", names[*index])
            }
            Spot::Value(Part::Segment(at)) | Spot::Element(Part::Segment(at)) => {
                write!(formatter, ".content_segments[{at}].loc")
            }
            Spot::Value(Part::Tag(at)) | Spot::Element(Part::Tag(at)) => write!(formatter, ".tags[{at}]"),
            Spot::Whole | Spot::Lacking(_) => Ok(()),
        }
    }
}
