//! `<changefreq>`: one of seven lower-case words. Source: sitemaps.org protocol and its schema.

/// The seven words in the protocol's order; their positions are the dictionary keys of the table.
pub const WORDS: [&str; 7] = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];

/// Return the position of `text` in [`WORDS`]; None if it is another word.
#[inline]
pub fn parse(text: impl AsRef<[u8]>) -> Option<u8> {
    // Their first letters differ, so one comparison decides, and the processor has nothing to guess.
    let bytes = text.as_ref();
    let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) else { return None };
    let key = KEYS[usize::from(first[0] & 31)];
    let word = (u32::from_le_bytes(*first), u32::from_le_bytes(*last), bytes.len());
    (word == PARTS[usize::from(key)]).then_some(key)
}

/// The first four letters of each word, its last four, and its length.
const PARTS: [(u32, u32, usize); WORDS.len()] = {
    let mut parts = [(0, 0, 0); WORDS.len()];
    let mut at = 0;
    while at < WORDS.len() {
        let word = WORDS[at].as_bytes();
        if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
            parts[at] = (u32::from_le_bytes(*first), u32::from_le_bytes(*last), word.len());
        }
        at += 1;
    }
    parts
};

/// The position of the word that begins with a letter, by its number in the alphabet; of no word, any.
const KEYS: [u8; 32] = {
    let mut keys = [0; 32];
    let mut at = 0;
    while at < WORDS.len() {
        keys[(WORDS[at].as_bytes()[0] & 31) as usize] = at as u8;
        at += 1;
    }
    keys
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seven_words_and_nothing_else() {
        for (at, word) in WORDS.iter().enumerate() {
            assert_eq!(parse(word), Some(at as u8));
        }
        for wrong in ["", "Daily", "DAILY", "often", "daily ", "dailyy", "alway"] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}
