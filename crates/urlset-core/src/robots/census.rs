//! Counting what a robots.txt says about many URLs to each crawler that it names.

use std::collections::HashMap;

use super::pattern::Target;
use super::rules::{Rank, Rules};

/// How many URLs, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub urls: u64,
    pub example: Option<String>,
    /// The number of the last URL that was counted, so that none is counted twice.
    last: u64,
}

impl Tally {
    fn add(&mut self, number: u64, url: &str) {
        if self.last != number {
            self.last = number;
            self.urls += 1;
            self.example.get_or_insert_with(|| url.to_owned());
        }
    }
}

/// Crawlers for which the same groups count.
#[derive(Debug)]
struct Set {
    groups: Vec<u32>,
    /// What they must not fetch.
    tally: Tally,
    /// The number of the last URL for which it was asked what the groups say together.
    asked: u64,
}

/// The counts. Each pattern is compared once with each URL, however many groups have it, and crawlers that the same groups
/// name are counted once.
#[derive(Debug)]
pub struct Census {
    rules: Rules,
    sets: Vec<Set>,
    /// Which of these belongs to each crawler that is named.
    set_of: Vec<usize>,
    /// Which of these each group belongs to.
    sets_of: Vec<Vec<usize>>,
    /// What each group says about the URL at hand, and which groups say anything.
    best: Vec<Option<Rank>>,
    speaking: Vec<u32>,
    lines: HashMap<u32, Tally>,
    urls: u64,
}

impl Census {
    /// `named` are the groups of each crawler that is named.
    pub(super) fn new<'r>(rules: Rules, named: impl Iterator<Item = &'r [u32]>, groups: u32) -> Census {
        let groups = groups as usize + 1;
        let mut sets: Vec<Set> = Vec::new();
        let mut sets_of = vec![Vec::new(); groups];
        let mut known: HashMap<&[u32], usize> = HashMap::new();
        let set_of = named.map(|own| {
            *known.entry(own).or_insert_with(|| {
                own.iter().for_each(|group| sets_of[*group as usize].push(sets.len()));
                sets.push(Set { groups: own.to_vec(), tally: Tally::default(), asked: 0 });
                sets.len() - 1
            })
        });
        let set_of = set_of.collect();
        let best = vec![None; groups];
        Census { rules, sets, set_of, sets_of, best, speaking: Vec::new(), lines: HashMap::new(), urls: 0 }
    }

    /// Count a URL.
    pub fn take(&mut self, url: &str) {
        self.urls += 1;
        let target = Target::of(url);
        if target.is_robots() {
            return;
        }
        let Census { rules, sets, sets_of, best, speaking, lines, .. } = self;
        rules.each_match(&target, &mut memchr::memmem::find, |length, uses| {
            for rule in uses {
                let known = &mut best[rule.group as usize];
                if known.is_none() {
                    speaking.push(rule.group);
                }
                *known = (*known).max(Some(Rank::of(length, *rule)));
            }
        });
        let refuses = |group: &u32| best[*group as usize].is_some_and(|rank| !rank.is_allow);
        for at in speaking.iter().filter(|group| refuses(group)).flat_map(|group| &sets_of[*group as usize]) {
            let set = &mut sets[*at];
            // Many of its groups may say something.
            if std::mem::replace(&mut set.asked, self.urls) == self.urls {
                continue;
            }
            let deciding = set.groups.iter().filter_map(|group| best[*group as usize]).max();
            if let Some(rank) = deciding.filter(|rank| !rank.is_allow) {
                set.tally.add(self.urls, url);
                lines.entry(rank.line()).or_default().add(self.urls, url);
            }
        }
        speaking.drain(..).for_each(|group| best[group as usize] = None);
    }

    /// How many URLs were counted.
    pub fn urls(&self) -> u64 {
        self.urls
    }

    /// What each crawler that is named must not fetch, in the order of [`super::Robots::named`].
    pub fn crawlers(&self) -> impl Iterator<Item = &Tally> {
        self.set_of.iter().map(|at| &self.sets[*at].tally)
    }

    /// What each line disallows to a crawler at least, by the number of the line.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &Tally)> {
        self.lines.iter().map(|(line, tally)| (*line, tally))
    }
}
