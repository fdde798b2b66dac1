//! The beginning of a document: its kind, detected by its bytes, and what may stand before its root.

use memchr::memmem;

use super::declaration::{HTML, declaration, doctype};
use super::document::{Document, State};
use super::fault::Problem;
use super::kind::Kind;
use super::lines::{is_directive, is_url};
use super::markup::comment_or_instruction;
use super::name::split;
use super::sink::Sink;
use super::stop::Stop;
use super::window::{ceil_boundary, first_not_blank, starts};
use crate::diagnostic::{Fix, Note, Notebook, Safety, grammar};
use crate::xml::is_xml_blank;

/// Bytes at the beginning in which something readable has to begin, if the document does not begin with it.
const NOISE: usize = 64 * 1024;
/// Bytes of a tag's name that are looked at: no name that we know is longer.
const LONGEST_NAME: usize = 64;
const BEFORE_DECLARATION: &str = "something before the XML declaration";

impl Document {
    /// The very beginning: an XML declaration, other markup, or lines of text.
    pub fn beginning(&mut self, window: &str, at: usize, notebook: &mut Notebook) -> Result<usize, Stop> {
        let blank = first_not_blank(window, at)?;
        if window.as_bytes()[blank] != b'<' {
            return self.text_first(window, at, blank, notebook);
        }
        if !is_declaration(window, blank, self.has_ended)? {
            self.state = State::Prolog;
            return Ok(at);
        }
        if blank > at {
            self.noise(at, blank, blank, "blanks before the XML declaration");
        }
        let end = match declaration(window, blank) {
            Ok(end) => end,
            Err(Stop::Problem(problem)) => {
                let message = problem.message.clone();
                self.content.tags.notes.push(Note::repair(problem.rule, problem.at, message));
                let length = memchr::memchr(b'>', &window.as_bytes()[blank..]).ok_or(Stop::NeedData)?;
                blank + length + 1
            }
            Err(stop) => return Err(stop),
        };
        self.state = State::Prolog;
        self.has_declaration = true;
        notebook.record(&mut self.content.tags.notes, window, at, end);
        Ok(end)
    }

    /// Notes what stands before the document, from `at` with the blanks around it up to `end`, its own text at `next`. Behind its declaration it is inside
    /// the document, where no text may be.
    fn noise(&mut self, at: usize, next: usize, end: usize, message: &str) {
        let note = match self.has_declaration {
            true => Note::repair(&grammar::XML001, next, message),
            false if end == at || message == BEFORE_DECLARATION => Note::repair(&grammar::XML003, at, message),
            false => {
                // Only blanks are certain to carry no meaning.
                let safety = if next == end { Safety::Safe } else { Safety::Unsafe };
                Note::repair(&grammar::XML003, at, message).with_fix(Fix::replace(safety, at..end, ""))
            }
        };
        self.content.tags.notes.push(note.once("noise"));
    }

    /// Text comes first: a list of URLs, a robots.txt, noise before a sitemap, or something else altogether. What its
    /// lines hold decides, each judged when it is whole.
    fn text_first(&mut self, window: &str, at: usize, blank: usize, notebook: &mut Notebook) -> Result<usize, Stop> {
        let rest = &window[blank..];
        let is_all = self.has_ended || rest.len() >= NOISE;
        let looked = &rest[..ceil_boundary(rest, NOISE)];
        let mut is_noise = false;
        for line in looked.split_inclusive(['\n', '\r']) {
            let is_whole = is_all || line.ends_with(['\n', '\r']);
            if !is_whole {
                return Err(Stop::NeedData);
            }
            if !is_noise && is_url(line.trim_start_matches(|character: char| !character.is_ascii_graphic())) {
                return Ok(self.begin_lines(Kind::Text, at, notebook));
            }
            if !is_noise && is_directive(line) {
                return Ok(self.begin_lines(Kind::Robots, at, notebook));
            }
            // Markup ends the lines: what stands before it is noise, if anything readable follows.
            is_noise |= line.contains('<');
        }
        if !is_all {
            return Err(Stop::NeedData);
        }
        match root_in(looked) {
            Some(found) => Ok(self.skip_noise(window, at, blank, blank + found, notebook)),
            None => Err(Stop::not_a_sitemap(blank, "it begins with text that is not XML")),
        }
    }

    fn begin_lines(&mut self, kind: Kind, at: usize, notebook: &mut Notebook) -> usize {
        notebook.is_text = kind == Kind::Text;
        self.kind = Some(kind);
        self.state = State::Lines;
        at
    }

    fn skip_noise(&mut self, window: &str, at: usize, next: usize, end: usize, notebook: &mut Notebook) -> usize {
        self.noise(at, next, end, "text before the document: it is skipped");
        notebook.record(&mut self.content.tags.notes, window, at, end);
        self.state = State::Beginning;
        end
    }

