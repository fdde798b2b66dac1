//! Documents that are lists of lines: text lists of URLs, and the `Sitemap:` lines of a robots.txt.
//!
//! Source: sitemaps.org protocol, "Text file": one URL a line and nothing else. What a line of a robots.txt states,
//! [`robots`] knows.

use std::ops::Range;

use super::Document;
use crate::diagnostic::{Fix, Note, Notebook, Safety, grammar};
use crate::read::entries::entry::EntryKind;
use crate::read::entries::sink::Sink;
use crate::read::entries::slots::Slot;
use crate::read::index::window::is_url;
use crate::read::kind::Kind;
use crate::read::namespaces::element::Field;
use crate::read::stop::Stop;
use crate::robots::{self, Line, MAX_BYTES, MAX_LINE_BYTES, is_padding};

/// A row that a line holds.
type Found = (Range<usize>, EntryKind);

impl Document {
    /// Takes the line at `at`.
    pub fn line(
        &mut self,
        window: &str,
        at: usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let (end, next) = self.line_end(window, at)?;
        let most = self.content.budget.text_bytes;
        if end - at > most {
            return Err(Stop::limit(at, format!("a line of {} bytes; the configured limit is {most}", end - at)));
        }
        let notes = &mut self.content.tags.notes;
        let found = match self.kind {
            Some(Kind::Robots) => {
                let found = robots(window, at..end, &mut self.robots, notes);
                // The line counts up to the end of its URL, whatever blanks stand around it.
                if let Some((url, _)) = &found
                    && notebook.positions.base() + url.end as u64 > MAX_BYTES as u64
                {
                    let message = "a Sitemap line that ends after the first 500 KiB, which readers ignore";
                    let line = &window[at..end];
                    let range = end - line.trim_start().len()..at + line.trim_end().len();
                    notes.push(Note::new(&grammar::ROB005, range, message).with_help("move it up"));
                }
                found.into_iter().collect()
            }
            _ => urls(window, at..end, notes),
        };
        for (range, kind) in found {
            let line = self.entry_line.of(&self.content.index, range.start);
            self.content.slots.clear();
            self.content.piece_start = at;
            self.content.slots.fields[Field::Loc as usize] = Slot::window(range.start, range.end);
            self.hand_out(window, range, line, kind, sink)?;
        }
        self.record(window, at, next, notebook);
        Ok(next)
    }

    /// Where the line's text ends, and where the next line begins; lines end at LF, CR LF or CR.
    fn line_end(&self, window: &str, at: usize) -> Result<(usize, usize), Stop> {
        let bytes = window.as_bytes();
        match memchr::memchr2(b'\n', b'\r', &bytes[at..]).map(|length| at + length) {
            Some(end) if bytes[end] == b'\n' => Ok((end, end + 1)),
            Some(end) => match bytes.get(end + 1) {
                Some(b'\n') => Ok((end, end + 2)),
                None if !self.has_ended => Err(Stop::NeedData),
                _ => Ok((end, end + 1)),
            },
            None if self.has_ended && at < window.len() => Ok((window.len(), window.len())),
            None => Err(Stop::NeedData),
        }
    }
}

/// The rows of a line of a text list.
fn urls(window: &str, line: Range<usize>, notes: &mut Vec<Note>) -> Vec<Found> {
    let raw = &window[line.clone()];
    let text = raw.trim_ascii();
    if text.len() < raw.len() || text.is_empty() {
        let message = "a line that is blank, or has blanks around its URL";
        let mut range = line.clone();
        if text.is_empty() {
            // The line goes, with what ends it.
            let rest = &window.as_bytes()[range.end..];
            range.end += rest.iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        }
        let fix = Fix::replace(Safety::Safe, range, text);
        notes.push(Note::new(&grammar::TXT003, line.clone(), message).once("blank").with_fix(fix));
    }
    let place = |part: &str| {
        let start = line.start + (part.as_ptr() as usize - raw.as_ptr() as usize);
        start..start + part.len()
    };
    let (found, message) = urls_of(text);
    notes.extend(message.map(|message| Note::new(&grammar::TXT001, place(text), message)));
    found.into_iter().map(|url| (place(url), EntryKind::Url)).collect()
}

