//! Lines of a text list that are a URL and nothing else, as nearly all are: they go to entry runs.

use fearless_simd::{Simd, dispatch, prelude::*, u8x64};

use crate::diagnostic::Notebook;
use crate::read::document::{Document, DocumentState};
use crate::read::entries::entry_run::{ENTRY_BYTES, MAX_RUN, PlainEntry};
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
            let number = match takes_runs {
                true => dispatch!(level, simd => self.content.plain_lines(simd, window, *at)),
                false => 0,
            };
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
    #[inline(always)]
    fn plain_lines<S: Simd>(&mut self, simd: S, window: &str, mut at: usize) -> usize {
        let Content { run, index, .. } = self;
        let bytes = window.as_bytes();
        let mut room = run.iter_mut();
        let mut from_here = !0 << (at % BLOCK);
        for (number, block) in bytes.as_chunks::<BLOCK>().0.iter().enumerate().skip(at / BLOCK) {
            let line_feeds = index.line_feeds(number) & from_here;
            let blanks = u8x64::from_slice(simd, block).simd_le(b' ').to_bitmask() & from_here;
            from_here = !0;
            // A line with another blank is not plain, whichever blank that is.
            let odd = blanks & !line_feeds;
            let mut ends = line_feeds & (odd & odd.wrapping_neg()).wrapping_sub(1);
            while ends != 0 {
                let end = number * BLOCK + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                if !is_url(&bytes[at..end]) {
                    return MAX_RUN - room.len();
                }
                let Some(entry) = room.next() else { return MAX_RUN };
                *entry = PlainEntry { start: at as u32, end: end as u32, ..PlainEntry::default() };
                entry.fields[Field::Loc as usize] = Slot::window(at, end);
                at = end + 1;
            }
            if odd != 0 {
                break;
            }
        }
        MAX_RUN - room.len()
    }
}

/// Bytes of a block of the index.
const BLOCK: usize = 64;

/// Whether a line begins as nearly every URL does, and is not too long for an entry run.
#[inline(always)]
fn is_url(line: &[u8]) -> bool {
    (line.len() > 8 && line.starts_with(b"https://") || line.len() > 7 && line.starts_with(b"http://"))
        && line.len() <= ENTRY_BYTES
}
