//! The rules that see one entry. Each is a few lines under the name of its code; its page names its sources.

use super::Linter;
use super::date::dropped;
use crate::checks::values;
use crate::diagnostic::{Fix, Note, catalogue};
use crate::judge::instead::{self, Instead};
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind};
use crate::read::slots::Slot;
use crate::value::{changefreq, loc};

/// The ends of names that only pages and their files have.
const PAGES: [&str; 15] =
    ["html", "htm", "xhtml", "shtml", "pdf", "jpg", "jpeg", "png", "gif", "webp", "svg", "css", "js", "zip", "mp4"];

impl Linter {
    /// IDX006. Source: the protocol's two schemas: `<url>` is in a urlset, `<sitemap>` in a sitemapindex.
    pub(super) fn check_kind(&self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let (expected, name) = match entry.document {
            Kind::Sitemapindex => (EntryKind::Sitemap, "<url>` in a sitemapindex"),
            Kind::Urlset => (EntryKind::Url, "<sitemap>` in a urlset"),
            _ => return,
        };
        if entry.kind != expected {
            notes.push(Note::new(&catalogue::IDX006, entry.start..entry.start + 1, format!("`{name}")));
        }
    }

    /// IDX010: a child of an index that is plainly a page or a file, by its name. Servers make sitemaps under nearly every
    /// other name.
    pub(super) fn check_child(&self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        if !self.asks(&catalogue::IDX010) {
            return;
        }
        let Some(parts) = entry.text(*entry.slots.loc()).and_then(loc::parts) else { return };
        let path = loc::requested_path(parts.rest);
        let has_query = parts.rest.contains('?');
        let end = path.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
        if !has_query && (path == "/" || PAGES.contains(&end.as_str())) {
            let message = "it is a page and not a sitemap, by its name";
            let note = Note::new(&catalogue::IDX010, entry.loc_range(), message);
            notes.push(note.with_help("list it in a urlset, and that in the index"));
        }
    }

    /// Checks the changefreq and the priority, and returns the priority.
    #[inline(always)]
    pub(super) fn check_hints(&self, entry: &Entry<'_>, lastmod: Option<i64>, notes: &mut Vec<Note>) -> Option<f64> {
        // An element that is present but empty reads as absent, and is checked as an empty text.
        let (mut changefreq, mut priority) = (None, None);
        let before = notes.len();
        if entry.slots.changefreq().is_present() {
            changefreq = values::changefreq(entry, notes);
        }
        if notes.len() > before {
            fix_changefreq(entry, &mut notes[before..]);
        }
        if let (Some(index), Some(lastmod)) = (changefreq, lastmod)
            && self.asks(&catalogue::FRQ003)
        {
            self.check_pace(entry, changefreq::WORDS[index as usize], lastmod, notes);
        }
        let before = notes.len();
        if entry.slots.priority().is_present() {
            priority = values::priority(entry, notes);
        }
        if notes.len() > before {
            fix_priority(entry, &mut notes[before..]);
        }
        if let Some(most) = self.settings.tag_bytes {
            check_tags(entry, most, notes);
        }
        priority
    }
}

/// LIM006. Source: Yandex, errors of sitemaps: the values of these tags have at most 100 bytes.
fn check_tags(entry: &Entry<'_>, most: usize, notes: &mut Vec<Note>) {
    for slot in [*entry.slots.lastmod(), *entry.slots.changefreq(), *entry.slots.priority()] {
        if slot.length() > most {
            let message = format!("a value of {} bytes; at most {most} are accepted", slot.length());
            notes.push(Note::new(&catalogue::LIM006, slot.written(), message));
        }
    }
}

#[cold]
fn fix_changefreq(entry: &Entry<'_>, notes: &mut [Note]) {
    let slot = *entry.slots.changefreq();
    notes[0].fix = fixed(entry, slot, instead::changefreq(entry.text(slot).unwrap_or_default()));
}

#[cold]
fn fix_priority(entry: &Entry<'_>, notes: &mut [Note]) {
    let slot = *entry.slots.priority();
    notes[0].fix = fixed(entry, slot, instead::priority(entry.text(slot).unwrap_or_default()));
}

/// The fix that replaces a value, or drops its element if nothing can be written in its place.
fn fixed(entry: &Entry<'_>, slot: Slot, instead: Option<Instead>) -> Option<Box<Fix>> {
    let fix = match instead {
        Some((safety, text)) => Some(entry.fixed_value(slot.written(), safety, &text)),
        None => dropped(entry, slot),
    };
    fix.map(Box::new)
}