/// The URLs of a line without blanks around it, and what is wrong with the line.
fn urls_of(text: &str) -> (Vec<&str>, Option<&'static str>) {
    let mut words = text.split_ascii_whitespace();
    let Some(first) = words.next() else { return (Vec::new(), None) };
    if first.len() == text.len() && is_bare_url(first) {
        return (vec![first], None);
    }
    if words.clone().any(is_bare_url) {
        // Commas between URLs are not part of them.
        let urls = text.split_ascii_whitespace().filter(|word| is_bare_url(word));
        let urls: Vec<&str> = urls.map(|word| word.trim_end_matches([',', ';'])).collect();
        return (urls, Some("a line that holds more than one URL and nothing else"));
    }
    if !is_bare_url(first) {
        return (Vec::new(), Some("not an absolute URL: the line is skipped"));
    }
    // Its blanks belong to the URL, which is what a line has, unless it is plain that something else follows.
    let own = match text.split_once('\t') {
        Some((column, _)) => column.trim_ascii_end(),
        None if words.next().is_some_and(is_no_part_of_url) => first,
        None => text,
    };
    (vec![own], (own.len() < text.len()).then_some("something else follows the URL, and is left out"))
}

/// Whether a word is a URL. NBSP and the like are neither blanks of text nor part of a URL: the checks trim and report
/// them.
fn is_bare_url(word: &str) -> bool {
    is_url(word.trim_start_matches(|character: char| !character.is_ascii()))
}

/// Whether a word behind a URL begins something else: a comment, a date, a field as in `lastmod=2026-01-31`, or a remark
/// after a dash.
fn is_no_part_of_url(word: &str) -> bool {
    let field = word.split_once('=').map_or("", |(field, _)| field);
    let is_field = ["lastmod", "changefreq", "priority"].iter().any(|known| field.eq_ignore_ascii_case(known));
    word.starts_with('#') || is_date(word) || is_field || matches!(word, "-" | "–" | "—" | "|" | "->")
}

/// Whether a word begins as `2026-01-31` does.
pub fn is_date(word: &str) -> bool {
    let is_form = |(at, byte): (usize, &u8)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() };
    word.len() >= 10 && word.as_bytes()[..10].iter().enumerate().all(is_form)
}

/// The sitemap that a line of robots.txt names.
fn robots(window: &str, line: Range<usize>, groups: &mut robots::Grouping, notes: &mut Vec<Note>) -> Option<Found> {
    let mut end = line.end.min(line.start + MAX_LINE_BYTES);
    while !window.is_char_boundary(end) {
        end -= 1;
    }
    let raw = &window[line.start..end];
    let is_cut = line.end > end && !raw.contains('#');
    let Line { field, key, value, has_colon } = Line::of(raw)?;
    let offset = |part: &str| line.start + (part.as_ptr() as usize - raw.as_ptr() as usize);
    let range = offset(key)..offset(value) + value.len();
    if let (_, Some(_)) = groups.take(field, 0) {
        // Source: RFC 9309, 2.2.4: other records must not end a group.
        let message = "this crawler joins the group before it, which only Allow and Disallow end";
        let help =
            "write a rule between them, such as an empty `Disallow:`; some crawlers take other records for an end";
        notes.push(Note::new(&grammar::ROB007, range.clone(), message).with_help(help));
    }
    if field != Some(robots::Field::Sitemap) {
        return None;
    }
    let note = |message: &'static str| Note::new(&grammar::ROB002, range.clone(), message);
    if value.is_empty() {
        notes.push(note("a Sitemap line without a URL"));
        return None;
    }
    let respelled = Fix::replace(Safety::Safe, range.clone(), format!("Sitemap: {value}"));
    notes.extend(match () {
        () if is_cut => Some(note("a line that is longer than readers take: the rest is cut off")),
        () if !key.eq_ignore_ascii_case("sitemap") => Some(note("the key is not `Sitemap`").with_fix(respelled)),
        () if !has_colon => Some(note("a colon is missing after `Sitemap`").with_fix(respelled)),
        () if !value.contains("://") => Some(note("the URL is not absolute")),
        () => None,
    });
    Some((offset(value)..offset(value) + value.len(), EntryKind::Sitemap))
}

/// Whether a line is a comment of a robots.txt.
pub fn is_comment(line: &str) -> bool {
    line.trim_start_matches(is_padding).starts_with('#')
}

/// Whether a line is one that only a robots.txt has.
pub fn is_directive(line: &str) -> bool {
    let text = line.trim_matches(is_padding);
    // Many texts begin with their license.
    field_of(text).is_some_and(|field| field != robots::Field::License)
        || (robots::Field::of(text) == Some(robots::Field::Sitemap) && text.split_ascii_whitespace().count() == 2)
}

/// Whether a line is one of those of which a robots.txt has at least one; nothing else has lines like it.
pub fn is_group(line: &str) -> bool {
    use robots::Field::{Disallow, Sitemap, UserAgent};
    matches!(field_of(line), Some(UserAgent | Disallow | Sitemap))
}

/// The field of a line with nothing but a key before its colon.
fn field_of(line: &str) -> Option<robots::Field> {
    let (key, _) = line.split_once(':')?;
    robots::Field::of_exactly(key.trim_matches(is_padding))
}
