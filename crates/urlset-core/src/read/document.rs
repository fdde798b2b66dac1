//! The document around the entries: prolog, root, what may follow it. One call of [`Document::step`] takes one piece.

use super::content::{Content, closed};
use super::entry::{Entry, EntryKind, Sink};
use super::misc::{checked, comment, instruction, starts};
use super::name::{name, skip_blanks, split};
use super::namespace::{CORE, CORE_HTTPS};
use super::place::Places;
use super::tag::{Element, Tag, TagKind};
use super::{Finding, Kind, Stop};
use crate::limits::Budget;
use crate::lint::catalogue::{self, Rule};
use crate::value::is_xml_blank;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing read yet: only here may an XML declaration stand.
    Beginning,
    Prolog,
    Root,
    Epilog,
}

#[derive(Debug)]
pub struct Document {
    pub content: Content,
    pub kind: Option<Kind>,
    pub findings: Vec<Finding>,
    state: State,
    has_doctype: bool,
    root: String,
}

impl Document {
    pub fn new(budget: Budget) -> Self {
        Document {
            content: Content::new(budget),
            kind: None,
            findings: Vec::new(),
            state: State::Beginning,
            has_doctype: false,
            root: String::new(),
        }
    }

    /// The root has closed: nothing but blanks, comments and instructions may follow.
    pub fn is_complete(&self) -> bool {
        self.state == State::Epilog
    }

    /// Nothing was read but blanks, comments and instructions.
    pub fn is_before_root(&self) -> bool {
        matches!(self.state, State::Beginning | State::Prolog)
    }

    /// Takes pieces of the window from `at` on, which moves past each that is done with, until one changes what the
    /// document is about. On a stop nothing of the piece at `at` has changed, and it is to be read again from there.
    pub fn step(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut impl Sink,
        places: &mut Places,
    ) -> Result<(), Stop> {
        let next = match self.state {
            State::Root => return self.children(window, at, sink, places),
            State::Beginning => {
                let end = declaration(window, *at)?;
                self.state = State::Prolog;
                end
            }
            State::Prolog => self.prolog(window, *at, places)?,
            State::Epilog => {
                let next = first_not_blank(window, *at)?;
                match misc(window, next)? {
                    Some(end) => end,
                    None => {
                        return Err(Stop::malformed(next, format!("content after the end of `<{}>`", self.root)));
                    }
                }
            }
        };
        self.content.check_length(*at, next)?;
        *at = next;
        Ok(())
    }

    /// Takes the children of the root until it closes.
    fn children(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut impl Sink,
        places: &mut Places,
    ) -> Result<(), Stop> {
        while self.state == State::Root {
            let scopes = self.content.tags.scopes.depth();
            match self.child(window, *at, sink, places) {
                Ok(next) => *at = next,
                Err(stop) => {
                    self.content.tags.scopes.truncate(scopes);
                    return Err(stop);
                }
            }
        }
        Ok(())
    }

    fn prolog(&mut self, window: &str, at: usize, places: &mut Places) -> Result<usize, Stop> {
        let next = first_not_blank(window, at)?;
        if window.as_bytes()[next] != b'<' {
            return Err(Stop::not_a_sitemap(next, "it begins with text that is not XML"));
        }
        if let Some(end) = misc(window, next)? {
            return Ok(end);
        }
        if starts(window, next, "<!")? {
            let end = doctype(window, next)?;
            if std::mem::replace(&mut self.has_doctype, true) {
                return Err(Stop::malformed(next, "a second DOCTYPE"));
            }
            return Ok(end);
        }
        let tag = self.content.tags.read(window, next).map_err(|stop| html_first(window, next, stop))?;
        self.open_root(window, &tag, places)?;
        Ok(tag.end)
    }

    fn open_root(&mut self, window: &str, tag: &Tag, places: &mut Places) -> Result<(), Stop> {
        let name = tag.name(window);
        let (prefix, local) = split(name);
        let scopes = &mut self.content.tags.scopes;
        let uri = scopes.uri(prefix).unwrap_or_default().to_owned();
        scopes.set_core(&uri);
        self.kind = match local {
            _ if tag.kind == TagKind::Close => {
                return Err(Stop::malformed(tag.start, format!("`</{name}>` closes nothing")));
            }
            "urlset" => Some(Kind::Urlset),
            "sitemapindex" => Some(Kind::Sitemapindex),
            _ if local.eq_ignore_ascii_case("html") => {
                return Err(Stop::not_a_sitemap(tag.start, "it is an HTML page"));
            }
            "rss" | "feed" | "RDF" => {
                return Err(Stop::not_a_sitemap(
                    tag.start,
                    format!("it is a feed (`<{local}>`), which is not read yet"),
                ));
            }
            _ => {
                return Err(Stop::not_a_sitemap(
                    tag.start,
                    format!("its root is `<{name}>`, not urlset or sitemapindex"),
                ));
            }
        };
        self.check_namespace(window, tag, &uri, places);
        self.root.push_str(name);
        self.state = if tag.kind == TagKind::Empty { State::Epilog } else { State::Root };
        Ok(())
    }

