//! Which URLs links were seen to lead to.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// URLs that are remembered: about 18 MB.
const MOST: usize = 500_000;

/// Hashes of the URLs that links led to of late, each with the first page that has it, by its number.
///
/// It forgets, so a URL that is unseen may have been seen. No site can know which URLs have the same hash.
#[derive(Debug, Default)]
pub struct SeenUrls {
    pages: HashMap<u64, u64>,
    state: RandomState,
}

impl SeenUrls {
    /// Whether a link may lead to something new, as far as the pages before this one tell. `form` is the form of its URL
    /// by which pages are compared.
    pub fn is_unseen(&mut self, form: &str, page: u64) -> bool {
        if self.pages.len() >= MOST {
            self.pages.clear();
        }
        let first = self.pages.entry(self.state.hash_one(form)).or_insert(u64::MAX);
        let is_unseen = page < *first;
        if is_unseen {
            *first = page;
        }
        is_unseen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_unseen_until_a_page_before_has_it() {
        let mut seen = SeenUrls::default();
        // Pages do not end in their order.
        let found =
            [("a", 7), ("a", 7), ("a", 9), ("a", 3), ("a", 4), ("b", 4)].map(|(form, page)| seen.is_unseen(form, page));
        assert_eq!(found, [true, false, false, true, false, true]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut seen = SeenUrls::default();
        for number in 0..MOST + 10 {
            assert!(seen.is_unseen(&number.to_string(), 1));
        }
        assert_eq!(seen.pages.len(), 10);
    }
}
