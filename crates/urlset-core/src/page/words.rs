//! The words of a text.

/// The words of a text, as `str::split_whitespace` finds them. Nearly all texts are ASCII, in which no character has to be
/// decoded; it takes a third of the time.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0 }
}

/// The words of a text.
#[derive(Debug)]
pub struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl Words<'_> {
    /// How many bytes the blank at a place has; 0 if there is none.
    fn blank(&self, at: usize) -> usize {
        match self.text.as_bytes()[at] {
            b' ' | b'\t'..=b'\r' => 1,
            // The first bytes of all blanks beyond ASCII. Source: Unicode, the property White_Space.
            0xC2 | 0xE1 | 0xE2 | 0xE3 => {
                let first = self.text[at..].chars().next();
                first.filter(|first| first.is_whitespace()).map_or(0, char::len_utf8)
            }
            _ => 0,
        }
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let length = self.text.len();
        while self.at < length {
            match self.blank(self.at) {
                0 => break,
                blank => self.at += blank,
            }
        }
        let start = self.at;
        while self.at < length && self.blank(self.at) == 0 {
            self.at += 1;
        }
        (start < self.at).then(|| &self.text[start..self.at])
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn every_blank_and_every_neighbour_of_it() {
        let text: String = (0..0x3100)
            .filter_map(char::from_u32)
            .flat_map(|character| [character, 'é', character, character, 'x', '€', character, '\u{3fff}'])
            .collect();
        assert!(words(&text).eq(text.split_whitespace()));
        for short in ["", " ", "\u{3000}", "a", " a", "a ", "é\u{a0}", "\u{a0}é"] {
            assert!(words(short).eq(short.split_whitespace()), "{short:?}");
        }
    }
}
