//! The words of a text.

/// The same words as `str::split_whitespace` returns, in less time where most characters are ASCII.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut at = 0;
        while let Some(length) = blank(rest, at) {
            at += length;
        }
        let start = at;
        let bytes = rest.as_bytes();
        loop {
            while bytes.get(at).is_some_and(|byte| !BEGINS_BLANK[usize::from(*byte)]) {
                at += 1;
            }
            if at == rest.len() || blank(rest, at).is_some() {
                break;
            }
            at += 1;
        }
        let word = &rest[start..at];
        rest = &rest[at..];
        (!word.is_empty()).then_some(word)
    })
}

/// Whether a blank may begin with a byte.
const BEGINS_BLANK: [bool; 256] = {
    let (mut table, mut byte) = ([false; 256], 0);
    while byte < 256 {
        table[byte] = matches!(byte as u8, b' ' | b'\t'..=b'\r' | 0xc2 | 0xe1..=0xe3);
        byte += 1;
    }
    table
};

/// How many bytes the blank at an offset has; None if there is none, as inside a character. Source: Unicode Character
/// Database, White_Space.
#[inline(always)]
fn blank(text: &str, at: usize) -> Option<usize> {
    match *text.as_bytes().get(at)? {
        b' ' | b'\t'..=b'\r' => Some(1),
        // No other byte begins a blank.
        0xc2 | 0xe1..=0xe3 => text[at..].chars().next().filter(|c| c.is_whitespace()).map(char::len_utf8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_those_of_the_standard_library() {
        let blanks: Vec<char> = ('\0'..=char::MAX).filter(|c| c.is_whitespace()).collect();
        assert_eq!(blanks.len(), 25);
        let mut texts = vec![String::new(), "tea".into(), " tea ".into(), "お茶 を 飲む".into(), "é\u{85}è".into()];
        for blank in &blanks {
            for around in ["", "a", "é", "日", "\u{1f375}", " ", "\u{1f}", "\u{200b}"] {
                texts.push(format!("{around}{blank}{around}b{blank}{blank}c{around}"));
                texts.push(format!("{blank}{around}"));
            }
        }
        // Every character alone, of the planes that have blanks.
        texts.extend(('\0'..='\u{ffff}').map(|c| format!("a{c}b")));
        for text in texts {
            assert!(words(&text).eq(text.split_whitespace()), "{text:?}");
        }
    }
}
