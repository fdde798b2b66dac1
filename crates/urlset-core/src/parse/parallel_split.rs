//! One large document on two threads: each reads half of what is there of it.
//!
//! The text is cut behind an entry, or so it seems. This thread reads what comes before the cut, and at the same time
//! another one what comes behind it. What that has read counts only if it is proved to be what this thread would have read
//! (see `read::fork`); else this thread reads it again.

use std::thread;

use memchr::memmem;

use super::parser::Parser;
use crate::table::Table;

/// Bytes of which each thread reads half, at least: a thread takes as long to start as some 50 KiB to be read.
const MIN_BYTES: usize = 1 << 20;
/// What an entry ends with. A document whose tags have a prefix is not cut.
const CUT: &[u8] = b"</url>";
/// How far from where a cut should be it may be.
const SLACK: usize = 256 * 1024;
/// How many halves have to be joined for each one that was read again.
const WORTH: u32 = 8;

/// How it went so far in one document.
#[derive(Debug, Default)]
pub struct ParallelSplit {
    joined: u32,
    refused: u32,
}

impl ParallelSplit {
    /// Bytes that are read before the first cut: what the document declares stands there.
    pub const HEAD: usize = 16 * 1024;
    /// Bytes that two threads are given at once, at least and at most: meanwhile, rows should flow.
    pub const MAX_BYTES: usize = 64 << 20;

    /// Whether the document may be read by two threads from here on, if there is enough of it.
    pub fn is_worth_it(&self, parser: &Parser) -> bool {
        self.refused * WORTH <= self.joined && parser.can_fork()
    }

    /// Reads most of the next bytes on two threads, and returns how many; 0 where one thread should read them.
    pub fn read(&mut self, bytes: &[u8], parser: &mut Parser, table: &mut Table) -> usize {
        if bytes.len() < MIN_BYTES {
            return 0;
        }
        let (Some(mut fork), Some((middle, end))) = (parser.fork(), cuts(bytes)) else {
            self.refused += 1;
            return 0;
        };
        let mut rows = table.fork();
        let (first, second) = (&bytes[..middle], &bytes[middle..end]);
        thread::scope(|scope| {
            let helper = thread::Builder::new().name("urlset-half".into());
            // Where no thread can be started, the fork has read nothing, which is not what comes next.
            let _ = helper.spawn_scoped(scope, || fork.feed(second, &mut rows));
            parser.feed(first, table);
        });
        if fork.decoder.wire_bytes() == second.len() as u64 && parser.join(&fork, table, rows) {
            self.joined += 1;
            return end;
        }
        self.refused += 1;
        middle
    }
}

/// Where to cut the bytes in two, and where the second part ends.
fn cuts(window: &[u8]) -> Option<(usize, usize)> {
    let half = window.len() / 2;
    let middle = half + memmem::find(&window[half..(half + SLACK).min(window.len())], CUT)? + CUT.len();
    let last = window.len().saturating_sub(SLACK).max(middle);
    let end = last + memmem::rfind(&window[last..], CUT)? + CUT.len();
    Some((middle, end))
}
