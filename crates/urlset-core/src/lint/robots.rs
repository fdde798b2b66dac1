//! The `Sitemap:` lines of a robots.txt, as far as the line alone does not show what is wrong.

use super::Linter;
use crate::diagnostic::{Note, Safety, catalogue};
use crate::read::entry::Entry;

impl Linter {
    /// ROB002 for a quoted URL, and ROB006.
    pub(super) fn check_robots(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let slot = *entry.slots.loc();
        let Some(text) = entry.text(slot) else { return };
        let is_reported = notes.iter().any(|note| note.rule.code == catalogue::ROB002.code);
        if let Some(bare) = unquoted(text).filter(|_| !is_reported) {
            let note = Note::new(&catalogue::ROB002, slot.written(), "the URL is in quotes, which become a part of it");
            notes.push(note.with_fix(entry.fixed_value(slot.written(), Safety::Unsafe, bare)));
        }
        if self.asks(&catalogue::ROB006)
            && let Some(line) = self.document.line_before(text, entry.line)
        {
            let message = format!("the same sitemap as on line {line}");
            notes.push(Note::new(&catalogue::ROB006, slot.written(), message).with_help("name each sitemap once"));
        }
    }
}

/// The text inside of quotes or angle brackets.
fn unquoted(text: &str) -> Option<&str> {
    [('"', '"'), ('\'', '\''), ('<', '>')]
        .into_iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close))
}
