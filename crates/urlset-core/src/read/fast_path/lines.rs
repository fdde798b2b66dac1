//! Lines of a text list that are a URL and nothing else, as nearly all are: they go to entry runs.

use fearless_simd::dispatch;

use crate::diagnostic::Notebook;
use crate::read::document::{Document, DocumentState};
use crate::read::entries::entry_run::{ENTRY_BYTES, PlainEntry};
use crate::read::entries::sink::Sink;
use crate::read::entries::slots::Slot;
use crate::read::grammar::content::Content;
use crate::read::kind::Kind;
use crate::read::namespaces::element::Field;
use crate::read::stop::Stop;

impl Document {
    /// Takes the lines from `at` on.
    pub fn lines<K: Sink>(
        &mut self,
        window: &str,
        at: &mut usize,
        sink: &mut K,
        notebook: &mut Notebook,
    ) -> Result<(), Stop> {
        let takes_runs = K::TAKES_RUNS && self.kind == Some(Kind::Text) && self.content.shapes.has_miss_budget();
        let level = self.content.level;
        while self.state == DocumentState::Lines {
            let number = if takes_runs { self.content.plain_lines(window, *at) } else { 0 };
            if number > 0 {
                dispatch!(level, _simd => self.hand_out_run(number, window, at, sink, notebook))?;
            } else {
                *at = self.line(window, *at, sink, notebook)?;
            }
        }
        Ok(())
    }
}

impl Content {
    /// Recognises lines that are a URL and nothing else from `at` on. Returns how many are in the run now.
    fn plain_lines(&mut self, window: &str, mut at: usize) -> usize {
        for (number, entry) in self.run.iter_mut().enumerate() {
            let end = self.index.line_feed(at).filter(|end| is_plain_url(&window.as_bytes()[at..*end]));
            let Some(end) = end else { return number };
            *entry = PlainEntry { start: at as u32, end: end as u32, ..PlainEntry::default() };
            entry.fields[Field::Loc as usize] = Slot::window(at, end);
            at = end + 1;
        }
        self.run.len()
    }
}

/// Whether a line begins as nearly every URL does, and has no blanks.
fn is_plain_url(line: &[u8]) -> bool {
    const SCHEMES: [&[u8]; 2] = [b"https://", b"http://"];
    SCHEMES.iter().any(|scheme| line.starts_with(scheme) && line.len() > scheme.len())
        && line.len() <= ENTRY_BYTES
        // All of them, because that takes less time than to look for the first.
        && line.iter().fold(true, |is_plain, byte| is_plain & (*byte > b' '))
}
