//! Rules, and which of them matches. A URL is compared only with the rules whose text before the first `*` begins it.

use std::cmp::Reverse;
use std::ops::Range;

use super::pattern::{Find, Pattern, Target};

/// A rule as it stands in a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// The number of its group.
    pub group: u32,
    /// The number of its line.
    pub line: u32,
    pub is_allow: bool,
}

/// A rule that matches, in the order of what decides: the longest, then one that allows, then the first. Source:
/// RFC 9309, 2.2.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    length: usize,
    pub is_allow: bool,
    line: Reverse<u32>,
}

impl Rank {
    /// The rank of a rule with such a pattern.
    pub fn of(length: usize, rule: Use) -> Rank {
        Rank { length, is_allow: rule.is_allow, line: Reverse(rule.line) }
    }

    /// The number of the line.
    pub fn line(self) -> u32 {
        self.line.0
    }
}

/// A pattern, and the lines that have it.
#[derive(Debug)]
struct Entry {
    pattern: Pattern,
    uses: Range<usize>,
}

/// The patterns that begin alike.
#[derive(Debug)]
struct Head {
    entries: Range<usize>,
    /// The longest other beginning that this one begins with.
    parent: Option<usize>,
}

/// Rules by the text with which they begin.
#[derive(Debug, Default)]
pub struct Rules {
    /// Sorted by their beginnings.
    heads: Vec<Head>,
    entries: Vec<Entry>,
    uses: Vec<Use>,
}

impl Rules {
    /// The rules of these values.
    pub fn new<'v>(rules: impl Iterator<Item = (&'v str, Use)>) -> Rules {
        let mut sorted: Vec<(Pattern, Use)> =
            rules.filter_map(|(value, rule)| Some((Pattern::of(value)?, rule))).collect();
        sorted.sort_by(|(one, first), (other, second)| one.cmp(other).then(first.line.cmp(&second.line)));
        let mut found = Rules::default();
        for (pattern, rule) in sorted {
            found.uses.push(rule);
            let end = found.uses.len();
            match found.entries.last_mut() {
                Some(last) if last.pattern == pattern => last.uses.end = end,
                _ => found.entries.push(Entry { pattern, uses: end - 1..end }),
            }
        }
        found.link();
        found
    }

    /// Find the beginnings, and which of them begin others.
    fn link(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.entries.len() {
            let prefix = self.entries[at].pattern.prefix();
            if let Some(last) = self.heads.last_mut()
                && self.entries[last.entries.start].pattern.prefix() == prefix
            {
                last.entries.end = at + 1;
                continue;
            }
            while let Some(last) = open.last()
                && !prefix.starts_with(self.entries[self.heads[*last].entries.start].pattern.prefix())
            {
                open.pop();
            }
            let parent = open.last().copied();
            open.push(self.heads.len());
            self.heads.push(Head { entries: at..at + 1, parent });
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Hand out the patterns that match, each by its length and with the rules that have it. A pattern may come twice.
    pub fn each_match(&self, target: &Target, find: Find<'_>, mut take: impl FnMut(usize, &[Use])) {
        let prefix = |head: &Head| self.entries[head.entries.start].pattern.prefix();
        for text in target.spellings() {
            // Whatever begins a text is the greatest beginning that is not behind it, or begins that one.
            let mut at = self.heads.partition_point(|head| prefix(head) <= text).checked_sub(1);
            while let Some(head) = at.map(|at| &self.heads[at]) {
                if text.starts_with(prefix(head)) {
                    for entry in &self.entries[head.entries.clone()] {
                        if entry.pattern.matches_behind(text, find) {
                            take(entry.pattern.length, &self.uses[entry.uses.clone()]);
                        }
                    }
                }
                at = head.parent;
            }
        }
    }

    /// The rule that decides, if any matches.
    pub fn deciding(&self, target: &Target) -> Option<Rank> {
        if self.is_empty() || target.is_robots() {
            return None;
        }
        let mut best: Option<Rank> = None;
        self.each_match(target, &mut memchr::memmem::find, |length, uses| {
            best = best.max(uses.iter().map(|rule| Rank::of(length, *rule)).max());
        });
        best
    }
}
