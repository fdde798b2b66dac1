//! Rows in the order of their shards and locs: all runs, merged.

use std::fmt;
use std::io::{self, BufReader, Read, Write};
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
    order: Order<R>,
    kind: PhantomData<K>,
}

/// The order of the rows: of each, a byte with the number of its run.
enum Order<R> {
    /// Rows are compared to find it.
    Found,
    /// So they are, and it is written.
    Kept(Box<dyn Write + Send>),
    /// It was written when the rows were read before.
    Known(BufReader<R>),
}

/// More runs than the order of their rows can be written for.
const MAX_ORDERED: usize = 1 << 8;

impl<R: Read, K: RowKind> SortedRows<R, K> {
    /// The rows of these runs, which come in the order in which they were written.
    pub fn new(runs: impl IntoIterator<Item = R>) -> SortedRows<R, K> {
        SortedRows::of(runs, Order::Found)
    }

    /// The rows of these runs in an order that `keep_order` has written, so that none are compared.
    pub fn in_order(runs: impl IntoIterator<Item = R>, order: R) -> SortedRows<R, K> {
        SortedRows::of(runs, Order::Known(BufReader::new(order)))
    }

    fn of(runs: impl IntoIterator<Item = R>, order: Order<R>) -> SortedRows<R, K> {
        let runs = runs.into_iter().map(RunReader::new).collect();
        SortedRows { runs, heap: Vec::new(), is_begun: false, order, kind: PhantomData }
    }

    /// Write the order of the rows while they are read, from the first.
    pub fn keep_order(&mut self, out: impl Write + Send + 'static) {
        if self.runs.len() <= MAX_ORDERED && !self.is_begun {
            self.order = Order::Kept(Box::new(out));
        }
    }

    /// Whether the order of all rows was written: the rows were read to their end.
    pub fn has_kept_order(&self) -> bool {
        matches!(self.order, Order::Kept(_)) && self.is_begun && self.heap.is_empty()
    }

    /// Return the next row; None at the end.
    pub fn next_row(&mut self) -> io::Result<Option<K::Row<'_>>> {
        let Some(record) = self.next_record()? else { return Ok(None) };
        K::read(record).map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Return the next row as it is held.
    pub(super) fn next_record(&mut self) -> io::Result<Option<Record<'_>>> {
        let run = match &mut self.order {
            Order::Known(_) => self.next_known()?,
            _ => self.next_found()?,
        };
        Ok(run.map(|run| self.runs[run].record()))
    }

    /// Go to the next row in the known order. Returns its run.
    fn next_known(&mut self) -> io::Result<Option<usize>> {
        let Order::Known(order) = &mut self.order else { return Ok(None) };
        let mut number = [0];
        let run = (order.read(&mut number)? > 0).then_some(number[0].into());
        // The order has all rows of all runs.
        for each in run.map_or(0..self.runs.len(), |run| run..run + 1) {
            let found = self.runs.get_mut(each).ok_or(io::ErrorKind::InvalidData)?.advance()?;
            if found != run.is_some() {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(run)
    }

    /// Find the next row. Returns its run.
    fn next_found(&mut self) -> io::Result<Option<usize>> {
        if self.is_begun {
            self.advance()?;
        } else {
            self.begin()?;
        }
        let run = self.heap.first().copied();
        if let Order::Kept(order) = &mut self.order {
            match run {
                Some(run) => order.write_all(&[run as u8])?,
                None => order.flush()?,
            }
        }
        Ok(run)
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

impl<R> fmt::Debug for Order<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Order::Found => "found",
            Order::Kept(_) => "kept",
            Order::Known(_) => "known",
        })
    }
}
