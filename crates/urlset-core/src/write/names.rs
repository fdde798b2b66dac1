//! What the columns of a source are called.

use std::collections::HashMap;

/// What readers and sources say of an entry besides its fields: where it came from, and how a list for people shows it.
/// Whoever does not use that leaves it out silently.
pub const FURTHER: [&str; 9] =
    ["document", "kind", "line", "file", "lastmod_source", "content", "title", "description", "markdown"];

/// The names that a source has for the columns of a row, where they are not our own names.
#[derive(Debug, Clone, Default)]
pub struct ColumnNames(HashMap<String, String>);

impl ColumnNames {
    /// `mapped` has the names of the source by our own names.
    pub fn new(mapped: HashMap<String, String>) -> ColumnNames {
        ColumnNames(mapped)
    }

    /// Whether the source uses our own names.
    pub fn are_own(&self) -> bool {
        self.0.is_empty()
    }

    /// Return what the source calls a column. None if the source means something else by that name: it is mapped to
    /// another one, or it repeats a lastmod that is mapped.
    pub fn of<'n>(&'n self, ours: &'n str) -> Option<&'n str> {
        match self.0.get(ours) {
            Some(name) => Some(name),
            None if ours == "lastmod_raw" && self.0.contains_key("lastmod") => None,
            None => (!self.0.values().any(|name| name == ours)).then_some(ours),
        }
    }

    /// Return our name for a column of the source, if it has one.
    pub fn ours<'n>(&'n self, name: &'n str, known: &[&'static str]) -> Option<&'static str> {
        if self.0.is_empty() {
            return known.iter().find(|known| **known == name).copied();
        }
        known.iter().find(|known| self.of(known) == Some(name)).copied()
    }

    /// Whether a name is a field of urlset that is mapped to another column: a column of that name is then not used.
    pub fn is_replaced(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Return the names of the source that have to be there.
    pub fn mapped(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }
}
