//! What follows the root: nothing, or content that was appended.

use super::declaration::is_declaration;
use super::root_names::tag_name;
use super::{Document, DocumentState};
use crate::diagnostic::{Note, Notebook, grammar};
use crate::read::entries::sink::Sink;
use crate::read::index::window::first_not_blank;
use crate::read::kind::Kind;
use crate::read::lexer::markup::{broken_piece, comment_or_instruction};
use crate::read::lexer::name::split;
use crate::read::stop::Stop;

/// What begins again after the root.
enum Resumed {
    Root,
    Entry,
}

impl Document {
    /// After the root. More entries, or another document, are read; anything else is skipped. Either is reported once.
    pub fn epilog(
        &mut self,
        window: &str,
        at: usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        let next = first_not_blank(window, at)?;
        let strictly = comment_or_instruction(window, next);
        let stop = match strictly {
            Ok(Some(end)) => return Ok(end),
            Err(Stop::NeedData) => return Err(Stop::NeedData),
            Err(stop @ Stop::Problem(_)) => Some(stop),
            Ok(None) | Err(Stop::NeedsRecovery) => None,
        };
        let resumed = self.resumes(window, next)?;
        let rest = &window.as_bytes()[next + 1..];
        // Another document may begin with its declaration, and goes on behind that.
        let is_declaration = is_declaration(window, next, self.has_ended)?;
        let passed = if is_declaration { None } else { broken_piece(window, next)? };
        let end = match passed.or_else(|| memchr::memchr(b'<', rest).map(|less| next + 1 + less)) {
            Some(end) => end,
            None if self.has_ended || resumed.is_some() => window.len(),
            None => return Err(Stop::NeedData),
        };
        let reported_before = std::mem::replace(&mut self.has_reported_rest, true);
        if !reported_before {
            let note = match stop {
                // It may have been met behind what is passed over now.
                Some(Stop::Problem(problem)) if !problem.is_fatal() => {
                    Note::repair(problem.rule, problem.at.min(end), problem.message)
                }
                _ => Note::repair(&grammar::XML001, next, format!("content after the end of `<{}>`", self.root)),
            };
            self.content.tags.notes.push(note);
        }
        match resumed {
            Some(Resumed::Root) => {
                let end = self.another_root(window, next, sink, notebook);
                self.has_reported_rest = reported_before || end.is_ok();
                end
            }
            Some(Resumed::Entry) => {
                self.state = DocumentState::Root;
                notebook.record(&mut self.content.tags.notes, window, at, next);
                Ok(next)
            }
            None => {
                notebook.record(&mut self.content.tags.notes, window, at, end);
                Ok(end)
            }
        }
    }

    /// Whether entries, or another root, begin at `at`.
    fn resumes(&self, window: &str, at: usize) -> Result<Option<Resumed>, Stop> {
        let Some(name) = tag_name(window, at, self.has_ended)? else { return Ok(None) };
        let local = split(name).1.to_ascii_lowercase();
        Ok(match local.as_str() {
            "urlset" | "sitemapindex" => Some(Resumed::Root),
            "url" | "sitemap" | "loc" if !self.kind.is_some_and(Kind::is_feed) => Some(Resumed::Entry),
            "item" | "entry" if self.kind.is_some_and(Kind::is_feed) => Some(Resumed::Entry),
            _ => None,
        })
    }
}
