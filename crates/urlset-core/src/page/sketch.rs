//! A sketch of the text of a page, by which it can be told how much of it is in another page, too.
//!
//! The sequences of three words of a text are drawn into lanes by their hashes, and each lane keeps the smallest. Two
//! texts have the same in a lane as often as they share sequences, so their sketches tell how many these are, whatever
//! else is in either. Sources: Broder, On the resemblance and containment of documents (1997); Li, Owen and Zhang, One
//! permutation hashing (2012), whose estimate leaves out the lanes that both have empty; Li and König, b-bit minwise
//! hashing (2010), who keep some bits of each.

use super::content::{bare, hash, masked, stable_words};
use super::regions::{Content, Extent};

/// Lanes of a sketch. An estimate of 90 % is off by 2 points in the middle.
pub const LANES: usize = 128;
/// What an empty lane has.
pub const EMPTY: u16 = u16::MAX;
/// Words of a text that is too short: if one word of it is another, that is a tenth of its sequences.
const MIN_WORDS: usize = 30;

/// Return the sketch of the text of a page; nothing if it has hardly any, or none that is its own.
///
/// The text of the whole page stands for a content that is empty, and says nothing about it.
pub fn sketch(content: &Content<'_>, masks: &[String]) -> Vec<u16> {
    if content.extent == Extent::Whole {
        return Vec::new();
    }
    of_text(&masked(&content.text, masks))
}

fn of_text(text: &str) -> Vec<u16> {
    let mut lanes = [u64::MAX; LANES];
    let (mut words, mut last) = (0, [0; 2]);
    let mut push = |word: &str| {
        let own = hash(word.as_bytes());
        words += 1;
        if words > last.len() {
            let sequence = mixed(mixed(mixed(last[0]).wrapping_add(last[1])).wrapping_add(own));
            let lane = &mut lanes[(sequence >> (u64::BITS - LANES.ilog2())) as usize];
            *lane = sequence.min(*lane);
        }
        last = [last[1], own];
    };
    for word in stable_words(text) {
        let word = bare(word);
        match word.chars().any(is_unspaced) {
            true => word.char_indices().for_each(|(at, c)| push(&word[at..at + c.len_utf8()])),
            false if word.is_empty() => {}
            false => push(word),
        }
    }
    if words < MIN_WORDS {
        return Vec::new();
    }
    // The lowest bits are those that the choice of a lane, and of the smallest, does not depend on.
    lanes.map(|lane| if lane == u64::MAX { EMPTY } else { (lane as u16).min(EMPTY - 1) }).to_vec()
}

/// Whether a character is of a script that puts no spaces between words: each stands for a word.
/// Source: Unicode Standard Annex 14, the classes ID, CJ and SA.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A number each of whose bits depends on all bits of another. Source: the finalizer of SplitMix64 (Steele, Lea and Flood,
/// Fast splittable pseudorandom number generators, 2014).
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::{EMPTY, LANES, MIN_WORDS, of_text, sketch};
    use crate::page::regions::{Content, Extent};

    fn numbered(from: usize, to: usize) -> String {
        (from..to).map(|at| format!("w{at} ")).collect()
    }

    /// The share of what is the same in the lanes that are not empty in both.
    fn alike(one: &str, other: &str) -> f64 {
        let (one, other) = (of_text(one), of_text(other));
        let used: Vec<_> = one.iter().zip(&other).filter(|(a, b)| **a != EMPTY || **b != EMPTY).collect();
        used.iter().filter(|(a, b)| a == b).count() as f64 / used.len() as f64
    }

    #[test]
    fn it_tells_how_many_sequences_two_texts_share() {
        for shared in [0, 500, 800, 950, 1_000] {
            let (one, other) = (numbered(0, 1_000), numbered(1_000 - shared, 2_000 - shared));
            let both = shared.saturating_sub(2) as f64;
            let truth = both / (2.0 * 998.0 - both);
            assert!((alike(&one, &other) - truth).abs() < 0.1, "{shared}: {} {truth}", alike(&one, &other));
        }
        assert!((alike(&numbered(0, 999), &numbered(0, 999)) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn what_is_around_words_makes_no_difference() {
        let (one, other) = (numbered(0, 50), numbered(0, 50).replace(' ', ",\n — "));
        assert_eq!(of_text(&one), of_text(&other));
        assert_ne!(of_text(&one), of_text(&numbered(0, 51)));
    }

    #[test]
    fn a_short_text_has_none() {
        assert_eq!(of_text(&numbered(0, MIN_WORDS - 1)), []);
        assert_eq!(of_text(&numbered(0, MIN_WORDS)).len(), LANES);
        assert_eq!(of_text(""), []);
        // Each character is a word here.
        assert_eq!(of_text(&"茶".repeat(MIN_WORDS - 1)), []);
        assert_eq!(of_text(&format!("「{}」。", "お茶を飲む".repeat(6))).len(), LANES);
    }

    #[test]
    fn a_text_that_is_not_of_the_page_alone_has_none() {
        let of = |extent| sketch(&Content { text: numbered(0, 50), extent, ..Content::default() }, &[]).len();
        assert_eq!((of(Extent::Main), of(Extent::Body), of(Extent::Whole)), (LANES, LANES, 0));
    }
}
