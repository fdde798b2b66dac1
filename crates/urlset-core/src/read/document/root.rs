//! The root: which kind of document it begins, and which namespaces the document is in.

use super::root_names::{kind_of, wrong_case};
use super::{Document, DocumentState};
use crate::diagnostic::{Note, Notebook};
use crate::read::entries::sink::{Root, Sink};
use crate::read::entries::slots::BASE;
use crate::read::grammar::content::Content;
use crate::read::kind::Kind;
use crate::read::lexer::Tags;
use crate::read::lexer::name::split;
use crate::read::lexer::tag::{Tag, TagKind};
use crate::read::recover::{Around, Recoverer};
use crate::read::stop::Stop;

impl Document {
    /// The root's tag, recovered if need be.
    pub fn root(
        &mut self,
        window: &str,
        at: usize,
        next: usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        self.content.tags.scopes.clear();
        let problem = match self.content.tags.read(window, next) {
            Ok(tag) => {
                self.open_root(window, &tag, sink)?;
                // Where another declaration would stand: before what ends the tag.
                let end = if tag.kind == TagKind::Empty { tag.end - 2 } else { tag.end - 1 };
                notebook.root = notebook.positions.base() + end as u64;
                notebook.record(&mut self.content.tags.notes, window, at, tag.end);
                return Ok(tag.end);
            }
            Err(Stop::Problem(problem)) if !problem.is_fatal() => problem,
            Err(stop) => return Err(stop),
        };
        self.content.forget();
        self.content.tags.scopes.clear();
        let around = Around { root: "", in_channel: false, is_feed: false };
        let recoverer = Recoverer::new(window, &mut self.content.tags.scopes, around, self.content.budget);
        let Some(recovered) = recoverer.tag(next)? else { return Err(Stop::Problem(problem)) };
        let (out, end, mut notes) = (recovered.out, recovered.end, recovered.notes);
        let tag = match self.content.tags.read(&out.text, 0) {
            Ok(tag) => tag,
            Err(Stop::Problem(problem)) if problem.is_fatal() => {
                return Err(Stop::problem(problem.kind, out.origin(problem.at), problem.rule, problem.message));
            }
            Err(_) => return Err(Stop::not_a_sitemap(next, "it begins with a tag that is not XML")),
        };
        self.open_root(&out.text, &tag, sink)?;
        // Behind the name as it was written, which may have characters that the copy does not have.
        let name = out.origin(tag.name_start);
        let length =
            window[name..].find([' ', '\t', '\r', '\n', '/', '>', '<', '=']).unwrap_or(tag.name(&out.text).len());
        notebook.root = notebook.positions.base() + (name + length) as u64;
        for note in &mut self.content.tags.notes {
            note.bring_back(&out.text, window, |at| out.origin(at));
        }
        if !notes.iter().any(|note| note.is_repair) {
            notes.push(Note::repair(problem.rule, problem.at.min(end), problem.message));
        }
        self.content.tags.notes.append(&mut notes);
        notebook.record(&mut self.content.tags.notes, window, at, end);
        Ok(end)
    }

    /// Another document after the end of the one before.
    pub fn another_root(
        &mut self,
        window: &str,
        next: usize,
        sink: &mut impl Sink,
        notebook: &mut Notebook,
    ) -> Result<usize, Stop> {
        // Should its tag not be whole, nothing has changed but what was noted, which is noted again then.
        let (kind, root) = (self.kind, std::mem::take(&mut self.root));
        let end = self.root(window, next, next, sink, notebook);
        self.kind = kind;
        if end.is_err() {
            self.root = root;
        }
        end
    }

    fn open_root(&mut self, window: &str, tag: &Tag, sink: &mut impl Sink) -> Result<(), Stop> {
        let name = tag.name(window);
        let (prefix, local) = split(name);
        if tag.kind == TagKind::Close {
            return Err(Stop::not_a_sitemap(tag.start, format!("`</{name}>` closes nothing")));
        }
        let kind = kind_of(local).unwrap_or(Kind::Urlset);
        self.kind = Some(kind);
        if self.content.tags.scopes.uri(prefix).is_none() {
            self.content.tags.scopes.assume(prefix);
        }
        let uri = self.content.tags.scopes.uri(prefix).unwrap_or_default().to_owned();
        self.content.tags.scopes.set_core(&uri);
        self.content.tags.notes.extend(wrong_case(tag, name));
        let Tags { attributes, scopes, notes, .. } = &mut self.content.tags;
        let written = tag.start..tag.name_end;
        sink.root(&Root { kind, window, name, written, attributes, uri: &uri, scopes }, notes);
        self.hand_unread(window, sink);
        if kind.is_feed() {
            let base = self.content.attribute_slot(window, BASE)?;
            let Content { slots, .. } = &mut self.content;
            slots.feed_base = base.part_of(window, &slots.scratch).map_or("", |(whole, part)| &whole[part]).to_owned();
            // Only the protocol's own formats define what may stand where.
            self.has_been_feed = true;
            self.content.tags.keeps_unread = false;
        }
        self.root = name.to_owned();
        self.channel = None;
        self.state = if tag.kind == TagKind::Empty { DocumentState::Epilog } else { DocumentState::Root };
        Ok(())
    }
}
