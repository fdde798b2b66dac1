//! What reading skips: elements, attributes and text that have no meaning for a consumer of sitemaps.

use super::Linter;
use crate::diagnostic::removal::whole_lines;
use crate::diagnostic::{Fix, Note, Safety, catalogue};
use crate::read::namespace::{IMAGE, NEWS, VIDEO, XHTML, is_obsolete};
use crate::read::unread::{Stranger, Unread};

/// The namespaces whose elements are known.
const EXTENSIONS: [&str; 4] = [IMAGE, VIDEO, NEWS, XHTML];

impl Linter {
    pub(super) fn check_unread(&self, unread: &Unread, window: &str, notes: &mut Vec<Note>) {
        match unread {
            Unread::Element(element) => notes.extend(self.extension(element, window)),
            Unread::ChildOfRoot(element) => notes.extend(self.child_of_root(element, window)),
            // IDX006. Source: the protocol's schema of an index: a `<sitemap>` has a loc and a lastmod, and nothing else.
            Unread::FieldOfIndex { name, written } => {
                let message = format!("`<{}>` in a sitemapindex", &window[name.clone()]);
                let fix = Fix::replace(Safety::Safe, whole_lines(window, 0, written.clone()), "");
                let at = written.start;
                notes.push(Note::new(&catalogue::IDX006, at..at + 1, message).with_fix(fix));
            }
            // XML010. Source: the protocol's schema gives its elements no attributes.
            Unread::Attribute { name, tag } => {
                let (text, tag) = (&window[name.clone()], &window[tag.clone()]);
                let message = format!("the protocol does not define an attribute `{text}` on `<{tag}>`");
                notes.push(Note::new(&catalogue::XML010, name.clone(), message).once(text));
            }
            // XML010. Source: the protocol's schema: its elements hold either elements or text, never both.
            Unread::Text(written) => {
                let message = "text between the elements, which readers ignore";
                notes.push(Note::new(&catalogue::XML010, written.clone(), message));
            }
        }
    }

    /// NS006 and XML010: an element of an entry, reported once for each namespace and, in the protocol's own, for each
    /// name.
    fn extension(&self, element: &Stranger, window: &str) -> Option<Note> {
        let name = &window[element.name.clone()];
        if is_obsolete(&element.uri) {
            let message = format!("`<{name}>` belongs to an extension that was withdrawn");
            return Some(obsolete(element, message).with_help("leave it out"));
        }
        if element.is_core {
            // Reading reports those that are known, but not here.
            return (!element.is_known).then(|| unknown(element, name));
        }
        if !self.settings.extensions {
            let message = format!("`<{name}>` belongs to an extension that this search engine does not support");
            return Some(obsolete(element, message));
        }
        // Reading reports those that are known, but not here.
        (!element.is_known && EXTENSIONS.contains(&element.uri.as_str())).then(|| unexpected(element, name))
    }

    /// NS006: an element of another namespace right under the root, where a consumer takes none.
    fn child_of_root(&self, element: &Stranger, window: &str) -> Option<Note> {
        let name = &window[element.name.clone()];
        if element.is_core {
            return (!element.is_known).then(|| unknown(element, name));
        }
        let is_taken = self.settings.foreign_children && !is_obsolete(&element.uri);
        let message = || format!("`<{name}>` of another namespace is directly under the root");
        (!is_taken).then(|| obsolete(element, message()))
    }
}

fn obsolete(element: &Stranger, message: String) -> Note {
    Note::new(&catalogue::NS006, element.at..element.at + 1, message).once(element.uri.as_str())
}

/// NS007.
fn unexpected(element: &Stranger, name: &str) -> Note {
    let message = format!("the extension does not define an element `<{name}>`");
    Note::new(&catalogue::NS007, element.at..element.at + 1, message).once(name)
}

fn unknown(element: &Stranger, name: &str) -> Note {
    let message = format!("the protocol does not define an element `<{name}>` here");
    Note::new(&catalogue::XML010, element.at..element.at + 1, message).once(name)
}
