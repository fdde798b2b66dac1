//! Escaping in what is written: a character that XML does not allow is refused.

use super::Refusal;
use crate::diagnostic::catalogue;
use crate::xml::{escape_attribute, escape_text};

/// Appends a value as character data.
pub fn text(value: &str, out: &mut String) -> Result<(), Refusal> {
    escape_text(value, out).map_err(refusal)
}

/// Appends a value as an attribute's.
pub fn attribute(value: &str, out: &mut String) -> Result<(), Refusal> {
    escape_attribute(value, out).map_err(refusal)
}

#[cold]
fn refusal(character: char) -> Refusal {
    Refusal::new(&catalogue::XML007, format!("U+{:04X} cannot stand in XML: remove it", character as u32))
}
