//! The order of the children of an entry. Source: the protocol's schema, where it is a sequence: loc, lastmod, changefreq,
//! priority, extensions. The prose of the protocol does not ask for it.

use super::Linter;
use super::image::tag_before;
use crate::diagnostic::{Note, catalogue};
use crate::read::entry::{Entry, EntryKind};
use crate::read::slots::Slot;

impl Linter {
    /// XML012. An index has a schema of two texts, one of which asks for no order.
    #[inline(always)]
    pub(super) fn check_element_order(&self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        if self.asks(&catalogue::XML012) && entry.kind == EntryKind::Url && !entry.document.is_feed() {
            check(entry, notes);
        }
    }
}

fn check(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let slots = entry.slots;
    let at = |slot: Slot| slot.is_present().then(|| tag_before(entry, slot).start);
    let extensions = [
        slots.images.first().map(|image| image.at),
        slots.videos.first().map(|video| video.at),
        slots.news.as_ref().map(|news| news.at),
        slots.alternates.first().map(|link| link.at),
    ];
    let first_extension = extensions.into_iter().flatten().min();
    let fields = [
        ("loc", at(*slots.loc())),
        ("lastmod", at(*slots.lastmod())),
        ("changefreq", at(*slots.changefreq())),
        ("priority", at(*slots.priority())),
        ("an extension", first_extension),
    ];
    let present = fields.into_iter().filter_map(|(name, at)| Some((name, at?)));
    let mut before: Option<(&str, usize)> = None;
    for (name, at) in present {
        match before {
            Some((early, latest)) if at < latest => {
                let message = format!(
                    "`{early}` comes after {}",
                    if name == "an extension" { name.into() } else { format!("`{name}`") }
                );
                let help = "the order of the schema is loc, lastmod, changefreq, priority, extensions";
                let note = Note::new(&catalogue::XML012, latest..latest + 1, message);
                return notes.push(note.with_help(help).once("order"));
            }
            _ => before = Some((name, at)),
        }
    }
}
