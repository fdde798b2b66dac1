//! What a document of lines is, by the lines that it begins with: a list of URLs, or a robots.txt.
//!
//! Comments, messages of a server and markup may come first. Every decision is made by the same first bytes, so the split
//! of the document cannot change it.

use memchr::memmem;

use super::declaration::is_declaration;
use super::lines::{is_comment, is_directive, is_group};
use super::refusal::is_binary;
use super::root_names::{is_html, kind_of, root_in, tag_name};
use super::{Document, csv};
use crate::read::index::window::ceil_boundary;
use crate::read::index::window::is_url;
use crate::read::kind::Kind;
use crate::read::lexer::name::split;
use crate::read::stop::Stop;
use crate::xml::is_xml_blank;

/// Bytes at the beginning in which something readable has to begin, if the document does not begin with it.
pub const NOISE: usize = 64 * 1024;

/// Whether a location is that of a robots.txt. Source: RFC 9309, section 2.3: its path is `/robots.txt`.
pub fn names_robots(location: &str) -> bool {
    let path = location.split(['?', '#']).next().unwrap_or_default();
    path.rsplit(['/', '\\']).next().is_some_and(|name| name.eq_ignore_ascii_case("robots.txt"))
}

impl Document {
    /// The kind of a document that begins with text at `at`; `None` where that is not a document of lines.
    pub fn kind_of_text(&self, window: &str, at: usize) -> Result<Option<Kind>, Stop> {
        let (looked, is_all) = self.beginning_of(window, at);
        let mut rows = 0;
        for line in looked.split_inclusive(['\n', '\r']) {
            if !is_all && !line.ends_with(['\n', '\r']) {
                return Err(Stop::NeedData);
            }
            match kind_of_line(line) {
                // One such line may be a URL; two are rows of a table.
                None if csv::is_header(line) => rows = 2,
                Some(Kind::Text) if csv::is_row(line) => rows += 1,
                // In a robots.txt a URL is not a directive, but nothing else either.
                Some(Kind::Text) if self.is_named_robots => break,
                Some(kind) => return Ok(Some(kind)),
                None if line.contains('<') && (!is_comment(line) || root_in(line, true)?.is_some()) => break,
                None => {}
            }
            if rows == 2 {
                // Whether a sitemap follows must not depend on how much of the document has come.
                return if is_all { Ok(None) } else { Err(Stop::NeedData) };
            }
        }
        if is_all { self.kind_in(looked) } else { Err(Stop::NeedData) }
    }

    /// The same for a document that begins with markup: a robots.txt may have comments like those of XML, or a message
    /// of its server, before its first directive.
    pub fn kind_behind_markup(&self, window: &str, at: usize) -> Result<Option<Kind>, Stop> {
        let (looked, is_all) = self.beginning_of(window, at);
        let Some(rest) = behind_comments(looked) else {
            // A comment that does not end, as far as can be seen.
            return if is_all { self.kind_in(looked) } else { Err(Stop::NeedData) };
        };
        let next = looked.len() - rest.len();
        if !is_all && "<!--".starts_with(rest) {
            return Err(Stop::NeedData);
        }
        match rest.as_bytes().get(..2) {
            Some(b"<?" | b"<!") => return Ok(None),
            Some([b'<', _]) => {
                let name = tag_name(looked, next, is_all)?.unwrap_or_default();
                if kind_of(split(name).1).is_some() || is_html(name) {
                    return Ok(None);
                }
            }
            _ => {}
        }
        if is_all { self.kind_in(looked) } else { Err(Stop::NeedData) }
    }

    /// Whether a sitemap follows the DOCTYPE at `at`.
    pub fn is_of_sitemap(&self, window: &str, at: usize) -> Result<bool, Stop> {
        let (looked, is_all) = self.beginning_of(window, at);
        let wait = || if is_all { Ok(false) } else { Err(Stop::NeedData) };
        let Some(end) = memchr::memchr(b'>', looked.as_bytes()) else { return wait() };
        match behind_comments(&looked[end + 1..]) {
            None | Some("") => wait(),
            Some(rest) if rest.starts_with("<?") => is_declaration(rest, 0, is_all),
            Some(rest) => {
                let name = tag_name(rest, 0, is_all)?.unwrap_or_default();
                Ok(kind_of(split(name).1).is_some())
            }
        }
    }

    /// The bytes that decide what a document is, and whether more of them cannot come.
    pub fn beginning_of<'w>(&self, window: &'w str, at: usize) -> (&'w str, bool) {
        let rest = &window[at..];
        (&rest[..ceil_boundary(rest, NOISE)], self.has_ended || rest.len() >= NOISE)
    }

    /// The kind of a document whose lines do not begin with what they list: a sitemap may follow, or it is a page.
    fn kind_in(&self, looked: &str) -> Result<Option<Kind>, Stop> {
        if root_in(looked, true)?.is_some() || has_page(looked) {
            return Ok(None);
        }
        let mut lines = looked.split(['\n', '\r']);
        if lines.clone().any(is_group) {
            return Ok(Some(Kind::Robots));
        }
        if lines.any(|line| kind_of_line(line) == Some(Kind::Text)) {
            return Ok(Some(Kind::Text));
        }
        Ok((self.is_named_robots && is_text(looked)).then_some(Kind::Robots))
    }
}

fn kind_of_line(line: &str) -> Option<Kind> {
    if is_url(line.trim_start_matches(|character: char| !character.is_ascii_graphic())) {
        return Some(Kind::Text);
    }
    is_directive(line).then_some(Kind::Robots)
}

/// The text behind the comments and blanks that it begins with; `None` where one of them does not end.
fn behind_comments(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start_matches(|character: char| character.is_ascii() && is_xml_blank(character as u8));
        let Some(comment) = text.strip_prefix("<!--") else { return Some(text) };
        text = &comment[memmem::find(comment.as_bytes(), b"-->")? + 3..];
    }
}

/// Whether a text has the tags of a whole page in it.
fn has_page(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
        let name = tag_name(text, at, true).ok().flatten().unwrap_or_default();
        ["html", "head", "body", "!doctype"].iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Whether a document is text that is not in a format of its own.
fn is_text(text: &str) -> bool {
    !behind_comments(text).unwrap_or_default().starts_with(['{', '[', '<']) && !text.contains(is_binary)
}
