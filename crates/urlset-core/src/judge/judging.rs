//! Whoever has an entry judged: the linter, and whatever writes.

use super::fault::Fault;
use super::place::Place;
use crate::diagnostic::Rule;
use crate::value::href::Href;
use crate::value::zone::Zone;

/// Whoever has an entry judged: it knows which rules are asked for, what the values are, and what to do with a fault.
pub trait Judge<'a> {
    /// A value: a place in a document, or a text of a row.
    type Value: Copy;

    fn asks(&self, rule: &'static Rule) -> bool;

    /// The text of a value, if it has one that is not empty.
    fn text(&self, value: Self::Value) -> Option<&'a str>;

    /// Whether the value is there, if only as an empty element.
    fn is_present(&self, value: Self::Value) -> bool;

    /// The same answer as [`Href::of`], or `Usable` for `Normal`.
    fn href(&mut self, text: &str) -> Href;

    /// Whether an article without the name and the language of its publication has an element for one.
    fn has_publication(&self) -> bool;

    /// Microseconds since the epoch; nothing here reads a clock.
    fn checked_at(&self) -> i64;

    /// Of times that have none, `Z` or `+01:00`.
    fn zone(&self) -> Option<&Zone>;

    fn found(&mut self, place: Place, fault: Fault);
}
