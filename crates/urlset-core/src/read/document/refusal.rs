//! What a text is that nothing can be read from, for the message that refuses it.

use super::csv;
use super::lines::is_comment;
use crate::read::index::window::is_url;

/// Characters that are looked at.
const SEEN: usize = 4_096;

/// Says what the text is.
#[cold]
pub fn what_it_is(text: &str) -> &'static str {
    let end = text.char_indices().nth(SEEN).map_or(text.len(), |(end, _)| end);
    let text = text[..end].trim_matches(|character: char| character.is_whitespace());
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if text.bytes().all(|byte| byte == 0) {
        "it has nothing but NUL bytes"
    } else if text.chars().take(64).any(|character| is_binary(character) || character == '\0') {
        "it is binary data of an unknown kind; what is compressed with brotli or raw deflate is recognised by its \
         Content-Encoding only"
    } else if is_json(text) {
        "it is JSON"
    } else if lines.clone().any(csv::is_header) || lines.clone().take(2).filter(|line| csv::is_row(line)).count() == 2 {
        "it is a table in CSV: `urlset publish` takes its rows"
    } else if lines.clone().all(is_comment) {
        "it has nothing but comments; if it is a robots.txt, its location has to say so"
    } else if lines.clone().all(is_schemeless) {
        "it lists URLs without a scheme: each line has to begin with http:// or https://"
    } else if lines.any(|line| line.split(|character: char| !character.is_ascii_graphic()).any(has_url)) {
        "it is text in which no line begins with a URL: a text list has one URL per line and nothing else"
    } else {
        "it is text, but neither XML nor a list of URLs nor a robots.txt"
    }
}

/// Whether a text begins as JSON does: an object or a list, and the beginning or the end of what is in it.
fn is_json(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['{', '[']) else { return false };
    let inner = rest.trim_start();
    match text.as_bytes()[0] {
        b'{' => inner.is_empty() || inner.starts_with(['"', '}']),
        _ => inner.is_empty() || inner.starts_with(['"', ']', '{', '[']),
    }
}

/// Whether a line is a path, or a host with its usual beginning and perhaps a path.
fn is_schemeless(line: &str) -> bool {
    let is_host = line.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
    (is_host || line.starts_with('/')) && !line.contains(char::is_whitespace)
}

fn has_url(word: &str) -> bool {
    word.match_indices("http").any(|(at, _)| is_url(&word[at..]))
}

/// Whether a character is one that no text has. A NUL is one that some servers leave in a file.
pub fn is_binary(character: char) -> bool {
    character.is_control() && !matches!(character, '\0' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\x1a' | '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::what_it_is;

    #[test]
    fn what_texts_are() {
        for (text, words) in [
            ("\0\0\0", "NUL bytes"),
            ("\u{fffd}\u{1}\u{2}abc", "binary data"),
            ("{\"a\": 1}", "JSON"),
            (" [\n {}]", "JSON"),
            ("[]", "JSON"),
            ("[2026] a log", "neither XML"),
            ("{{ template }}", "neither XML"),
            ("loc;lastmod\nhttps://a.example/;2026-01-02", "a table in CSV"),
            ("https://a.example/,2026-01-02\nhttps://a.example/b,2026-01-02", "a table in CSV"),
            ("# one\n\n  # two", "comments"),
            ("www.a.example/1\nWWW.a.example/2", "without a scheme"),
            ("/1\n/2?x", "without a scheme"),
            ("/1\nand more", "neither XML"),
            ("- https://a.example/", "no line begins with a URL"),
            ("\"https://a.example/\"", "no line begins with a URL"),
            ("No such page.", "neither XML"),
            ("https://", "neither XML"),
        ] {
            assert!(what_it_is(text).contains(words), "{text:?}: {}", what_it_is(text));
        }
    }
}
