//! The rows of a large table on two threads: each writes half of what is there of them.
//!
//! This thread writes the first half, and at the same time another one writes the second, into memory of its own. The
//! pieces are put in their order without a copy. What an entry looks like does not depend on those before it, so the
//! bytes are the same as those of one thread. The limits of a document do: where both halves together exceed one, and
//! where a row of the first half is refused, this thread writes the second half again, row by row up to the very entry.

use std::thread;

use super::arrow::BatchRows;
use super::encoder::Encoder;

/// A thread takes as long to start as some 500 rows to be written.
const MIN_ROWS: u64 = 4_096;
/// How many halves may be written in vain.
const MAX_REFUSED: u32 = 2;

/// How it went so far in one table.
#[derive(Debug)]
pub struct ParallelSplit {
    /// Rows that two threads share, at least.
    min_rows: u64,
    refused: u32,
}

impl Default for ParallelSplit {
    fn default() -> ParallelSplit {
        ParallelSplit::of(MIN_ROWS)
    }
}

impl ParallelSplit {
    /// The same for any number of rows that two threads share, at least.
    pub(super) fn of(min_rows: u64) -> ParallelSplit {
        ParallelSplit { min_rows, refused: 0 }
    }

    /// Adds rows of a table on two threads, if there are enough of them, and returns how many: see
    /// [`Encoder::push_rows`].
    pub fn push(&mut self, encoder: &mut Encoder, rows: &BatchRows, from: usize, most: u64) -> u64 {
        let most = most.min((rows.len() - from) as u64);
        if most < self.min_rows || self.refused > MAX_REFUSED {
            return encoder.push_rows(rows, from, most);
        }
        let half = most / 2;
        let (mut fork, mut ahead) = (encoder.fork(), 0);
        let added = thread::scope(|scope| {
            let helper = thread::Builder::new().name("urlset-write".into());
            // Where no thread can be started, nothing is written ahead.
            let _ = helper.spawn_scoped(scope, || ahead = fork.push_rows(rows, from + half as usize, most - half));
            encoder.push_rows(rows, from, half)
        });
        if added == half && encoder.join(fork) {
            return half + ahead;
        }
        self.refused += 1;
        added
    }
}
