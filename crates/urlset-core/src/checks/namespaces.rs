//! The namespace of the root, and which feeds are supported.
//!
//! Source: sitemaps.org protocol: the root declares the core namespace; XML compares it as a string. Of feeds it names
//! RSS 2.0, Atom 0.3 and Atom 1.0.

use std::ops::Range;

use crate::diagnostic::{Fix, Note, Safety, catalogue};
use crate::read::Kind;
use crate::read::namespace::{ATOM, ATOM_03, CORE, CORE_HTTPS, RSS_1};
use crate::read::sink::Root;

/// NS001 to NS003 and FEED001.
pub fn check(root: &Root<'_>, takes_feeds: bool, notes: &mut Vec<Note>) {
    if root.kind.is_feed() {
        notes.extend(feed(root, takes_feeds));
    } else {
        notes.extend(core(root).map(|note| note.with_help(format!("use xmlns=\"{CORE}\""))));
    }
    other_cores(root, notes);
}

/// FEED001: a feed that is not supported.
fn feed(root: &Root<'_>, takes_feeds: bool) -> Option<Note> {
    let message = match (root.kind, root.uri) {
        _ if !takes_feeds => {
            let message = "a feed, which this search engine does not accept";
            let note = Note::new(&catalogue::FEED001, root.written.clone(), message);
            return Some(note.with_help("publish a urlset"));
        }
        (Kind::Rss, _) => {
            let is_2 = local(root).eq_ignore_ascii_case("rss")
                && value(root, "version").is_none_or(|value| root.window[value].starts_with('2'));
            (!is_2).then(|| "a version of RSS that the protocol does not support: publish RSS 2.0".to_owned())
        }
        (_, ATOM | ATOM_03 | RSS_1 | "") => None,
        (_, uri) => Some(format!("a feed in the namespace {uri:?}")),
    };
    message.map(|message| Note::new(&catalogue::FEED001, root.written.clone(), message))
}

/// NS001 to NS003: a root outside the namespace of the protocol.
fn core(root: &Root<'_>) -> Option<Note> {
    let uri = root.uri;
    match uri {
        CORE => None,
        "" => Some(no_namespace(root)),
        _ => {
            // The value of the declaration is the position, where there is one.
            let declaration = match prefix(root) {
                "" => "xmlns".to_owned(),
                prefix => format!("xmlns:{prefix}"),
            };
            let declared = value(root, &declaration);
            let written = declared.clone().unwrap_or(root.written.clone());
            let note = match uri {
                CORE_HTTPS => Note::new(&catalogue::NS002, written, "the namespace begins with https instead of http"),
                _ => Note::new(&catalogue::NS003, written, wrong(uri)),
            };
            Some(match declared {
                Some(value) => note.with_fix(Fix::replace(Safety::Safe, value, CORE)),
                None => note,
            })
        }
    }
}

fn no_namespace(root: &Root<'_>) -> Note {
    let message = format!("`<{}>` is in no namespace", root.name);
    let end = root.written.end;
    let fix = match (value(root, "xmlns"), prefix(root)) {
        (Some(value), "") => Fix::replace(Safety::Safe, value, CORE),
        (_, "") => Fix::replace(Safety::Safe, end..end, format!(" xmlns=\"{CORE}\"")),
        (_, prefix) => Fix::declare(prefix, CORE),
    };
    Note::new(&catalogue::NS001, value(root, "xmlns").unwrap_or(root.written.clone()), message).with_fix(fix)
}

/// NS003: a declaration of nearly the namespace of the protocol. Entries in it are read, so it is reported where the root
/// declares it.
fn other_cores(root: &Root<'_>, notes: &mut Vec<Note>) {
    for attribute in root.attributes {
        let Some(prefix) = root.window[attribute.name.clone()].strip_prefix("xmlns:") else { continue };
        if root.scopes.is_nearly_core(prefix) {
            let written = attribute.value.clone();
            let note = Note::new(&catalogue::NS003, written.clone(), wrong(&root.window[written.clone()]));
            notes.push(note.with_fix(Fix::replace(Safety::Safe, written, CORE)));
        }
    }
}

fn wrong(uri: &str) -> String {
    format!("the namespace is {uri:?}, not the one of the protocol")
}

fn prefix<'a>(root: &Root<'a>) -> &'a str {
    root.name.split_once(':').map_or("", |(prefix, _)| prefix)
}

fn local<'a>(root: &Root<'a>) -> &'a str {
    root.name.split_once(':').map_or(root.name, |(_, local)| local)
}

/// Where the value of an attribute is written.
fn value(root: &Root<'_>, name: &str) -> Option<Range<usize>> {
    let found = root.attributes.iter().find(|attribute| &root.window[attribute.name.clone()] == name)?;
    Some(found.value.clone())
}
