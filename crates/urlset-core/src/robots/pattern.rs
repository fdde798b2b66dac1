//! The path of a rule, the part of a URL that it is compared with, and the comparison. Source: RFC 9309, 2.2.2 and 2.2.3.

use crate::value::{identity, loc};

/// Where an octet sequence first stands in another one.
pub type Find<'f> = &'f mut dyn FnMut(&[u8], &[u8]) -> Option<usize>;

/// What rules are compared with: the path and the query of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    path: String,
    /// The same with the slashes of the query escaped, if it has any: in a query `/` and `%2F` are one, in a path they
    /// are not, and where a `*` of a rule ends is not known before they are compared.
    escaped: Option<String>,
}

impl Target {
    /// What is compared of a URL: the path that a client requests, and the query, even an empty one. Text without a path
    /// stands for `/`. Source: google/robotstxt, GetPathParamsQuery.
    pub fn of(url: &str) -> Target {
        let normal = identity::normalized(url);
        let rest = match normal.as_deref().and_then(loc::parts) {
            Some(parts) => parts.rest,
            None if url.starts_with('/') => url,
            None => "/",
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let mut target = Target { path: String::with_capacity(rest.len()), escaped: None };
        push_comparable(path, &mut target.path);
        let mut comparable = String::new();
        push_comparable(query, &mut comparable);
        if comparable.contains('/') || comparable.contains("%2F") {
            target.escaped = Some(format!("{}{}", target.path, comparable.replace('/', "%2F")));
        }
        target.path.push_str(&comparable.replace("%2F", "/"));
        target
    }

    /// The spellings that a rule may match.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        [Some(self.path.as_str()), self.escaped.as_deref()].into_iter().flatten()
    }

    /// Whether it is that of the robots.txt itself, which is always allowed. Source: RFC 9309, 2.2.2.
    pub fn is_robots(&self) -> bool {
        self.path == "/robots.txt"
    }
}

/// The path of an Allow or a Disallow line: pieces of text with anything between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// What stands before, between and after its asterisks.
    pieces: Vec<Box<str>>,
    /// It ends with `$`: it matches the whole rest.
    is_anchored: bool,
    /// How many octets it has. The longest rule that matches decides. Source: RFC 9309, 2.2.2.
    pub length: usize,
}

impl Pattern {
    /// The pattern of a value; None for an empty one, which is no rule. Source: RFC 9309, 2.2.3: `*` is any number of
    /// characters, and `$` the end of the path; a rule that means the characters themselves escapes them.
    pub fn of(value: &str) -> Option<Pattern> {
        if value.is_empty() {
            return None;
        }
        let body = value.strip_suffix('$');
        let mut length = usize::from(body.is_some());
        let mut is_query = false;
        let mut pieces: Vec<Box<str>> = Vec::new();
        let mut texts = body.unwrap_or(value).split('*').peekable();
        while let Some(text) = texts.next() {
            let mut piece = String::new();
            length += push_comparable(text, &mut piece) + usize::from(texts.peek().is_some());
            if is_query || piece.contains('?') {
                let query = if is_query { 0 } else { piece.find('?').unwrap_or_default() };
                piece = format!("{}{}", &piece[..query], piece[query..].replace("%2F", "/"));
                is_query = true;
            }
            // Two asterisks next to each other are as good as one.
            if !piece.is_empty() || pieces.is_empty() || texts.peek().is_none() {
                pieces.push(piece.into());
            }
        }
        Some(Pattern { pieces, is_anchored: body.is_some(), length })
    }

    /// The text with which everything begins that it matches.
    pub fn prefix(&self) -> &str {
        self.pieces.first().map_or("", |piece| piece)
    }

    /// Whether it matches a text that begins with its prefix: the other pieces one after the other, each as early as it
    /// occurs. No choice is ever taken back, because the rest is longest then; so each octet is looked at once.
    pub fn matches_behind(&self, text: &str, find: Find<'_>) -> bool {
        let text = text.as_bytes();
        let mut at = self.prefix().len();
        let Some((last, between)) = self.pieces.get(1..).and_then(|pieces| pieces.split_last()) else {
            return !self.is_anchored || at == text.len();
        };
        for piece in between {
            match find(&text[at..], piece.as_bytes()) {
                Some(found) => at += found + piece.len(),
                None => return false,
            }
        }
        match self.is_anchored {
            true => text.len() - at >= last.len() && text.ends_with(last.as_bytes()),
            false => find(&text[at..], last.as_bytes()).is_some(),
        }
    }
}

/// Appends a text as it is compared, and returns how many octets it has with its escapes.
///
/// Source: RFC 9309, 2.2.2: octets beyond ASCII and reserved characters are compared escaped, others unescaped; 2.2.3:
/// `%2A` and `%24` match `*` and `$`. Both spellings of a character become one: all that can be seen in ASCII is
/// unescaped, and everything else is escaped.
///
/// DIFFERENCE: `/`, `?`, `#`, `&` and `=` stay as they are written, because they divide paths and queries: `%2F` in a path
/// is not `/`, nor is it to Google's parser. The examples of 2.2.2 leave `/`, `?` and `=` as well, except `/` in a query.
fn push_comparable(text: &str, out: &mut String) -> usize {
    let mut encoded = String::with_capacity(text.len());
    loc::push_encoded(text, &mut encoded);
    let is_blank = |character: char| character <= ' ' || character == '\x7f';
    if encoded.contains(is_blank) {
        let mut escaped = String::with_capacity(encoded.len());
        for character in encoded.chars() {
            if is_blank(character) { loc::push_escaped(character, &mut escaped) } else { escaped.push(character) }
        }
        encoded = escaped;
    }
    let mut pieces = encoded.split('%');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let byte = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_graphic() && !b"/?#&=%".contains(&byte) => {
                out.push(char::from(byte));
                out.push_str(&piece[2..]);
            }
            _ => {
                out.push('%');
                out.push_str(piece);
            }
        }
    }
    encoded.len()
}
