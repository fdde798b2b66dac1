//! What is wrong with the extensions of an entry: images, videos, links to other versions, and the news article.
//!
//! `lint` reports it with its place in the document, and whatever writes refuses the row. Both ask here, so the rule, the
//! words and the remedy are the same.

mod alternate;
mod href;
mod image;
mod news;
mod place;
mod video;

use crate::diagnostic::{Rule, Safety};

pub use alternate::{Link, alternates};
pub use image::images;
pub use news::news;
pub use place::{Item, Part, Place, Spot};
pub use video::video;

/// Something that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub rule: &'static Rule,
    pub message: String,
    pub help: Option<String>,
    /// What can be written in place of the value, and whether that changes more than the defect.
    pub instead: Option<(Safety, String)>,
}

impl Fault {
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Fault {
        Fault { rule, message: message.into(), help: None, instead: None }
    }

    fn with_help(self, help: impl Into<String>) -> Fault {
        Fault { help: Some(help.into()), ..self }
    }

    fn with_instead(self, safety: Safety, text: impl Into<String>) -> Fault {
        Fault { instead: Some((safety, text.into())), ..self }
    }
}

/// Whoever has an entry judged: it knows which rules are asked for, what the values are, and what to do with a fault.
pub trait Judge<'a> {
    /// A value: a place in a document, or a text of a row.
    type Value: Copy;

    fn asks(&self, rule: &'static Rule) -> bool;

    /// The text of a value, if it has one that is not empty.
    fn text(&self, value: Self::Value) -> Option<&'a str>;

    /// Whether the value is there, if only as an empty element.
    fn is_present(&self, value: Self::Value) -> bool;

    /// The same answer as [`is_href`](crate::value::href::is_href).
    fn is_href(&mut self, text: &str) -> bool;

    /// Whether an article without the name and the language of its publication has an element for one.
    fn has_publication(&self) -> bool;

    /// Microseconds since the epoch; nothing here reads a clock.
    fn checked_at(&self) -> i64;

    /// Of times that have none, `Z` or `+01:00`.
    fn zone(&self) -> Option<&str>;

    fn found(&mut self, place: Place, fault: Fault);
}
