//! Fixes: edits of the text that mend what a rule has found and leave everything else as it is.

use std::ops::Range;

use super::catalogue::Rule;
use crate::read::Kind;
use crate::read::entry::Entry;

/// What a fix may change besides the defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// Nothing: whoever reads the document gets the same, but for the defect.
    Safe,
    /// Perhaps what is meant, or something is dropped: only where that was asked for.
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

/// What is to stand in place of a range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<u64>,
    pub text: String,
}

/// In place of an offset: right behind the name in the root's tag, where namespaces can be declared.
const AT_ROOT: u64 = u64::MAX;

/// One way to mend one finding: all of its edits, or none. Without edits it is the charset that is mended, by writing
/// the document as UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub safety: Safety,
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Something else in place of a range of the window.
    pub fn replace(safety: Safety, range: Range<usize>, text: impl Into<String>) -> Fix {
        Fix { safety, edits: vec![Edit { range: range.start as u64..range.end as u64, text: text.into() }] }
    }

    /// Another declaration on the root.
    pub fn declare(prefix: &str, uri: &str) -> Fix {
        let text = format!(" xmlns:{prefix}=\"{uri}\"");
        Fix { safety: Safety::Safe, edits: vec![Edit { range: AT_ROOT..AT_ROOT, text }] }
    }

    /// The document written as UTF-8, without a byte order mark.
    pub fn charset() -> Fix {
        Fix { safety: Safety::Safe, edits: Vec::new() }
    }

    pub fn is_of_charset(&self) -> bool {
        self.edits.is_empty()
    }

    /// Its places in the whole text: `base` bytes of that stand before the window, and `root` before the end of the
    /// root's name.
    pub fn placed(mut self, base: u64, root: u64) -> Fix {
        for edit in &mut self.edits {
            edit.range = match edit.range.start {
                AT_ROOT => root..root,
                start => start + base..edit.range.end + base,
            };
        }
        self
    }

    /// The same fix where the window has what the mender has copied, if all of it was copied as it is. `origin` says where a
    /// place in the copy comes from.
    pub fn brought_back(mut self, copy: &str, window: &str, origin: impl Fn(usize) -> usize) -> Option<Fix> {
        for edit in &mut self.edits {
            let (start, end) = (edit.range.start as usize, edit.range.end as usize);
            if edit.range.start == AT_ROOT {
                continue;
            }
            let there = origin(start);
            let end_there = there + (end - start);
            // Something put in has nothing but its surroundings to tell that the place is right.
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

/// The element around a value of the window, to be dropped with the lines it is alone on.
/// The value's element is well-formed and its text is what the range has.
pub fn element_around(window: &str, value: Range<usize>) -> Option<Range<usize>> {
    let bytes = window.as_bytes();
    let start = memchr::memrchr(b'<', &bytes[..value.start])?;
    // An empty element has no closing tag.
    let end = match window[start..value.start].trim_end().ends_with("/>") {
        true => value.start,
        false => {
            // Where another markup comes first, such as a comment, its end is not the element's.
            let close = value.end + memchr::memchr(b'<', &bytes[value.end..])?;
            bytes[close..].strip_prefix(b"</")?;
            close + memchr::memchr(b'>', &bytes[close..])? + 1
        }
    };
    Some(whole_lines(window, 0, start..end))
}

/// The range, with the line break and the blanks before it, if it begins a line. Only what stands behind `from` is looked
/// at: what is before or after the piece at hand may not be in the window.
pub fn whole_lines(window: &str, from: usize, range: Range<usize>) -> Range<usize> {
    let before = window[from..range.start].trim_end_matches([' ', '\t']);
    match before.strip_suffix('\n') {
        Some(before) => from + before.strip_suffix('\r').unwrap_or(before).len()..range.end,
        None => range,
    }
}

/// Another text in place of a value's, as it has to be written in this document.
pub fn fixed_value(entry: &Entry<'_>, written: Range<usize>, safety: Safety, text: &str) -> Fix {
    let text = match entry.document {
        Kind::Text | Kind::Robots => text.to_owned(),
        _ => crate::write::escaped(text),
    };
    Fix::replace(safety, written, text)
}

/// The text with every fix made that does not touch what one before it has changed, and how many of each rule those
/// were. What is left over is found again in what comes of it.
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
    use crate::lint::catalogue::{LOC001, MOD001};

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

    #[test]
    fn an_element_that_holds_more_than_text_stays() {
        assert_eq!(element_around("<a><b>x<!-- </b> --></b></a>", 6..7), None);
        assert_eq!(element_around("<a><b><![CDATA[</b>]]></b></a>", 6..6), None);
    }

    #[test]
    fn an_element_goes_with_its_line() {
        for (text, value, left) in [
            ("<a>\n  <b>x</b>\n</a>", "x", "<a>\n</a>"),
            ("<a>\r\n\t<b c='d'>x</b> \r\n</a>", "x", "<a> \r\n</a>"),
            ("<a><b>x</b ></a>", "x", "<a></a>"),
            ("<a> <b>x</b>\n</a>", "x", "<a> \n</a>"),
            ("<a>\n  <b>x</b><c/></a>", "x", "<a><c/></a>"),
        ] {
            let at = text.find(value).unwrap();
            let range = element_around(text, at..at + value.len()).unwrap();
            assert_eq!(format!("{}{}", &text[..range.start], &text[range.end..]), left, "{text:?}");
        }
    }
}
