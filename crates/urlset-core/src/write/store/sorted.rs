//! Rows in the order of their shards and locs: all runs, merged.

use std::io::{self, Read};

use super::row::StoredRow;
use super::run::RunReader;

/// Reads the rows of a store in the order of their shards and locs. Rows with the same loc come in the order in which they were added.
#[derive(Debug)]
pub struct SortedRows<R> {
    runs: Vec<RunReader<R>>,
    /// The runs that have rows left, by number: a heap with the least row on top.
    heap: Vec<usize>,
    is_begun: bool,
}

impl<R: Read> SortedRows<R> {
    /// The rows of these runs, in the order in which they were written. Each row has so many extras.
    pub fn new(runs: impl IntoIterator<Item = R>, extras: usize) -> SortedRows<R> {
        let runs = runs.into_iter().map(|run| RunReader::new(run, extras)).collect();
        SortedRows { runs, heap: Vec::new(), is_begun: false }
    }

    /// Return the next row; None at the end.
    pub fn next_row(&mut self) -> io::Result<Option<StoredRow<'_>>> {
        if self.is_begun {
            self.advance()?;
        } else {
            self.begin()?;
        }
        Ok(self.heap.first().map(|run| self.runs[*run].row()))
    }

    fn begin(&mut self) -> io::Result<()> {
        self.is_begun = true;
        for run in 0..self.runs.len() {
            if self.runs[run].advance()? {
                self.heap.push(run);
            }
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.sift(at);
        }
        Ok(())
    }

    /// Go on from the row on top of the heap.
    fn advance(&mut self) -> io::Result<()> {
        let Some(&top) = self.heap.first() else { return Ok(()) };
        if !self.runs[top].advance()? {
            self.heap.swap_remove(0);
        }
        self.sift(0);
        Ok(())
    }

    /// Let a run sink below those that have lesser rows.
    fn sift(&mut self, mut at: usize) {
        loop {
            let children = 2 * at + 1..self.heap.len().min(2 * at + 3);
            let Some(least) = children.min_by_key(|child| self.rank(*child)) else { return };
            if self.rank(at) <= self.rank(least) {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    fn rank(&self, at: usize) -> ((u32, &str), usize) {
        (self.runs[self.heap[at]].key(), self.heap[at])
    }
}
