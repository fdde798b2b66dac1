//! Fixes: edits of the text that remove the cause of a finding and leave everything else as it is.

use std::ops::Range;

use super::rule::Rule;

/// What a fix may change besides the defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// Nothing: readers of the document get the same, except for the defect.
    Safe,
    /// The meaning may change, or something is dropped: applied only on request.
    Unsafe,
    /// It is a guess that only a person can confirm: shown, never applied.
    Display,
}

impl Safety {
    pub const fn name(self) -> &'static str {
        match self {
            Safety::Safe => "safe",
            Safety::Unsafe => "unsafe",
            Safety::Display => "display",
        }
    }
}

/// The text that replaces a range of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<u64>,
    pub text: String,
}

/// Stands for the offset right after the name in the root's tag, where namespaces can be declared.
const AT_ROOT: u64 = u64::MAX;

/// One way to fix one finding: all of its edits are applied, or none. Without edits the charset is fixed: the document is
/// written as UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub safety: Safety,
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Replaces a range of the window.
    pub fn replace(safety: Safety, range: Range<usize>, text: impl Into<String>) -> Fix {
        Fix { safety, edits: vec![Edit { range: range.start as u64..range.end as u64, text: text.into() }] }
    }

    /// Declares another namespace on the root.
    pub fn declare(prefix: &str, uri: &str) -> Fix {
        let text = format!(" xmlns:{prefix}=\"{uri}\"");
        Fix { safety: Safety::Safe, edits: vec![Edit { range: AT_ROOT..AT_ROOT, text }] }
    }

    /// Writes the document as UTF-8, without a byte order mark.
    pub fn charset() -> Fix {
        Fix { safety: Safety::Safe, edits: Vec::new() }
    }

    pub fn is_of_charset(&self) -> bool {
        self.edits.is_empty()
    }

    /// The same fix in offsets of the whole text: `base` bytes of that stand before the window, and `root` before the end
    /// of the root's name.
    pub fn in_document(mut self, base: u64, root: u64) -> Fix {
        for edit in &mut self.edits {
            edit.range = match edit.range.start {
                AT_ROOT => root..root,
                start => start + base..edit.range.end + base,
            };
        }
        self
    }

    /// The same fix in the window instead of the copy that recovery made, if all of it was copied unchanged. `origin` maps
    /// an offset of the copy to the window.
    pub fn brought_back(mut self, copy: &str, window: &str, origin: impl Fn(usize) -> usize) -> Option<Fix> {
        for edit in &mut self.edits {
            let (start, end) = (edit.range.start as usize, edit.range.end as usize);
            if edit.range.start == AT_ROOT {
                continue;
            }
            let there = origin(start);
            let end_there = there + (end - start);
            // An insertion can be checked only by what stands before it.
            let before = |text: &str, at: usize| at.checked_sub(1).map(|before| text.as_bytes()[before]);
            let is_alike = window.get(there..end_there) == copy.get(start..end)
                && (start < end || before(window, there) == before(copy, start));
            if !is_alike {
                return None;
            }
            edit.range = there as u64..end_there as u64;
        }
        Some(self)
    }

    fn start(&self) -> u64 {
        self.edits.iter().map(|edit| edit.range.start).min().unwrap_or(0)
    }
}

/// Return the text after every fix that touches nothing an earlier one has changed, and how many of each rule were
/// applied. What is left over is found again when the result is read.
pub fn apply(text: &str, fixes: &[(&'static Rule, Fix)], is_unsafe: bool) -> (String, Vec<(&'static str, u64)>) {
    let mut wanted: Vec<&(&'static Rule, Fix)> = fixes
        .iter()
        .filter(|(_, fix)| fix.safety == Safety::Safe || is_unsafe && fix.safety == Safety::Unsafe)
        .filter(|(_, fix)| !fix.edits.is_empty())
        .collect();
    wanted.sort_by_key(|(_, fix)| fix.start());
    let mut taken: std::collections::BTreeMap<u64, &Edit> = std::collections::BTreeMap::new();
    let mut applied: std::collections::BTreeMap<&'static str, u64> = std::collections::BTreeMap::new();
    for (rule, fix) in wanted {
        let is_free = |edit: &Edit| {
            let before = taken.range(..=edit.range.start).next_back();
            let after = taken.range(edit.range.start..).next();
            before.is_none_or(|(start, other)| other.range.end <= edit.range.start && *start < edit.range.start)
                && after.is_none_or(|(start, _)| edit.range.end <= *start)
        };
        let fits = |edit: &Edit| {
            let (start, end) = (edit.range.start as usize, edit.range.end as usize);
            text.get(start..end).is_some_and(|there| there != edit.text)
        };
        if fix.edits.iter().all(|edit| is_free(edit) && fits(edit)) {
            taken.extend(fix.edits.iter().map(|edit| (edit.range.start, edit)));
            *applied.entry(rule.code).or_default() += 1;
        }
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in taken.values() {
        out.push_str(&text[at..edit.range.start as usize]);
        out.push_str(&edit.text);
        at = edit.range.end as usize;
    }
    out.push_str(&text[at..]);
    (out, applied.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::catalogue::{LOC001, MOD001};

    #[test]
    fn fixes_that_touch_wait_for_the_next_time() {
        let text = "one two three";
        let fixes = [
            (&MOD001, Fix::replace(Safety::Safe, 4..7, "2")),
            (&LOC001, Fix::replace(Safety::Safe, 5..9, "x")),
            (&LOC001, Fix::replace(Safety::Unsafe, 8..13, "3")),
            (&MOD001, Fix::replace(Safety::Safe, 0..0, "zero ")),
            (&MOD001, Fix::replace(Safety::Safe, 0..0, "null ")),
            (&MOD001, Fix::replace(Safety::Display, 0..1, "O")),
            (&MOD001, Fix::replace(Safety::Safe, 40..41, "out of it")),
        ];
        assert_eq!(apply(text, &fixes, false), ("zero one 2 three".into(), vec![("MOD001", 2)]));
        assert_eq!(apply(text, &fixes, true), ("zero one 2 3".into(), vec![("LOC001", 1), ("MOD001", 2)]));
    }
}
