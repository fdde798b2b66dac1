//! Elements and attributes: escaped, and refused if they hold a character that XML does not allow.

use super::error::Refusal;
use crate::diagnostic::catalogue;
use crate::xml::{escape_attribute, escape_text, strip_range};

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
    Refusal::new(&catalogue::XML007, format!("XML does not allow U+{:04X}: remove it", character as u32))
}

/// Return a text as readers give it back, without outer blanks; None if nothing is left.
#[inline(always)]
pub fn stripped(value: Option<&str>) -> Option<&str> {
    let value = value?;
    let range = strip_range(value);
    // Nearly all have none, and are not cut.
    let bare = if range.len() == value.len() { value } else { &value[range] };
    (!bare.is_empty()).then_some(bare)
}

/// The tags around an element that holds only text.
#[derive(Debug, Clone, Copy)]
pub struct Tags {
    pub open: &'static str,
    pub close: &'static str,
}

/// The tags with this name.
macro_rules! tags {
    ($name:literal) => {
        $crate::write::element::Tags { open: concat!("<", $name, ">"), close: concat!("</", $name, ">") }
    };
}
pub(crate) use tags;

/// Appends an element that holds only text.
#[inline(always)]
pub fn element(tags: Tags, value: &str, out: &mut String) -> Result<(), Refusal> {
    out.push_str(tags.open);
    text(value, out)?;
    out.push_str(tags.close);
    Ok(())
}
