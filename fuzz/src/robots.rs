//! Any bytes are a robots.txt: the lines that it names are there, what is looked at grows with the rules and the URL alone,
//! and the line that decides for a URL is the one that a slow twin finds, which compares one rule after the other and tries
//! every way.

use std::cmp::Reverse;

use urlset_core::robots::{Crawler, Field, Robots, Row, Rules, Target, Use};

/// Rules that make URLs, crawlers that are asked about, and steps of the twin for a robots.txt.
const MAX_RULES: usize = 12;
const MAX_CRAWLERS: usize = 6;
const MAX_STEPS: usize = 1 << 20;
/// A crawler that no robots.txt names.
const NOBODY: &str = "urlset-fuzz-nobody";

pub fn run(data: &[u8]) {
    let robots = Robots::new(data);
    check_lines(data, &robots);
    let of_all: Vec<u32> = robots.named().iter().flat_map(|named| named.groups.clone()).collect();
    let of_others = robots.named().iter().find(|named| named.name.starts_with('*')).map_or(&[][..], |all| &all.groups);
    let named = robots.named().iter().take(MAX_CRAWLERS).map(|each| (each.name.as_str(), each.groups.as_slice()));
    let crawlers: Vec<(Crawler, &[u32])> =
        named.chain([(NOBODY, of_others)]).map(|(name, groups)| (robots.crawler(name), groups)).collect();
    let (mut census, mut counts, mut steps) = (robots.census(), vec![0; crawlers.len()], 0);
    for url in urls(&robots.rows) {
        let target = Target::of(&url);
        check_work(&robots.rows, &of_all, &target);
        census.take(&url);
        for ((crawler, groups), count) in crawlers.iter().zip(&mut counts) {
            let found = crawler.disallowing(&target);
            *count += u64::from(found.is_some());
            if let Some(expected) = decided(&robots.rows, groups, &target, &mut steps) {
                assert_eq!(found, expected, "{url}");
            }
        }
    }
    counts.pop(); // the one that is not named
    assert!(census.crawlers().take(counts.len()).map(|tally| tally.urls).eq(counts));
}

/// Each row is a line of the file, in their order, and a line that is named is one of the rows.
fn check_lines(data: &[u8], robots: &Robots) {
    let lines = data.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    let numbers: Vec<u32> = robots.rows.iter().map(|row| row.number).collect();
    assert!(numbers.is_sorted_by(|one, other| one < other));
    assert!(numbers.iter().all(|number| (1..=lines).contains(&(*number as usize))));
    for row in &robots.rows {
        assert!(robots.written(row.number).is_some());
        assert!(row.joins.is_none_or(|line| line < row.number && numbers.binary_search(&line).is_ok()));
        row.problem();
    }
}

/// The rules of these groups.
fn rules<'r>(rows: &'r [Row], groups: &'r [u32]) -> impl Iterator<Item = (&'r str, Use)> {
    rows.iter().filter_map(|row| {
        let (field, group) = (row.field.filter(|field| field.is_rule())?, row.group?);
        let rule = Use { group, line: row.number, is_allow: field == Field::Allow };
        (groups.contains(&group) && !row.value.is_empty()).then_some((row.value.as_str(), rule))
    })
}

/// URLs that rules of the file match, or nearly.
fn urls(rows: &[Row]) -> Vec<String> {
    let values = rows.iter().filter(|row| row.field.is_some_and(Field::is_rule)).take(MAX_RULES);
    let paths = values.flat_map(|row| {
        let value = row.value.trim_start_matches('/');
        ["", "/x?y/", "*$"].map(|filling| value.trim_end_matches('$').replace('*', filling))
    });
    paths.chain(["".to_owned(), "robots.txt".to_owned()]).map(|path| format!("https://e.com/{path}")).collect()
}

/// No octet of the URL is looked at twice for one rule.
fn check_work(rows: &[Row], groups: &[u32], target: &Target) {
    let mut octets = 0;
    let mut find = |text: &[u8], piece: &[u8]| {
        let found = text.windows(piece.len().max(1)).position(|window| window.starts_with(piece));
        octets += found.map_or(text.len(), |at| at + piece.len());
        found
    };
    Rules::new(rules(rows, groups)).each_match(target, &mut find, |_, _| ());
    let most = |text: &str| rules(rows, groups).map(|(value, _)| text.len() + 3 * value.len()).sum::<usize>();
    assert!(octets <= target.spellings().map(most).sum());
}

