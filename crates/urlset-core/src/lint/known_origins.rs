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
    /// Of the hashes.
    seed: u64,
    /// The first is the one that is not kept. The others stand where their hashes say or behind that, in twice as many places as
    /// they need at least: so a search soon comes to an empty one.
    origins: Vec<Origin>,
    kept: usize,
    latest: usize,
}

impl KnownOrigins {
    pub fn new(seed: u64) -> Self {
        KnownOrigins { seed, origins: vec![Origin::default()], kept: 0, latest: 0 }
    }

    /// The origin of the loc that was looked at last.
    #[inline(always)]
    pub fn latest(&self) -> &Origin {
        &self.origins[self.latest]
    }

    /// Where the path of a loc begins, if its origin is known. That is the latest then.
    #[inline(always)]
    pub fn path_of(&mut self, loc: &[u8]) -> Option<usize> {
        match loc::path_behind(&self.latest().text, loc) {
            Some(path) => Some(path),
            None => self.find(loc),
        }
    }

    #[inline(never)]
    fn find(&mut self, loc: &[u8]) -> Option<usize> {
        if self.kept == 0 {
            return None;
        }
        let path = loc::path_of(loc)?;
        let place = self.place(loc::hash_of(self.seed, &loc[..path]));
        if self.origins[place].text.as_bytes() != &loc[..=path] {
            return None;
        }
        self.latest = place;
        Some(path)
    }

    /// Makes this origin the latest; `text` has a slash behind it. It is found again if it `is_kept`.
    pub fn enter(&mut self, text: &str, is_covered: bool, is_kept: bool) {
        let hash = loc::hash_of(self.seed, &text.as_bytes()[..text.len() - 1]);
        let origin = Origin { text: text.to_owned(), hash, is_covered };
        self.latest = 0;
        // Nearly every document has one origin, and no places.
        if is_kept && !self.origins[0].text.is_empty() && self.kept < MAX_ORIGINS {
            self.grow();
            self.kept += 1;
            self.latest = self.place(hash);
        }
        self.origins[self.latest] = origin;
    }

    /// Makes room for one more.
    fn grow(&mut self) {
        let places = self.origins.len() - 1;
        if self.kept * 2 < places {
            return;
        }
        let empty = vec![Origin::default(); 1 + (places * 2).max(16)];
        for origin in std::mem::replace(&mut self.origins, empty).into_iter().skip(1) {
            if !origin.text.is_empty() {
                let place = self.place(origin.hash);
                self.origins[place] = origin;
            }
        }
    }

    /// Where the origin with this hash is, or else the empty place where it belongs.
    fn place(&self, hash: u64) -> usize {
        let places = &self.origins[1..];
        let mut at = hash as usize;
        loop {
            let place = at & (places.len() - 1);
            if places[place].text.is_empty() || places[place].hash == hash {
                return 1 + place;
            }
            at = at.wrapping_add(1);
        }
    }
}
