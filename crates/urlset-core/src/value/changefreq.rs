//! `<changefreq>`: one of seven lower-case words. Source: sitemaps.org protocol and its schema.

/// The seven words in the protocol's order; their positions are the dictionary keys of the table.
pub const WORDS: [&str; 7] = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];

/// Return the position of `text` in [`WORDS`]; None if it is another word.
#[inline]
pub fn parse(text: &str) -> Option<u8> {
    // A match on bytes takes a few comparisons of words, a search through the list seven of texts.
    Some(match text.as_bytes() {
        b"always" => 0,
        b"hourly" => 1,
        b"daily" => 2,
        b"weekly" => 3,
        b"monthly" => 4,
        b"yearly" => 5,
        b"never" => 6,
        _ => return None,
    })
}

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
