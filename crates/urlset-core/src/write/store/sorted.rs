//! Rows in the order of their shards and locs: all runs, merged.

use std::io::{self, Read};
use std::marker::PhantomData;

use super::code::Code;
use super::row::{Record, RowKind};
use super::run::RunReader;
use crate::compact::shared;

/// Reads the rows of a store in the order of their shards and locs. Rows with the same loc come in the order in which they
/// were added.
#[derive(Debug)]
pub struct SortedRows<R, K> {
    runs: Vec<RunReader<R>>,
    /// A tournament between the rows at hand, as a binary tree: each inner node has the one that lost there, and the first
    /// place, which is no node, has the one that never lost.
    losers: Vec<Entrant>,
    is_begun: bool,
    /// Whether a run could not be read, so that nobody knows which row is next.
    has_failed: bool,
    kind: PhantomData<K>,
}

/// A row in the tournament: its run, and how it differs from one that is not greater. That one is the row before it of the same
/// run, or whichever it lost to, and for all rows that meet it is the same one.
#[derive(Debug, Clone, Copy)]
struct Entrant {
    code: Code,
    run: usize,
}

impl<R: Read, K: RowKind> SortedRows<R, K> {
    /// The rows of these runs, which come in the order in which they were written.
    pub fn new(runs: impl IntoIterator<Item = R>) -> SortedRows<R, K> {
        let runs = runs.into_iter().map(RunReader::new).collect();
        SortedRows { runs, losers: Vec::new(), is_begun: false, has_failed: false, kind: PhantomData }
    }

    /// Return the next row; None at the end.
    pub fn next_row(&mut self) -> io::Result<Option<K::Row<'_>>> {
        let Some(record) = self.next_record()? else { return Ok(None) };
        K::read(record).map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Return the next row as it is held. After an error it fails again: it never looks like the end.
    pub(super) fn next_record(&mut self) -> io::Result<Option<Record<'_>>> {
        if self.has_failed {
            return Err(io::Error::other("rows are missing that could not be read before"));
        }
        self.has_failed = true; // unless it succeeds
        if self.is_begun { self.advance() } else { self.begin() }?;
        self.has_failed = false;
        let least = self.losers.first().filter(|least| least.code < Code::END);
        Ok(least.map(|least| self.runs[least.run].record()))
    }

    /// Let the first rows of all runs play.
    fn begin(&mut self) -> io::Result<()> {
        self.is_begun = true;
        let leaves = (0..self.runs.len()).map(|run| self.entrant(run)).collect::<io::Result<Vec<_>>>()?;
        // The winners at the inner nodes, and then the leaves.
        let mut winners = [leaves.clone(), leaves].concat();
        for node in (1..self.runs.len()).rev() {
            (winners[node], winners[2 * node]) = self.play(winners[2 * node], winners[2 * node + 1]);
        }
        self.losers = (0..self.runs.len()).map(|node| winners[(2 * node).max(1)]).collect();
        Ok(())
    }

    /// Let the row after the least one play against all that this one has beaten.
    fn advance(&mut self) -> io::Result<()> {
        let Some(&least) = self.losers.first().filter(|least| least.code < Code::END) else { return Ok(()) };
        let mut winner = self.entrant(least.run)?;
        let mut node = (least.run + self.runs.len()) / 2;
        while node > 0 {
            (winner, self.losers[node]) = self.play(winner, self.losers[node]);
            node /= 2;
        }
        self.losers[0] = winner;
        Ok(())
    }

    /// Go to the next row of a run.
    fn entrant(&mut self, run: usize) -> io::Result<Entrant> {
        let code = if self.runs[run].advance()? { self.runs[run].code() } else { Code::END };
        Ok(Entrant { code, run })
    }

    /// Return the lesser of two rows, and the other one.
    #[inline]
    fn play(&self, one: Entrant, other: Entrant) -> (Entrant, Entrant) {
        if one.code == other.code {
            self.play_closely(one, other)
        } else if one.code < other.code {
            (one, other)
        } else {
            (other, one)
        }
    }

    /// Do it for rows that differ alike from the one that both follow.
    fn play_closely(&self, one: Entrant, other: Entrant) -> (Entrant, Entrant) {
        if one.code == Code::END {
            return (one, other);
        }
        let [record, against] = [one, other].map(|each| self.runs[each.run].record());
        let known = one.code.shared().min(record.loc.len()).min(against.loc.len());
        let shared = known + shared(&record.loc[known..], &against.loc[known..]);
        let (winner, mut loser, greater) = if (&record.loc[shared..], one.run) < (&against.loc[shared..], other.run) {
            (one, other, against)
        } else {
            (other, one, record)
        };
        loser.code = Code::of(greater, greater.shard, shared);
        (winner, loser)
    }
}
