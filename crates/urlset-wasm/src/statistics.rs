//! What one document holds, counted as `urlset.stats` counts it.

use std::collections::BTreeMap;

use serde::Serialize;
use urlset_core::checks::values;
use urlset_core::diagnostic::Note;
use urlset_core::read::entry::{Entry, EntryKind};
use urlset_core::read::sink::Sink;
use urlset_core::value::calendar::{DAY_MICROS, civil_from_days};
use urlset_core::value::relative::Base;

/// The ages of lastmods, from the youngest to the oldest, with the days up to which they go.
const AGES: [(&str, i64); 4] = [("a day", 1), ("a week", 7), ("a month", 30), ("a year", 365)];

/// Counts of entries. The maps have no more keys than the document has entries.
#[derive(Default, Serialize)]
pub struct Statistics {
    #[serde(skip)]
    now: i64,
    #[serde(skip)]
    base: Option<Base>,
    pub entries: u64,
    /// By the first folder of the path; `/` has the others.
    pub sections: BTreeMap<String, u64>,
    pub hosts: BTreeMap<String, u64>,
    pub ages: BTreeMap<&'static str, u64>,
    /// By month of UTC, such as `2026-01`.
    pub months: BTreeMap<String, u64>,
    pub extensions: BTreeMap<&'static str, u64>,
    /// In microseconds since the epoch.
    pub oldest: Option<i64>,
    pub newest: Option<i64>,
}

impl Statistics {
    /// `now` is where ages are counted from, in microseconds since the epoch.
    pub fn new(now: i64, location: Option<&str>) -> Self {
        Statistics { now, base: location.and_then(Base::new), ..Statistics::default() }
    }

    fn count_lastmod(&mut self, lastmod: Option<i64>, is_written: bool) {
        let age = match lastmod {
            Some(lastmod) => self.age(lastmod),
            None if is_written => "invalid",
            None => "absent",
        };
        *self.ages.entry(age).or_default() += 1;
        let Some(lastmod) = lastmod else { return };
        let (year, month, _) = civil_from_days(lastmod.div_euclid(DAY_MICROS));
        *self.months.entry(format!("{year:04}-{month:02}")).or_default() += 1;
        self.oldest = Some(self.oldest.map_or(lastmod, |oldest| oldest.min(lastmod)));
        self.newest = Some(self.newest.map_or(lastmod, |newest| newest.max(lastmod)));
    }

    fn age(&self, lastmod: i64) -> &'static str {
        let age = self.now.saturating_sub(lastmod);
        if age < 0 {
            return "future";
        }
        AGES.iter().find(|(_, days)| age <= days * DAY_MICROS).map_or("older", |(name, _)| *name)
    }
}

impl Sink for Statistics {
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        if entry.kind != EntryKind::Url {
            return;
        }
        self.entries += 1;
        let loc = values::loc(entry, self.base.as_ref(), notes).unwrap_or_default();
        let (host, section) = place(&loc);
        *self.hosts.entry(host).or_default() += 1;
        *self.sections.entry(section.to_owned()).or_default() += 1;
        let is_written = entry.text(*entry.slots.lastmod()).is_some();
        let lastmod = if is_written { values::lastmod(entry, notes) } else { None };
        self.count_lastmod(lastmod, is_written);
        let slots = entry.slots;
        let present = [
            ("images", !slots.images.is_empty()),
            ("videos", !slots.videos.is_empty()),
            ("alternates", !slots.alternates.is_empty()),
            ("news", slots.news.is_some()),
        ];
        for (name, _) in present.iter().filter(|(_, is_present)| *is_present) {
            *self.extensions.entry(name).or_default() += 1;
        }
    }
}

/// The host of a loc, in small letters, and the first folder of its path. A loc that is not absolute has no host.
fn place(loc: &str) -> (String, &str) {
    let is_scheme = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.chars().all(|each| each.is_ascii_alphanumeric() || matches!(each, '+' | '.' | '-'))
    };
    let Some((_, rest)) = loc.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return (String::new(), "/");
    };
    let host = rest.find(['/', '?', '#']).map_or(rest, |end| &rest[..end]);
    let path = &rest[host.len()..];
    let path = path.find(['?', '#']).map_or(path, |end| &path[..end]);
    let section = match path.get(1..).and_then(|path| path.find('/')) {
        Some(length) if length > 0 => &path[..length + 2],
        _ => "/",
    };
    (host.to_lowercase(), section)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_section_is_the_first_folder() {
        for (loc, host, section) in [
            ("https://Shop.example/tea/green?x=/y/", "shop.example", "/tea/"),
            ("https://shop.example/tea", "shop.example", "/"),
            ("https://shop.example", "shop.example", "/"),
            ("https://shop.example//a/", "shop.example", "/"),
            ("https://shop.example?a=/b/c/", "shop.example", "/"),
            ("/tea/green/", "", "/"),
            ("1a://host/x/y", "", "/"),
        ] {
            assert_eq!(place(loc), (host.to_owned(), section), "{loc}");
        }
    }
}
