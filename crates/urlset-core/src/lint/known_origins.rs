//! The origins of the locs so far, of which nothing more is to be said: locs may alternate between some of them.

use crate::value::loc;

/// Origins that are kept at most.
const MAX_ORIGINS: usize = 256;

/// The scheme and the host of a loc, if they are plain.
#[derive(Debug, Default, Clone)]
pub struct Origin {
    /// With the slash behind them.
    text: String,
    /// Without it.
    pub hash: u64,
    /// Every loc of that origin may be in the document.
    pub is_covered: bool,
}

/// The origin of the loc before, and those of other locs before it.
#[derive(Debug)]
pub struct KnownOrigins {
    pub latest: Origin,
    /// Of the hashes.
    seed: u64,
    /// Each stands where its hash says or behind that, in twice as many places as they need at least: so a search soon comes
    /// to an empty one. Nearly every document has one origin, and none of these.
    origins: Vec<Origin>,
    kept: usize,
}

impl KnownOrigins {
    pub fn new(seed: u64) -> Self {
        KnownOrigins { latest: Origin::default(), seed, origins: Vec::new(), kept: 0 }
    }

    /// Where the path of a loc begins, if its origin is known. That is the latest then.
    #[inline(always)]
    pub fn path_of(&mut self, loc: &[u8]) -> Option<usize> {
        loc::path_behind(&self.latest.text, loc).or_else(|| self.find(loc))
    }

    #[inline(never)]
    fn find(&mut self, loc: &[u8]) -> Option<usize> {
        if self.kept == 0 {
            return None;
        }
        let path = loc::path_of(loc)?;
        let origin = &self.origins[self.place(loc::hash_of(self.seed, &loc[..path]))];
        if origin.text.as_bytes() != &loc[..=path] {
            return None;
        }
        let latest = &mut self.latest;
        latest.text.clear();
        latest.text.push_str(&origin.text);
        (latest.hash, latest.is_covered) = (origin.hash, origin.is_covered);
        Some(path)
    }

    /// Makes this origin the latest; `text` has a slash behind it. It is found again if it `is_kept`.
    pub fn enter(&mut self, text: &str, is_covered: bool, is_kept: bool) {
        let hash = loc::hash_of(self.seed, &text.as_bytes()[..text.len() - 1]);
        let is_first = self.latest.text.is_empty();
        self.latest = Origin { text: text.to_owned(), hash, is_covered };
        if is_kept && !is_first && self.kept < MAX_ORIGINS {
            self.make_room();
            self.kept += 1;
            let place = self.place(hash);
            self.origins[place] = self.latest.clone();
        }
    }

    /// Makes room for one more.
    fn make_room(&mut self) {
        let places = self.origins.len();
        if self.kept * 2 < places {
            return;
        }
        let empty = vec![Origin::default(); (places * 2).max(16)];
        for origin in std::mem::replace(&mut self.origins, empty) {
            if !origin.text.is_empty() {
                let place = self.place(origin.hash);
                self.origins[place] = origin;
            }
        }
    }

    /// Where the origin with this hash is, or else the empty place where it belongs.
    fn place(&self, hash: u64) -> usize {
        let mut at = hash as usize;
        loop {
            let place = at & (self.origins.len() - 1);
            if self.origins[place].text.is_empty() || self.origins[place].hash == hash {
                return place;
            }
            at = at.wrapping_add(1);
        }
    }
}