    /// Source: sitemaps.org protocol: the root declares the core namespace; XML compares it as a string.
    fn check_namespace(&mut self, window: &str, tag: &Tag, uri: &str, places: &mut Places) {
        let (rule, message): (&'static Rule, String) = match uri {
            CORE => return,
            "" => (&catalogue::NS001, format!("`<{}>` is in no namespace", tag.name(window))),
            CORE_HTTPS => (&catalogue::NS002, "the namespace begins with https instead of http".into()),
            _ => (&catalogue::NS003, format!("the namespace is {uri:?}, not the one of the protocol")),
        };
        // The value of the declaration is the place, where there is one.
        let prefix = split(tag.name(window)).0;
        let declaration = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        let attributes = &self.content.tags.attributes;
        let written = attributes
            .iter()
            .find(|attribute| window[attribute.name.clone()] == declaration)
            .map_or(tag.start..tag.name_end, |attribute| attribute.value.clone());
        let finding = Finding::new(rule, message, window, tag.start, written, tag.end, places);
        self.findings.push(finding.with_help(format!("use xmlns=\"{CORE}\"")));
    }

    fn child(&mut self, window: &str, at: usize, sink: &mut impl Sink, places: &mut Places) -> Result<usize, Stop> {
        let next = self.content.stray_text(window, at)?;
        if let Some(end) = self.content.piece_end(window, next)? {
            return self.content.check_length(at, end).map(|()| end);
        }
        if let Some(tag) = self.content.tags.known(window, next) {
            return self.entry(window, at, &tag, sink, places);
        }
        let tag = self.content.tags.read(window, next)?;
        if tag.kind == TagKind::Close {
            let end = closed(&self.root, window, &tag)?;
            self.content.check_length(at, end)?;
            self.state = State::Epilog;
            return Ok(end);
        }
        self.entry(window, at, &tag, sink, places)
    }

    /// Hands an entry to the sink; any other element is skipped whole. The piece began at `at`, before the tag.
    fn entry(
        &mut self,
        window: &str,
        at: usize,
        tag: &Tag,
        sink: &mut impl Sink,
        places: &mut Places,
    ) -> Result<usize, Stop> {
        let kind = match tag.element {
            Element::Url => EntryKind::Url,
            Element::Sitemap => EntryKind::Sitemap,
            _ => {
                let end = self.content.skip(window, tag)?;
                return self.content.check_length(at, end).map(|()| end);
            }
        };
        let end = self.content.entry(window, tag)?;
        self.content.check_length(at, end)?;
        let line = places.entry_line(&self.content.index, tag.start);
        let document = self.kind.unwrap_or(Kind::Urlset);
        let entry = Entry { kind, document, window, start: tag.start, end, line, slots: &self.content.slots };
        sink.entry(&entry, places);
        Ok(end)
    }
}

fn first_not_blank(window: &str, at: usize) -> Result<usize, Stop> {
    let blanks = window.as_bytes()[at..].iter().take_while(|byte| is_xml_blank(**byte)).count();
    if at + blanks == window.len() { Err(Stop::NeedData) } else { Ok(at + blanks) }
}

/// Where the comment or instruction at `at` ends, if it is one.
fn misc(window: &str, at: usize) -> Result<Option<usize>, Stop> {
    if starts(window, at, "<?")? {
        return instruction(window, at).map(Some);
    }
    if starts(window, at, "<!--")? {
        return comment(window, at).map(Some);
    }
    Ok(None)
}

/// A page of HTML need not be XML at all: what is wrong with it then is that it is HTML.
fn html_first(window: &str, at: usize, stop: Stop) -> Stop {
    let is_html = window.as_bytes().get(at + 1..at + 5).is_some_and(|name| name.eq_ignore_ascii_case(b"html"));
    match stop {
        Stop::Problem(_) if is_html => Stop::not_a_sitemap(at, "it is an HTML page"),
        other => other,
    }
}