    pub fn prolog(
        &mut self,
        window: &str,
        at: usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let next = first_not_blank(window, at)?;
        if window.as_bytes()[next] != b'<' {
            return self.noise_first(window, at, next, "it begins with text that is not XML", notebook);
        }
        if is_declaration(window, next, self.has_ended)? {
            self.noise(at, next, next, BEFORE_DECLARATION);
            self.state = State::Beginning;
            notebook.record(&mut self.content.tags.notes, window, at, next);
            return Ok(next);
        }
        match comment_or_instruction(window, next) {
            Ok(Some(end)) => return Ok(end),
            Ok(None) => {}
            Err(Stop::Problem(problem)) if !problem.is_fatal() => {
                return self.pass_markup(window, at, next, *problem, notebook);
            }
            Err(stop) => return Err(stop),
        }
        if starts(window, next, "<!")? {
            let end = match doctype(window, next) {
                Err(Stop::Problem(problem)) if !problem.is_fatal() => {
                    return self.pass_markup(window, at, next, *problem, notebook);
                }
                result => result?,
            };
            if std::mem::replace(&mut self.has_doctype, true) {
                self.content.tags.notes.push(Note::repair(&grammar::XML001, next, "a second DOCTYPE"));
            }
            notebook.record(&mut self.content.tags.notes, window, at, end);
            return Ok(end);
        }
        if self.has_ended && begins_root(&window[next..]) {
            return Err(Stop::NeedData);
        }
        let Some(tag_name) = tag_name(window, next, self.has_ended)? else {
            return self.noise_first(window, at, next, "it begins with text that is not XML", notebook);
        };
        if kind_of(split(tag_name).1).is_some() {
            return self.root(window, at, next, sink, notebook);
        }
        if is_html(tag_name) {
            return Err(Stop::not_a_sitemap(next, HTML));
        }
        let message = format!("its root is `<{tag_name}>`, not urlset or sitemapindex");
        self.noise_first(window, at, next, &message, notebook)
    }

    /// A comment, instruction or DOCTYPE that is not well-formed: passed as well as may be, up to the root at the latest.
    fn pass_markup(
        &mut self,
        window: &str,
        at: usize,
        next: usize,
        problem: Problem,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let bytes = window.as_bytes();
        let close: &[u8] = match bytes.get(next + 1..next + 4) {
            Some(b"!--") => b"-->",
            Some([b'?', ..]) => b"?>",
            _ => b">",
        };
        let end = match tag_name(window, problem.at.max(next), self.has_ended)? {
            Some(name) if problem.at > next && kind_of(split(name).1).is_some() => problem.at,
            _ => next + memmem::find(&bytes[next..], close).ok_or(Stop::NeedData)? + close.len(),
        };
        self.content.tags.notes.push(Note::repair(problem.rule, problem.at.min(end), problem.message));
        notebook.record(&mut self.content.tags.notes, window, at, end);
        Ok(end)
    }

    /// Something other than a sitemap comes first: noise if a sitemap follows soon, else the document is refused.
    fn noise_first(
        &mut self,
        window: &str,
        at: usize,
        next: usize,
        message: &str,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let rest = &window[next..];
        let looked = &rest[..ceil_boundary(rest, NOISE)];
        match root_in(looked) {
            Some(found) => Ok(self.skip_noise(window, at, next, next + found, notebook)),
            _ if !self.has_ended && rest.len() < NOISE => Err(Stop::NeedData),
            _ => Err(Stop::not_a_sitemap(next, message)),
        }
    }
}

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

/// Whether a text is the beginning of a root's tag, cut off inside its name.
fn begins_root(text: &str) -> bool {
    let name = text[1..].to_ascii_lowercase();
    ["urlset", "sitemapindex", "rss", "feed", "rdf:rdf"].iter().any(|root| root.starts_with(&name))
}

/// Whether a tag of this name is one that only pages have.
fn is_html(name: &str) -> bool {
    const NAMES: [&str; 12] =
        ["html", "head", "body", "title", "meta", "div", "script", "center", "h1", "p", "style", "link"];
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Where, after something else, an XML declaration or the root of a sitemap begins.
fn root_in(text: &str) -> Option<usize> {
    memchr::memchr_iter(b'<', text.as_bytes()).find(|at| {
        let rest = &text.as_bytes()[at + 1..];
        if rest.starts_with(b"?xml") {
            return rest.get(4).copied().is_some_and(is_xml_blank);
        }
        let name = tag_name(text, *at, false).ok().flatten().unwrap_or_default();
        let local = split(name).1;
        ["urlset", "sitemapindex", "rss"].iter().any(|known| local.eq_ignore_ascii_case(known))
    })
}

/// Whether an XML declaration begins at `at`, rather than another instruction such as `<?xml-stylesheet`.
fn is_declaration(window: &str, at: usize, has_ended: bool) -> Result<bool, Stop> {
    match starts(window, at, "<?xml") {
        Ok(true) => match window.as_bytes().get(at + "<?xml".len()) {
            Some(byte) => Ok(is_xml_blank(*byte)),
            None if has_ended => Ok(false),
            None => Err(Stop::NeedData),
        },
        Ok(false) => Ok(false),
        Err(stop) => Err(stop),
    }
}
