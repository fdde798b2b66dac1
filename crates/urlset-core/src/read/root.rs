//! The root: which kind of document it begins, and which namespaces the document is in.

use super::document::{Document, State, wrong_case};
use super::mend::{Around, Mender};
use super::name::split;
use super::namespace::{ATOM, ATOM_03, CORE, CORE_HTTPS, RSS_1};
use super::prolog::kind_of;
use super::tag::{Tag, TagKind};
use super::{Kind, Stop};
use crate::diagnostic::{Fix, Note, Notebook, Safety, catalogue};

impl Document {
    /// The root's tag, mended if need be.
    pub fn root(&mut self, window: &str, at: usize, next: usize, notebook: &mut Notebook) -> Result<usize, Stop> {
        self.content.tags.scopes.clear();
        let problem = match self.content.tags.read(window, next) {
            Ok(tag) => {
                self.open_root(window, &tag)?;
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
        let mender = Mender::new(window, &mut self.content.tags.scopes, around, self.content.budget);
        let Some(mended) = mender.tag(next)? else { return Err(Stop::Problem(problem)) };
        let (out, end, mut notes) = (mended.out, mended.end, mended.notes);
        let tag = match self.content.tags.read(&out.text, 0) {
            Ok(tag) => tag,
            Err(Stop::Problem(problem)) if problem.is_fatal() => {
                return Err(Stop::problem(problem.kind, out.origin(problem.at), problem.rule, problem.message));
            }
            Err(_) => return Err(Stop::not_a_sitemap(next, "it begins with a tag that is not XML")),
        };
        self.open_root(&out.text, &tag)?;
        notebook.root = notebook.positions.base() + (out.origin(tag.name_start) + tag.name(&out.text).len()) as u64;
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
    pub fn another_root(&mut self, window: &str, next: usize, notebook: &mut Notebook) -> Result<usize, Stop> {
        // Should its tag not be whole, nothing has changed but what was noted, which is noted again then.
        let (kind, root) = (self.kind, std::mem::take(&mut self.root));
        let end = self.root(window, next, next, notebook);
        self.kind = kind;
        if end.is_err() {
            self.root = root;
        }
        end
    }

    fn open_root(&mut self, window: &str, tag: &Tag) -> Result<(), Stop> {
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
        self.check_namespace(window, tag, &uri, kind);
        if kind.is_feed() {
            // Feeds may hold whatever they like.
            self.content.element_rules = None;
            self.content.tags.asks_attributes = false;
        }
        self.check_other_cores(window);
        self.root = name.to_owned();
        self.in_channel = false;
        self.state = if tag.kind == TagKind::Empty { State::Epilog } else { State::Root };
        Ok(())
    }

    /// Entries in a namespace that is nearly the protocol's are read, and it is told where the root declares it.
    fn check_other_cores(&mut self, window: &str) {
        for attribute in &self.content.tags.attributes {
            let Some(prefix) = window[attribute.name.clone()].strip_prefix("xmlns:") else { continue };
            if self.content.tags.scopes.is_nearly_core(prefix) {
                let uri = &window[attribute.value.clone()];
                let message = format!("the namespace is {uri:?}, not the one of the protocol");
                let note = Note::new(&catalogue::NS003, attribute.value.clone(), message);
                let fix = Fix::replace(Safety::Safe, attribute.value.clone(), CORE);
                self.content.tags.notes.push(note.with_fix(fix));
            }
        }
    }

    /// Source: sitemaps.org protocol: the root declares the core namespace; XML compares it as a string. Of feeds it
    /// names RSS 2.0, Atom 0.3 and Atom 1.0.
    fn check_namespace(&mut self, window: &str, tag: &Tag, uri: &str, kind: Kind) {
        let name = tag.name(window);
        let attributes = &self.content.tags.attributes;
        let value = |wanted: &str| {
            attributes
                .iter()
                .find(|attribute| &window[attribute.name.clone()] == wanted)
                .map(|found| found.value.clone())
        };
        let whole = tag.start..tag.name_end;
        let takes_feeds = self.content.element_rules.is_none_or(|rules| rules.feeds);
        let note = match (kind, uri) {
            (Kind::Rss | Kind::Atom, _) if !takes_feeds => {
                let note = Note::new(&catalogue::FEED001, whole, "a feed, which this consumer does not take");
                Some(note.with_help("publish a urlset"))
            }
            (Kind::Rss, _) => {
                let is_2 = split(name).1.eq_ignore_ascii_case("rss")
                    && value("version").is_none_or(|value| window[value].starts_with('2'));
                (!is_2).then(|| {
                    Note::new(
                        &catalogue::FEED001,
                        whole,
                        "a feed of a version that the protocol does not name: RSS 2.0 it is",
                    )
                })
            }
            (Kind::Atom, ATOM | ATOM_03 | RSS_1 | "") => None,
            (Kind::Atom, _) => Some(Note::new(&catalogue::FEED001, whole, format!("a feed in the namespace {uri:?}"))),
            (_, CORE) => None,
            (_, "") => {
                let message = format!("`<{name}>` is in no namespace");
                let fix = match (value("xmlns"), split(name).0) {
                    (Some(value), "") => Fix::replace(Safety::Safe, value, CORE),
                    (_, "") => Fix::replace(Safety::Safe, whole.end..whole.end, format!(" xmlns=\"{CORE}\"")),
                    (_, prefix) => Fix::declare(prefix, CORE),
                };
                Some(Note::new(&catalogue::NS001, value("xmlns").unwrap_or(whole), message).with_fix(fix))
            }
            _ => {
                // The value of the declaration is the place, where there is one.
                let prefix = split(name).0;
                let declaration = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
                let declared = value(&declaration);
                let place = declared.clone().unwrap_or(whole);
                let note = match uri {
                    CORE_HTTPS => {
                        Note::new(&catalogue::NS002, place, "the namespace begins with https instead of http")
                    }
                    _ => Note::new(
                        &catalogue::NS003,
                        place,
                        format!("the namespace is {uri:?}, not the one of the protocol"),
                    ),
                };
                Some(match declared {
                    Some(value) => note.with_fix(Fix::replace(Safety::Safe, value, CORE)),
                    None => note,
                })
            }
        };
        if let Some(note) = note {
            let is_feed = kind.is_feed();
            let note = if is_feed { note } else { note.with_help(format!("use xmlns=\"{CORE}\"")) };
            self.content.tags.notes.push(note);
        }
    }
}