/// Where the XML declaration ends that may stand at the very beginning, or `at` where there is none.
/// Source: XML 1.0 production 23: version, then encoding, then standalone.
fn declaration(window: &str, at: usize) -> Result<usize, Stop> {
    if !starts(window, at, "<?xml")? {
        return Ok(at);
    }
    let inner = at + "<?xml".len();
    if !window.as_bytes().get(inner).copied().map(is_xml_blank).ok_or(Stop::NeedData)? {
        return Ok(at); // some other instruction, such as <?xml-stylesheet
    }
    let end = inner + memchr::memmem::find(&window.as_bytes()[inner..], b"?>").ok_or(Stop::NeedData)?;
    let wrong = |what: &str| Stop::malformed(at, format!("the XML declaration is wrong: {what}"));
    let mut rest = window[inner..end].trim_start_matches([' ', '\t', '\r', '\n']);
    let mut expected = ["version", "encoding", "standalone"].as_slice();
    while !rest.is_empty() {
        let (name, value, after) = pseudo_attribute(rest).ok_or_else(|| wrong("it holds no list of name=\"value\""))?;
        let position = expected
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| wrong("an unknown, repeated or misplaced part"))?;
        if name != "version" && expected[0] == "version" {
            return Err(wrong("the version is missing"));
        }
        expected = &expected[position + 1..];
        let fine = match name {
            "version" => value
                .strip_prefix("1.")
                .is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|digit| digit.is_ascii_digit())),
            "standalone" => matches!(value, "yes" | "no"),
            _ => true,
        };
        if !fine {
            return Err(wrong(&format!("{name} is {value:?}")));
        }
        let next = after.trim_start_matches([' ', '\t', '\r', '\n']);
        if next.len() == after.len() && !next.is_empty() {
            return Err(wrong("a blank is missing"));
        }
        rest = next;
    }
    if expected.len() == 3 {
        return Err(wrong("the version is missing"));
    }
    Ok(end + 2)
}

fn pseudo_attribute(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('=')?;
    let rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, after) = rest[1..].split_once(quote)?;
    Some((name.trim_end_matches([' ', '\t', '\r', '\n']), value, after))
}

/// Where the document type declaration at `at` ends. It is passed over, its declarations neither read nor expanded.
fn doctype(window: &str, at: usize) -> Result<usize, Stop> {
    const OPENING: &[u8] = b"<!DOCTYPE";
    let rest = &window.as_bytes()[at..];
    let length = rest.len().min(OPENING.len());
    if !rest[..length].eq_ignore_ascii_case(&OPENING[..length]) {
        return Err(Stop::malformed(at, "a declaration that is no DOCTYPE before the root"));
    }
    if length < OPENING.len() {
        return Err(Stop::NeedData);
    }
    if is_html_name(&rest[length..])? {
        return Err(Stop::not_a_sitemap(at, "it is an HTML page"));
    }
    if &rest[..length] != OPENING {
        return Err(Stop::malformed(at, "DOCTYPE has to be in upper case"));
    }
    let bytes = window.as_bytes();
    let name_at = skip_blanks(bytes, at + OPENING.len());
    if name_at == at + OPENING.len() {
        return Err(Stop::malformed(at, "DOCTYPE is not followed by a blank and a name"));
    }
    let mut next = name(window, name_at, "the name in a DOCTYPE")?;
    let mut in_subset = false;
    loop {
        next += memchr_any(&bytes[next..]).ok_or(Stop::NeedData)?;
        match bytes[next] {
            b'[' if !in_subset => in_subset = true,
            b']' if in_subset => in_subset = false,
            b'>' if !in_subset => break,
            quote @ (b'"' | b'\'') => next += 1 + memchr::memchr(quote, &bytes[next + 1..]).ok_or(Stop::NeedData)?,
            b'<' if in_subset => {
                if let Some(end) = misc(window, next)? {
                    next = end - 1;
                }
            }
            b'<' => return Err(Stop::malformed(next, "`<` inside the DOCTYPE")),
            _ => {}
        }
        next += 1;
    }
    checked(window, at..next)?;
    Ok(next + 1)
}

fn memchr_any(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, b'[' | b']' | b'>' | b'"' | b'\'' | b'<'))
}

/// Whether a DOCTYPE names HTML as the root.
fn is_html_name(rest: &[u8]) -> Result<bool, Stop> {
    let name = &rest[rest.iter().take_while(|byte| is_xml_blank(**byte)).count()..];
    match name.get(..5) {
        None => Err(Stop::NeedData),
        Some(start) => Ok(start[..4].eq_ignore_ascii_case(b"html") && !start[4].is_ascii_alphanumeric()),
    }
}
