//! The languages of links, which in nearly every document are the same in each row.

use crate::value::hreflang;
use crate::value::loc::KnownOrigin;

/// More links than that are left to the rules.
pub const MAX_LINKS: usize = 64;

const HEAD: &[u8; 38] = b"<xhtml:link rel=\"alternate\" hreflang=\"";
const TAIL: &[u8; 8] = b"\" href=\"";

/// The languages of the last rows, by the place of a link in its row.
#[derive(Debug, Default)]
pub struct KnownLanguages {
    known: Vec<KnownLanguage>,
    /// So many of the first ones differ from each other.
    distinct: usize,
}

/// A valid code, and how a link with it begins.
#[derive(Debug)]
pub struct KnownLanguage {
    key: u64,
    /// The tag up to the text of its href, and bytes that mean nothing behind it.
    pub begin: [u8; 64],
    /// Where that text begins.
    pub end: usize,
    /// That of the last link at this place: a site may have a host for each language.
    pub origin: KnownOrigin,
}

impl KnownLanguage {
    /// None: the text is not a code, or it is a long one.
    fn new(text: &str) -> Option<KnownLanguage> {
        let (code, _) = hreflang::parse(text)?;
        let (mut begin, behind) = ([0; 64], HEAD.len() + text.len());
        let end = behind + TAIL.len();
        *begin.first_chunk_mut()? = *HEAD;
        begin.get_mut(HEAD.len()..behind)?.copy_from_slice(text.as_bytes());
        begin.get_mut(behind..end)?.copy_from_slice(TAIL);
        Some(KnownLanguage { key: code.key(), begin, end, origin: KnownOrigin::default() })
    }

    #[inline(always)]
    fn text(&self) -> Option<&[u8]> {
        self.begin.get(HEAD.len()..self.end - TAIL.len())
    }
}

impl KnownLanguages {
    /// Return the language of the link at `index`, which follows the one before it; None if it is not a usual one.
    #[inline(always)]
    pub fn of(&mut self, index: usize, text: &str) -> Option<&mut KnownLanguage> {
        if self.known.get(index).and_then(KnownLanguage::text) != Some(text.as_bytes()) {
            self.learn(index, text)?;
        }
        self.known.get_mut(index)
    }

    #[inline(never)]
    fn learn(&mut self, index: usize, text: &str) -> Option<()> {
        let language = KnownLanguage::new(text)?;
        match self.known.get_mut(index) {
            Some(known) => *known = KnownLanguage { origin: std::mem::take(&mut known.origin), ..language },
            None => self.known.push(language),
        }
        self.distinct = self.distinct.min(index);
        Some(())
    }

    /// Whether the languages of a row with so many links differ from each other.
    #[inline(always)]
    pub fn are_distinct(&mut self, links: usize) -> bool {
        links <= self.distinct || self.compare(links)
    }

    #[inline(never)]
    fn compare(&mut self, links: usize) -> bool {
        let Some(row) = self.known.get(..links) else { return false };
        // Some keys share a bit, but a key whose bit is not set is new.
        let mut bits = 0_u64;
        let is_new = |(at, language): (usize, &KnownLanguage)| {
            let bit = 1 << (language.key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
            let may_be_known = bits & bit != 0;
            bits |= bit;
            !may_be_known || row[..at].iter().all(|other| other.key != language.key)
        };
        let are_distinct = row.iter().enumerate().all(is_new);
        self.distinct = if are_distinct { links } else { self.distinct };
        are_distinct
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_their_place() {
        let mut languages = KnownLanguages::default();
        let mut are_distinct = |row: &[&str]| {
            for (index, text) in row.iter().enumerate() {
                let known = languages.of(index, text)?;
                let begin = format!("<xhtml:link rel=\"alternate\" hreflang=\"{text}\" href=\"");
                assert_eq!(&known.begin[..known.end], begin.as_bytes());
            }
            Some(languages.are_distinct(row.len()))
        };
        assert_eq!(are_distinct(&["de", "en-GB", "x-default"]), Some(true));
        assert_eq!(are_distinct(&["de", "en-GB", "x-default", "DE"]), Some(false));
        assert_eq!(are_distinct(&["de", "en-GB", "x-default"]), Some(true));
        assert_eq!(are_distinct(&["de", "de", "x-default"]), Some(false));
        assert_eq!(are_distinct(&["de"]), Some(true));
        assert_eq!(are_distinct(&["de", "fr"]), Some(true));
        assert_eq!(are_distinct(&["x-default", "fr", "x-default"]), Some(false));
        assert_eq!(are_distinct(&["x-default", "no language"]), None);
        assert_eq!(are_distinct(&["x-default", "zh-Hant-TW", "gsw-Latn-419"]), Some(true));
        assert_eq!(are_distinct(&["en-US-x-a-private-part"]), None);
        assert_eq!(are_distinct(&[]), Some(true));
    }

    #[test]
    fn any_rows_are_distinct_as_sorted_ones_are() {
        let codes = ["de", "en", "fr", "it", "de-AT", "DE", "x-default", "zh-Hant"];
        let mut numbers = crate::tests::Numbers(1);
        let mut languages = KnownLanguages::default();
        for _ in 0..3_000 {
            let row: Vec<&str> = (0..numbers.below(7)).map(|_| codes[numbers.below(8) as usize]).collect();
            for (index, text) in row.iter().enumerate() {
                languages.of(index, text).unwrap();
            }
            let mut sorted: Vec<String> = row.iter().map(|text| text.to_ascii_lowercase()).collect();
            sorted.sort();
            sorted.dedup();
            assert_eq!(languages.are_distinct(row.len()), sorted.len() == row.len(), "{row:?}");
        }
    }
}
