//! The beginning of a document: its kind, detected by its bytes, and what may stand before its root.

use super::declaration::{HTML, declaration, doctype, is_declaration};
use super::opening::NOISE;
use super::refusal::what_it_is;
use super::root_names::{is_html, kind_of, root_in, tag_name};
use super::{Document, DocumentState};
use crate::diagnostic::{Finding, Fix, Note, Notebook, Safety, grammar};
use crate::read::entries::sink::Sink;
use crate::read::fault::Problem;
use crate::read::index::window::{ceil_boundary, first_not_blank, starts};
use crate::read::kind::Kind;
use crate::read::lexer::markup::{broken_piece, comment_or_instruction};
use crate::read::lexer::name::split;
use crate::read::lexer::unclosed;
use crate::read::stop::Stop;

const BEFORE_DECLARATION: &str = "something before the XML declaration";

impl Document {
    /// The very beginning: an XML declaration, other markup, or lines of text.
    pub fn beginning(&mut self, window: &str, at: usize, notebook: &mut Notebook) -> Result<usize, Stop> {
        let blank = first_not_blank(window, at)?;
        if window.as_bytes()[blank] != b'<' {
            return self.text_first(window, at, blank, notebook);
        }
        if !is_declaration(window, blank, self.has_ended)? {
            if let Some(kind) = self.kind_behind_markup(window, blank)? {
                return Ok(self.begin_lines(kind, at, notebook));
            }
            self.state = DocumentState::Prolog;
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
                // No part of it may hold either: a tag that follows is not part of it.
                let inner = blank + 1;
                let length = memchr::memchr2(b'>', b'<', &window.as_bytes()[inner..]).ok_or(Stop::NeedData)?;
                inner + length + usize::from(window.as_bytes()[inner + length] == b'>')
            }
            Err(stop) => return Err(stop),
        };
        self.state = DocumentState::Prolog;
        self.has_declaration = true;
        notebook.record(&mut self.content.tags.notes, window, at, end);
        Ok(end)
    }

    /// Notes what stands before the document, from `at` with the blanks around it up to `end`, its own text at `next`.
    /// Behind the declaration it is inside the document, where no text may be.
    fn noise(&mut self, at: usize, next: usize, end: usize, message: &'static str) {
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

    /// Text comes first: a list of URLs, a robots.txt, noise before a sitemap, or something else altogether.
    fn text_first(&mut self, window: &str, at: usize, blank: usize, notebook: &mut Notebook) -> Result<usize, Stop> {
        if let Some(kind) = self.kind_of_text(window, blank)? {
            return Ok(self.begin_lines(kind, at, notebook));
        }
        let looked = &window[blank..ceil_boundary(window, blank + NOISE)];
        match root_in(looked, true)? {
            Some(found) => Ok(self.skip_noise(window, at, blank, blank + found, notebook)),
            None => Err(Stop::not_a_sitemap(blank, what_it_is(looked))),
        }
    }

    pub fn begin_lines(&mut self, kind: Kind, at: usize, notebook: &mut Notebook) -> usize {
        notebook.is_text = kind == Kind::Text;
        self.kind = Some(kind);
        self.state = DocumentState::Lines;
        at
    }

    fn skip_noise(&mut self, window: &str, at: usize, next: usize, end: usize, notebook: &mut Notebook) -> usize {
        self.noise(at, next, end, "text before the document: it is skipped");
        notebook.record(&mut self.content.tags.notes, window, at, end);
        self.state = DocumentState::Beginning;
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
            let looked = &window[next..ceil_boundary(window, next + NOISE)];
            return self.noise_first(window, at, next, what_it_is(looked), notebook);
        }
        if is_declaration(window, next, self.has_ended)? {
            self.noise(at, next, next, BEFORE_DECLARATION);
            self.state = DocumentState::Beginning;
            notebook.record(&mut self.content.tags.notes, window, at, next);
            return Ok(next);
        }
        match comment_or_instruction(window, next) {
            Ok(Some(end)) => return Ok(end),
            Ok(None) => {}
            Err(Stop::Problem(problem)) if !problem.is_fatal() => {
                return self.pass_markup(window, at, next, Some(problem), notebook);
            }
            Err(Stop::NeedData) if self.closes_open => return self.pass_markup(window, at, next, None, notebook),
            Err(stop) => return Err(stop),
        }
        if starts(window, next, "<!")? {
            let end = match doctype(window, next, || self.is_of_sitemap(window, next)) {
                Err(Stop::Problem(problem)) if !problem.is_fatal() => {
                    return self.pass_markup(window, at, next, Some(problem), notebook);
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
            return self.noise_first(window, at, next, "it begins with a `<` that begins no tag", notebook);
        };
        if kind_of(split(tag_name).1).is_some() {
            return self.root(window, at, next, sink, notebook);
        }
        if is_html(tag_name) {
            return Err(Stop::not_a_sitemap(next, HTML));
        }
        let message = format!("its root is `<{tag_name}>`, not urlset or sitemapindex");
        let closing = format!("</{tag_name}");
        let end = self.noise_first(window, at, next, &message, notebook)?;
        let passed = &window[next..end];
        let is_around = !passed.contains(&closing) && !passed.split('>').next().unwrap_or_default().ends_with('/');
        if is_around && self.other_root.is_none() {
            let shown = ceil_boundary(window, end.min(next + tag_name.len() + 1));
            let positions = &mut notebook.positions;
            let finding = Finding::new(&grammar::XML008, message, window, at, next..shown, shown, positions);
            self.other_root = Some(Box::new(finding));
        }
        Ok(end)
    }

    /// A comment, instruction or DOCTYPE that is not well-formed, or never closed: passed as well as may be, up to the root
    /// at the latest.
    fn pass_markup(
        &mut self,
        window: &str,
        at: usize,
        next: usize,
        problem: Option<Box<Problem>>,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let is_root = |name: &str| kind_of(split(name).1).is_some();
        let behind = problem.as_ref().map(|problem| problem.at).filter(|problem| *problem > next);
        let root = match behind {
            Some(behind) => tag_name(window, behind, self.has_ended)?.filter(|name| is_root(name)).map(|_| behind),
            None => None,
        };
        let unclosed = self.closes_open.then_some(&mut self.unclosed);
        let (end, message) = match root {
            Some(root) => (root, None),
            None if starts(window, next, "<!--")? => unclosed::comment_end(window, next, unclosed, is_root)?,
            None if starts(window, next, "<?")? => unclosed::instruction_end(window, next, unclosed)?,
            None => match broken_piece(window, next)? {
                Some(end) => (end, None),
                None => (next + memchr::memchr(b'>', &window.as_bytes()[next..]).ok_or(Stop::NeedData)? + 1, None),
            },
        };
        self.content.tags.notes.extend(match (message, problem) {
            (Some(message), _) => Some(Note::repair(&grammar::XML001, next, message)),
            (None, Some(problem)) => Some(Note::repair(problem.rule, problem.at.min(end), problem.message)),
            (None, None) => None,
        });
        self.closes_open &= self.has_ended;
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
        let (looked, is_all) = self.beginning_of(window, next);
        match root_in(looked, is_all)? {
            Some(found) => Ok(self.skip_noise(window, at, next, next + found, notebook)),
            None if is_all => Err(Stop::not_a_sitemap(next, message.to_owned())),
            None => Err(Stop::NeedData),
        }
    }
}

/// Whether a text is the beginning of a root's tag, cut off inside its name.
fn begins_root(text: &str) -> bool {
    let name = text[1..].to_ascii_lowercase();
    ["urlset", "sitemapindex", "rss", "feed", "rdf:rdf"].iter().any(|root| root.starts_with(&name))
}
