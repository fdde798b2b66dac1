//! Entries like nearly all, about whose values no rule has anything to say. They are recognised at once, and all others
//! are judged rule by rule, with the same result.

use std::ops::Range;

use super::known_origins::KnownOrigins;
use super::loc_index::LocIndex;
use super::settings::Settings;
use super::spelling::escaped_again;
use crate::diagnostic::{Selection, catalogue};
use crate::judge::instead::without_blanks;
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind};
use crate::value::calendar::{DAY_MICROS, FIRST_PAGE};
use crate::value::loc::{self, Glance, traits};
use crate::value::{changefreq, lastmod, priority, w3c_date};

/// The longest of the common forms of a lastmod.
const LASTMOD_BYTES: usize = 25;
/// The words for a page that changes at least once a day, which stand first in [`changefreq::WORDS`].
const DAILY: u8 = 3;
/// A page changes less often than daily if it has not changed for so long.
const STALE: i64 = 731 * DAY_MICROS;

/// What the fast path depends on.
#[derive(Debug)]
pub struct FastPath {
    /// Every entry is judged rule by rule: a rule is on that asks more of a common value.
    is_off: bool,
    pub compares_locs: bool,
    /// A loc of no more bytes is not too long for any consumer.
    pub max_loc_bytes: usize,
    pub origins: KnownOrigins,
    /// A loc that is not ASCII needs a note.
    wants_ascii: bool,
    /// Room for the shortest spelling of a loc with escapes.
    unescaped: Vec<u8>,
    /// No later lastmod.
    latest: i64,
    /// No lastmod up to here next to a changefreq of a day or less.
    stale: i64,
    /// Of the longest priority.
    priority_bytes: usize,
}

/// What the values of an entry mean.
pub struct FastValues {
    /// Microseconds since the epoch.
    pub lastmod: Option<i64>,
    pub priority: Option<f64>,
}

impl FastPath {
    pub fn new(selection: &Selection, settings: &Settings, seed: u64) -> Self {
        let tag_bytes = settings.tag_bytes.unwrap_or(usize::MAX);
        FastPath {
            is_off: selection.takes(&catalogue::LOC015)
                || selection.takes(&catalogue::LOC018)
                || tag_bytes < LASTMOD_BYTES,
            compares_locs: selection.takes(&catalogue::LOC014) || selection.takes(&catalogue::IDX005),
            max_loc_bytes: settings.loc_chars.min(settings.loc_bytes.unwrap_or(usize::MAX)),
            origins: KnownOrigins::new(seed),
            wants_ascii: selection.takes(&catalogue::LOC007),
            unescaped: Vec::new(),
            latest: settings.now.saturating_add(DAY_MICROS),
            stale: if selection.takes(&catalogue::FRQ003) { settings.now.saturating_sub(STALE) } else { i64::MIN },
            priority_bytes: tag_bytes,
        }
    }

    /// What the values of an entry mean, if no rule has anything to say about them. Then its loc is in the index;
    /// else nothing of it is remembered.
    #[inline(always)]
    pub fn push(&mut self, entry: &Entry<'_>, locs: &mut LocIndex) -> Option<FastValues> {
        if !self.may_be_in(entry.document) || entry.kind != EntryKind::Url {
            return None;
        }
        let slots = entry.slots;
        let (whole, range) = entry.part(slots.loc())?;
        let hash = self.hash(whole, range)?;
        if self.compares_locs && locs.find(hash).is_some() {
            return None;
        }
        let mut values = FastValues { lastmod: None, priority: None };
        if slots.lastmod().is_present() {
            values.lastmod = Some(self.lastmod(entry.bytes(slots.lastmod())?)?);
        }
        if slots.changefreq().is_present() {
            let word = changefreq::parse(entry.bytes(slots.changefreq())?)?;
            if values.lastmod.is_some_and(|lastmod| self.is_stale(word, lastmod)) {
                return None;
            }
        }
        if slots.priority().is_present() {
            values.priority = Some(self.priority(entry.bytes(slots.priority())?)?);
        }
        if self.compares_locs {
            locs.remember(hash, entry.line);
        }
        Some(values)
    }

    /// Whether entries of a document may take the fast path.
    #[inline(always)]
    pub fn may_be_in(&self, document: Kind) -> bool {
        !self.is_off && matches!(document, Kind::Urlset | Kind::Text)
    }

    /// The hash of a loc that begins like one before and needs no closer look.
    #[inline(always)]
    pub fn hash(&mut self, whole: &str, range: Range<usize>) -> Option<u64> {
        let loc = whole.as_bytes().get(range.clone())?;
        let path = self.origins.path_of(loc)?;
        let origin = &self.origins.latest;
        if !origin.is_covered || loc.len() > self.max_loc_bytes {
            return None;
        }
        let glance = loc::glance_from(loc, path)?;
        match glance.bits {
            0 => Some(loc::hash_behind(origin.hash, loc, path)),
            _ => self.odd_hash(&whole[range], glance),
        }
    }

    /// The hash of a loc that is fine although its path has traits.
    #[inline(never)]
    fn odd_hash(&mut self, loc: &str, Glance { path, bits }: Glance) -> Option<u64> {
        if bits & !(traits::AMPERSAND | traits::PERCENT | traits::NON_ASCII) != 0
            || bits & traits::AMPERSAND != 0 && escaped_again(loc).is_some()
            || bits & traits::NON_ASCII != 0 && (self.wants_ascii || ends_in_blank(loc))
        {
            return None;
        }
        let origin = self.origins.latest.hash;
        match bits & traits::PERCENT {
            0 => Some(loc::hash_behind(origin, loc.as_bytes(), path)),
            _ => loc::hash_of_escaped(origin, loc.as_bytes(), path, &mut self.unescaped),
        }
    }

    /// The instant of a lastmod that is a common one, and neither too early nor too late.
    #[inline(always)]
    pub fn lastmod(&self, text: &[u8]) -> Option<i64> {
        let lastmod = w3c_date::common(text)?;
        let is_fine = (FIRST_PAGE..=self.latest).contains(&lastmod) && lastmod::is_somewhere(text);
        is_fine.then_some(lastmod)
    }

    /// Whether a page that changes as often as this word says has not changed for long.
    #[inline(always)]
    pub fn is_stale(&self, word: u8, lastmod: i64) -> bool {
        word < DAILY && lastmod <= self.stale
    }

    /// The value of a priority in a common form, and not too long.
    #[inline(always)]
    pub fn priority(&self, text: &[u8]) -> Option<f64> {
        priority::usual(text).filter(|_| text.len() <= self.priority_bytes)
    }
}

/// Whether a loc that holds no blank of ASCII ends in one of another script.
fn ends_in_blank(loc: &str) -> bool {
    !loc.ends_with(|last: char| last.is_ascii()) && without_blanks(loc).len() < loc.len()
}

#[cfg(test)]
mod tests;
