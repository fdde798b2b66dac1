//! Which locs may be in a document at this location.
//!
//! Source: sitemaps.org protocol, "Sitemap file location": a sitemap covers its own directory and what is below it, on
//! the same scheme, host and port; and "Sitemaps & Cross Submits": a host's robots.txt can allow more.

use super::Linter;
use super::site::Site;
use crate::diagnostic::wording::foreign_host;
use crate::diagnostic::{Note, Rule, catalogue};
use crate::read::entry::{Entry, EntryKind};
use crate::value::{host, loc};

impl Linter {
    /// Whether everything of a plain origin, which ends with a slash, may be in the document.
    pub(super) fn covers_all_of(&self, site: &Site, origin: &str) -> bool {
        site.covers_all_of(origin)
            || site
                .parts()
                .zip(loc::parts(origin))
                .is_some_and(|(here, there)| !host::is_same(here.host, there.host) && self.is_proven(there.host))
    }

    /// Whether the robots.txt of this host names the document.
    fn is_proven(&self, there: &str) -> bool {
        self.settings.proven_hosts.iter().any(|proven| host::is_same(proven, there))
    }

    /// LOC011 to LOC013, and for the children of an index IDX003 and IDX004: the first that applies.
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
        if !host::is_same(here.host, there.host) {
            if !self.is_proven(there.host) {
                let rule = if is_child { &catalogue::IDX003 } else { &catalogue::LOC011 };
                notes.push(note(entry, rule, foreign_host(there.host, here.host)));
            }
            return;
        }
        if !here.scheme.eq_ignore_ascii_case(there.scheme) {
            let message = format!("the scheme is {}, but that of the sitemap is {}", there.scheme, here.scheme);
            let help = "write the scheme that visitors use, in the locs and in the URL of the sitemap";
            return notes.push(note(entry, &catalogue::LOC012, message).with_help(help));
        }
        if here.effective_port() != there.effective_port() {
            let (there, here) = (there.effective_port(), here.effective_port());
            let message = format!("the port is {there}, but that of the sitemap is {here}");
            let help = "write the port that visitors use, in the locs and in the URL of the sitemap";
            return notes.push(note(entry, &catalogue::LOC012, message).with_help(help));
        }
        let directory = site.requested_directory();
        if !loc::requested_path(there.rest).starts_with(&directory) {
            let (rule, what) = if is_child { (&catalogue::IDX004, "index") } else { (&catalogue::LOC013, "sitemap") };
            let message = format!("it is not below {directory}, where the {what} is");
            notes.push(note(entry, rule, message).with_help(format!("put the {what} at the root of the site")));
        }
    }
}

fn note(entry: &Entry<'_>, rule: &'static Rule, message: String) -> Note {
    Note::new(rule, entry.loc_range(), message)
}
