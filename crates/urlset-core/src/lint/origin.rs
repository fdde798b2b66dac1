//! Scheme and host of the locs of a document: whether all have the same, and whether a crawler can reach them.

use crate::diagnostic::{Note, catalogue};
use crate::read::entry::{Entry, EntryKind};
use crate::value::host;
use crate::value::loc::UrlParts;

/// Hosts that were reported. A document with more has one finding for each loc after that.
const MAX_HOSTS: usize = 256;

/// What the locs so far have had.
#[derive(Debug, Default)]
pub struct Origins {
    /// Scheme, host and port of the first loc.
    first: Option<(String, String, String)>,
    /// Other hosts in their canonical form, each reported once.
    others: Vec<String>,
    is_scheme_reported: bool,
    is_port_reported: bool,
    /// Hosts that a crawler cannot reach, each reported once.
    private: Vec<String>,
}

impl Origins {
    /// Whether each host is reported once. Beyond that, hosts are reported again.
    pub(super) fn has_room(&self) -> bool {
        self.others.len() < MAX_HOSTS && self.private.len() < MAX_HOSTS
    }

    /// LOC016. Source: sitemaps.org protocol, "Sitemap file location": all URLs use the same scheme, and are on the host
    /// of the sitemap. Which that is, only its URL shows.
    pub(super) fn compare(&mut self, entry: &Entry<'_>, parts: &UrlParts<'_>, notes: &mut Vec<Note>) {
        let port = parts.effective_port();
        let Some(host) = host::canonical(parts.host) else { return };
        let Some((scheme, first_host, first_port)) = &self.first else {
            self.first = Some((parts.scheme.to_ascii_lowercase(), host, port.to_owned()));
            return;
        };
        let what = if entry.kind == EntryKind::Sitemap { "sitemap" } else { "loc" };
        let message = if *first_host != host {
            if self.others.contains(&host) {
                return;
            }
            let message = format!("the host {} is not {first_host}, that of the first {what}", parts.host);
            remember(&mut self.others, host);
            message
        } else if !scheme.eq_ignore_ascii_case(parts.scheme) {
            if std::mem::replace(&mut self.is_scheme_reported, true) {
                return;
            }
            format!("the scheme {} is not {scheme}, that of the first {what}", parts.scheme)
        } else if first_port != port {
            if std::mem::replace(&mut self.is_port_reported, true) {
                return;
            }
            format!("the port {port} is not {first_port}, that of the first {what}")
        } else {
            return;
        };
        let help = "give each host its own sitemap, or give the URL of this one to check every loc";
        notes.push(Note::new(&catalogue::LOC016, entry.loc_range(), message).with_help(help));
    }

    /// LOC017.
    pub(super) fn check_private(&mut self, entry: &Entry<'_>, parts: &UrlParts<'_>, notes: &mut Vec<Note>) {
        if host::is_private(parts.host) && !self.private.iter().any(|known| known == parts.host) {
            let message = format!("no crawler can reach {}", parts.host);
            let note = Note::new(&catalogue::LOC017, entry.loc_range(), message);
            notes.push(note.with_help("write the host that visitors use"));
            remember(&mut self.private, parts.host.to_owned());
        }
    }
}

fn remember(hosts: &mut Vec<String>, host: String) {
    if hosts.len() < MAX_HOSTS {
        hosts.push(host);
    }
}
