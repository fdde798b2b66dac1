//! The rules, in the reading pass: a [`Sink`] that looks at every entry as it was written.

pub mod catalogue;
pub mod rules;

use crate::read::entry::{Entry, Sink};
use crate::read::finding::Note;
use crate::value::loc;
use catalogue::Rule;

/// Which rules are asked. A code stands for itself or, as in `LOC`, for all that begin so.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// None selects every rule.
    pub select: Option<Vec<String>>,
    pub ignore: Vec<String>,
}

impl Selection {
    pub fn takes(&self, rule: &Rule) -> bool {
        let named = |codes: &[String]| codes.iter().any(|code| rule.code.starts_with(code.as_str()));
        self.select.as_deref().is_none_or(named) && !named(&self.ignore)
    }
}

/// The rules that see one entry, as a sink of the reader that keeps their findings.
#[derive(Debug)]
pub struct Linter {
    /// Of the document's own location, to compare with those of its locs.
    host: Option<String>,
    entries: u64,
}

impl Linter {
    /// Rules for the document at `location`, which decides which hosts are foreign.
    pub fn new(location: Option<&str>) -> Self {
        Linter { host: location.and_then(loc::host_name).map(str::to_owned), entries: 0 }
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }
}

impl Sink for Linter {
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        self.entries += 1;
        rules::entry(entry, self.host.as_deref(), notes);
    }
}
