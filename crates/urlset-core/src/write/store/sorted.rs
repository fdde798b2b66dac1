//! Rows in the order of their shards and locs: all runs, merged.

use std::io::{self, Read};
use std::marker::PhantomData;

use super::row::{Record, RowKind};
use super::run::RunReader;

/// Reads the rows of a store in the order of their shards and locs. Rows with the same loc come in the order in which they
/// were added.
#[derive(Debug)]
pub struct SortedRows<R, K> {
    runs: Vec<RunReader<R>>,
    /// The runs that have rows left, by number: a heap with the least row on top.
    heap: Vec<usize>,
    is_begun: bool,
    kind: PhantomData<K>,
}

impl<R: Read, K: RowKind> SortedRows<R, K> {
    /// The rows of these runs, in the order in which they were written.
    pub fn new(runs: impl IntoIterator<Item = R>) -> SortedRows<R, K> {
        let runs = runs.into_iter().map(RunReader::new).collect();
        SortedRows { runs, heap: Vec::new(), is_begun: false, kind: PhantomData }
    }

    /// Return the next row; None at the end.
    pub fn next_row(&mut self) -> io::Result<Option<K::Row<'_>>> {
        let Some(record) = self.next_record()? else { return Ok(None) };
        K::read(record).map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Return the next row as it is held.
    pub(super) fn next_record(&mut self) -> io::Result<Option<Record<'_>>> {
        if self.is_begun {
            self.advance()?;
        } else {
            self.begin()?;
        }
        Ok(self.heap.first().map(|run| self.runs[*run].record()))
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

    fn rank(&self, at: usize) -> ((u32, &[u8]), usize) {
        (self.runs[self.heap[at]].key(), self.heap[at])
    }
}
