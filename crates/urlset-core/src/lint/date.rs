//! Dates: the lastmod of an entry, whether it contradicts the changefreq, and how an invalid one is fixed.

use super::Linter;
use crate::checks::values;
use crate::diagnostic::removal::element_around;
use crate::diagnostic::wording::lastmod_error;
use crate::diagnostic::{Fix, Note, Rule, Safety, catalogue};
use crate::judge::instead;
use crate::read::entry::Entry;
use crate::read::slots::Slot;
use crate::value::calendar::{DAY_MICROS, FIRST_PAGE};
use crate::value::lastmod::{self, LastmodError};

impl Linter {
    /// Checks a lastmod, and returns the instant that it names.
    #[inline(always)]
    pub(super) fn check_lastmod(&self, entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<i64> {
        let slot = *entry.slots.lastmod();
        if !slot.is_present() {
            return None;
        }
        let (before, text) = (notes.len(), entry.text(slot).unwrap_or_default());
        let micros = values::lastmod(entry, notes);
        if notes.len() > before && !entry.document.is_feed() {
            self.add_repair(entry, slot, text, before, notes);
            return micros;
        }
        let micros = micros?;
        if !lastmod::is_somewhere(text) {
            let (rule, message, help) = lastmod_error(LastmodError::Offset(text));
            notes.push(Note { help, ..Note::new(rule, slot.written(), message) });
        } else if micros > self.settings.now.saturating_add(DAY_MICROS) {
            self.drop_lastmod(entry, &catalogue::MOD007, format!("{text} is in the future"), notes);
        } else if micros < FIRST_PAGE {
            let message = format!("{text} is before 1991-08-06, when the first page of the web was shown");
            self.drop_lastmod(entry, &catalogue::MOD008, message, notes);
        } else if !matches!(text.len(), 10 | 20 | 25) && !entry.document.is_feed() {
            self.check_precision(entry, text, notes);
        }
        Some(micros)
    }

    #[cold]
    fn drop_lastmod(&self, entry: &Entry<'_>, rule: &'static Rule, message: String, notes: &mut Vec<Note>) {
        let written = entry.slots.lastmod().written();
        let note = Note::new(rule, written.clone(), message);
        notes.push(match dropped(entry, *entry.slots.lastmod()) {
            Some(fix) if !entry.document.is_feed() => note.with_fix(fix),
            _ => note,
        });
    }

    /// MOD006. The profile allows it; the schema, and consumers that validate with it, do not.
    #[cold]
    fn check_precision(&self, entry: &Entry<'_>, text: &str, notes: &mut Vec<Note>) {
        let lacks = match text.len() {
            4 => "month and day",
            7 => "a day",
            17 | 22 if !text.contains('.') => "seconds",
            _ => return,
        };
        let message = format!("{text} has no {}", lacks.trim_start_matches("a "));
        notes.push(Note::new(&catalogue::MOD006, entry.slots.lastmod().written(), message));
    }

    /// Adds a fix to the note that the checks have made about a date, after `before`.
    #[cold]
    pub(super) fn add_repair(&self, entry: &Entry<'_>, slot: Slot, text: &str, before: usize, notes: &mut [Note]) {
        let Some(note) = notes[before..].last_mut().filter(|_| !entry.document.is_feed()) else { return };
        if let Some((safety, text)) = instead::lastmod(text, self.settings.zone.as_ref()) {
            note.fix = Some(Box::new(entry.fixed_value(slot.written(), safety, &text)));
        }
    }

    /// FRQ003. Source: sitemaps.org protocol, changefreq: how frequently the page is likely to change. A page that changes
    /// once a year may have changed yesterday, and one that will never change again as well.
    pub(super) fn check_pace(&self, entry: &Entry<'_>, changefreq: &str, lastmod: i64, notes: &mut Vec<Note>) {
        let days = self.settings.now.saturating_sub(lastmod) / DAY_MICROS;
        if matches!(changefreq, "always" | "hourly" | "daily") && days > 730 {
            let message = format!("changefreq is {changefreq}, but lastmod is {days} days ago");
            notes.push(Note::new(&catalogue::FRQ003, entry.slots.changefreq().written(), message));
        }
    }
}

/// Drops the element of a value, and its content with it.
pub fn dropped(entry: &Entry<'_>, slot: Slot) -> Option<Fix> {
    let range = element_around(&entry.window[..entry.end], slot.written()).filter(|range| range.start > entry.start)?;
    Some(Fix::replace(Safety::Unsafe, range, ""))
}
