//! Where a document lives, and which locs may stand in it there.
//!
//! Source: sitemaps.org protocol, "Sitemap file location": a sitemap covers its own directory and what is below it, on
//! the same scheme, host and port; and "Sitemaps & Cross Submits": a host's robots.txt can allow more.

use super::Linter;
use crate::diagnostic::wording::foreign_host;
use crate::diagnostic::{Note, Rule, catalogue};
use crate::read::entry::{Entry, EntryKind};
use crate::value::loc::{self, Parts};
use crate::value::relative::Base;

/// The location of a document, taken apart.
#[derive(Debug)]
pub struct Site {
    pub base: Base,
    location: String,
    /// Up to the last slash of its path; what a loc below it begins with.
    directory: usize,
}

impl Site {
    /// The location, if it is an http or https URL.
    pub fn new(location: &str) -> Option<Site> {
        let base = Base::new(location)?;
        let parts = loc::parts(location).filter(|_| loc::problem(location).is_none())?;
        let path = parts.rest.find(['?', '#']).map_or(parts.rest, |end| &parts.rest[..end]);
        let before = location.len() - parts.rest.len();
        let (location, directory) = match path.rfind('/') {
            Some(slash) => (location.to_owned(), before + slash + 1),
            None => (format!("{}/", &location[..before]), before + 1),
        };
        Some(Site { base, location, directory })
    }

    fn parts(&self) -> Option<Parts<'_>> {
        loc::parts(&self.location)
    }

    /// Whether a loc is below the document's directory, written as that is: nearly every loc.
    #[inline(always)]
    fn plainly_covers(&self, loc: &str) -> bool {
        loc.as_bytes().starts_with(&self.location.as_bytes()[..self.directory])
    }
}

impl Linter {
    /// LOC011 to LOC013, and of the children of an index IDX003 and IDX004: the first that is so.
    #[inline(always)]
    pub(super) fn check_site(&self, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) {
        if let Some(site) = &self.site
            && !site.plainly_covers(loc)
        {
            self.check_other_site(site, entry, loc, notes);
        }
    }

    #[cold]
    fn check_other_site(&self, site: &Site, entry: &Entry<'_>, loc: &str, notes: &mut Vec<Note>) {
        let (Some(here), Some(there)) = (site.parts(), loc::parts(loc)) else { return };
        let is_child = entry.kind == EntryKind::Sitemap;
        if !here.host.eq_ignore_ascii_case(there.host) {
            let is_proven = self.settings.proven_hosts.iter().any(|host| host.eq_ignore_ascii_case(there.host));
            if !is_proven {
                let rule = if is_child { &catalogue::IDX003 } else { &catalogue::LOC011 };
                note(entry, rule, foreign_host(there.host, here.host), notes);
            }
            return;
        }
        if !here.scheme.eq_ignore_ascii_case(there.scheme) {
            let message = format!("the scheme is {}, that of the sitemap is {}", there.scheme, here.scheme);
            return note(entry, &catalogue::LOC012, message, notes);
        }
        if here.effective_port() != there.effective_port() {
            let (there, here) = (there.effective_port(), here.effective_port());
            let message = format!("the port is {there}, that of the sitemap is {here}");
            return note(entry, &catalogue::LOC012, message, notes);
        }
        let directory = &here.rest[..here.rest.len() - (site.location.len() - site.directory)];
        // An empty path is the root.
        let path = if there.rest.is_empty() { "/" } else { there.rest };
        if !path.starts_with(directory) {
            let rule = if is_child { &catalogue::IDX004 } else { &catalogue::LOC013 };
            let message = format!("it is not below {directory}, where the sitemap is");
            note(entry, rule, message, notes);
        }
    }
}

fn note(entry: &Entry<'_>, rule: &'static Rule, message: String, notes: &mut Vec<Note>) {
    notes.push(Note::new(rule, entry.loc_place(), message));
}

#[cfg(test)]
mod tests {
    use super::Site;

    #[test]
    fn directories() {
        for (location, directory) in [
            ("https://example.com/sitemap.xml", Some("https://example.com/")),
            ("https://example.com/a/b/sitemap.xml?x=/y/", Some("https://example.com/a/b/")),
            ("https://example.com", Some("https://example.com/")),
            ("http://example.com:8080/a/", Some("http://example.com:8080/a/")),
            ("sitemap.xml", None),
            ("ftp://example.com/", None),
            ("https:///a", None),
        ] {
            let site = Site::new(location);
            assert_eq!(site.as_ref().map(|site| &site.location[..site.directory]), directory, "{location}");
        }
    }
}
