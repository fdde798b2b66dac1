//! The segments of an entry that is learned from, each of which follows the one before.

use crate::read::entries::meaning::{Meaning, Target};
use crate::read::grammar::content::Content;

/// Learns the segments of one entry, on a walk through it.
pub struct SegmentChain {
    /// The number of the last segment.
    before: usize,
    /// Where the segment at hand begins.
    pub from: usize,
    /// What that means, as far as it is known.
    pub meaning: Meaning,
}

impl SegmentChain {
    /// The segments of the entry that begins at `from`.
    pub fn at(from: usize) -> Self {
        SegmentChain { before: 0, from, meaning: Meaning::of(Target::End) }
    }

    /// Learns the segment at hand, which ends before this.
    pub fn end_segment(&mut self, content: &mut Content, window: &str, end: usize, target: Target) -> Option<()> {
        let meaning = Meaning { target, ..std::mem::replace(&mut self.meaning, Meaning::of(Target::End)) };
        self.before = content.shapes.learn(self.before, &window.as_bytes()[self.from..end], meaning)?;
        Some(())
    }
}