/// The line that disallows a target, by the twin; None if that would take too long.
fn decided(rows: &[Row], groups: &[u32], target: &Target, steps: &mut usize) -> Option<Option<u32>> {
    if target.spellings().next() == Some("/robots.txt") {
        return Some(None); // Source: RFC 9309, 2.2.2.
    }
    let mut best = None;
    for (value, rule) in rules(rows, groups) {
        let pattern = Twin::of(value);
        *steps += target.spellings().map(|text| text.len() * pattern.tokens.len()).sum::<usize>();
        if *steps > MAX_STEPS {
            return None;
        }
        if target.spellings().any(|text| pattern.matches(text.as_bytes())) {
            best = best.max(Some((pattern.length, rule.is_allow, Reverse(rule.line))));
        }
    }
    Some(best.filter(|(_, is_allow, _)| !is_allow).map(|(_, _, line)| line.0))
}

/// The pattern of a rule, character by character.
struct Twin {
    /// The octets, and None for an asterisk.
    tokens: Vec<Option<u8>>,
    is_anchored: bool,
    length: usize,
}

impl Twin {
    /// Source: RFC 9309, 2.2.2: octets beyond ASCII are compared escaped, and others unescaped; 2.2.3: `*` and `$`. Some
    /// escapes stay: see `DIFFERENCE` at the pattern of the core.
    fn of(value: &str) -> Twin {
        let (body, is_anchored) = value.strip_suffix('$').map_or((value, false), |body| (body, true));
        let mut twin = Twin { tokens: Vec::new(), is_anchored, length: usize::from(is_anchored) };
        let mut is_query = false;
        let mut rest = body.as_bytes();
        while let [byte, after @ ..] = rest {
            let escape = (*byte == b'%').then(|| after.get(..2).and_then(hexadecimal)).flatten();
            rest = if escape.is_some() { &after[2..] } else { after };
            is_query |= *byte == b'?';
            match (escape, byte) {
                (None, b'*') => {
                    twin.length += 1;
                    twin.tokens.push(None);
                }
                (Some(b'/'), _) if is_query => twin.push("/", 3),
                (Some(byte), _) if byte.is_ascii_graphic() && !b"/?#&=%".contains(&byte) => {
                    let is_unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
                    twin.push(&char::from(byte).to_string(), if is_unreserved { 1 } else { 3 });
                }
                (Some(byte), _) => twin.push(&format!("%{byte:02X}"), 3),
                (None, byte) if byte.is_ascii_graphic() && *byte != b'%' => {
                    twin.push(&char::from(*byte).to_string(), 1);
                }
                (None, byte) => twin.push(&format!("%{byte:02X}"), 3),
            }
        }
        twin
    }

    fn push(&mut self, text: &str, length: usize) {
        self.tokens.extend(text.bytes().map(Some));
        self.length += length;
    }

    /// Whether any way of filling the asterisks gives a beginning of the text, or all of it if it is anchored.
    fn matches(&self, text: &[u8]) -> bool {
        let mut tried = vec![false; (self.tokens.len() + 1) * (text.len() + 1)];
        let mut ways = vec![(0, 0)];
        while let Some((token, at)) = ways.pop() {
            if std::mem::replace(&mut tried[token * (text.len() + 1) + at], true) {
                continue;
            }
            match self.tokens.get(token) {
                None if !self.is_anchored || at == text.len() => return true,
                None => {}
                Some(None) => {
                    ways.push((token + 1, at));
                    ways.extend((at < text.len()).then_some((token, at + 1)));
                }
                Some(Some(byte)) => ways.extend((text.get(at) == Some(byte)).then_some((token + 1, at + 1))),
            }
        }
        false
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

/// The document, and one whose lines are the rules of a crawler.
pub fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    let mut rules = b"User-agent: *\n".to_vec();
    for (number, line) in document.split(|byte| *byte == b'\n').enumerate() {
        rules.extend([if number % 3 == 0 { &b"Allow: /"[..] } else { b"Disallow: /" }, line, b"\n"].concat());
    }
    vec![document.to_vec(), rules]
}
