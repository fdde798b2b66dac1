//! The names of roots: which tags begin a document that is read, and which a page.

use crate::diagnostic::{Fix, Note, Safety, grammar};
use crate::read::kind::Kind;
use crate::read::lexer::name::split;
use crate::read::lexer::tag::Tag;
use crate::read::stop::Stop;
use crate::xml::is_xml_blank;

/// Bytes of a tag's name that are looked at: no name that we know is longer.
const LONGEST_NAME: usize = 64;

/// What a root of this local name is; names in the wrong case are known too.
pub fn kind_of(local: &str) -> Option<Kind> {
    Some(match local.to_ascii_lowercase().as_str() {
        "urlset" => Kind::Urlset,
        "sitemapindex" => Kind::Sitemapindex,
        "rss" | "rdf" => Kind::Rss,
        "feed" => Kind::Atom,
        _ => return None,
    })
}

/// The name of the tag that begins at `at`, as far as it could be one that is known; `None` where no tag begins.
pub fn tag_name(window: &str, at: usize, has_ended: bool) -> Result<Option<&str>, Stop> {
    let rest = &window.as_bytes()[at..];
    if rest[0] != b'<' {
        return Ok(None);
    }
    let is_end = |byte: &u8| is_xml_blank(*byte) || matches!(byte, b'>' | b'<' | b'/' | b'=' | b'"' | b'\'');
    match rest[1..].iter().take(LONGEST_NAME).position(is_end) {
        Some(0) => Ok(None),
        Some(length) => Ok(window.get(at + 1..at + 1 + length)),
        None if rest.len() > LONGEST_NAME || has_ended => Ok(None),
        None => Err(Stop::NeedData),
    }
}

/// Whether a tag of this name is one that only pages have.
pub fn is_html(name: &str) -> bool {
    const NAMES: [&str; 12] =
        ["html", "head", "body", "title", "meta", "div", "script", "center", "h1", "p", "style", "link"];
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Where, after something else, an XML declaration or the root of a sitemap begins.
///
/// What a comment holds is not part of the document, but one that does not end hides nothing. It may still end unless the
/// text `is_all` there is to look at: more of it is needed then.
pub fn root_in(text: &str, is_all: bool) -> Result<Option<usize>, Stop> {
    let mut visible = 0;
    let mut has_comments = true;
    let found = memchr::memchr_iter(b'<', text.as_bytes()).find(|at| {
        if *at < visible {
            return false;
        }
        let rest = &text.as_bytes()[at + 1..];
        if has_comments && rest.starts_with(b"!--") {
            let end = memchr::memmem::find(rest, b"-->");
            has_comments = end.is_some();
            visible = end.map_or(visible, |end| at + 1 + end + 3);
            return false;
        }
        if rest.starts_with(b"?xml") {
            return rest.get(4).copied().is_some_and(is_xml_blank);
        }
        let name = tag_name(text, *at, false).ok().flatten().unwrap_or_default();
        let local = split(name).1;
        ["urlset", "sitemapindex", "rss"].iter().any(|known| local.eq_ignore_ascii_case(known))
    });
    if found.is_some() && !has_comments && !is_all { Err(Stop::NeedData) } else { Ok(found) }
}

/// The note of a root's tag whose name is not in lower case.
pub fn wrong_case(tag: &Tag, name: &str) -> Option<Note> {
    let local = split(name).1;
    if ["urlset", "sitemapindex", "rss", "feed", "RDF"].contains(&local) {
        return None;
    }
    let message = format!("`{local}` is written in the wrong case");
    let range = tag.name_end - local.len()..tag.name_end;
    let fix = Fix::replace(Safety::Safe, range, local.to_ascii_lowercase());
    Some(Note::new(&grammar::XML011, tag.start..tag.name_end, message).once("case").with_fix(fix))
}
