//! A robots.txt as a whole: its lines, their groups, and the rules of each crawler.

use std::borrow::Cow;
use std::collections::HashMap;

use super::census::Census;
use super::line::{Field, Line, MAX_BYTES, MAX_LINE_BYTES};
use super::pattern::Target;
use super::rules::{Rank, Rules, Use};
use super::value;

/// A line that states something.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its number, from 1 up.
    pub number: u32,
    /// The number of its group, from 1 up; None for what belongs to no group.
    pub group: Option<u32>,
    pub field: Option<Field>,
    pub key: String,
    pub value: String,
    pub has_colon: bool,
    /// It is longer than readers take: the rest is cut off.
    pub is_cut: bool,
    /// The User-agent line whose group it joins, although a record that is no rule stands between them.
    pub joins: Option<u32>,
}

impl Row {
    /// Whether all crawlers read it alike, as far as its value is right.
    pub fn is_plain(&self) -> bool {
        let Some(field) = self.field else { return false };
        let is_placed = field.is_of_file() || self.group.is_some();
        let is_written = self.has_colon && !self.is_cut && self.key.eq_ignore_ascii_case(field.name());
        is_placed && is_written && self.joins.is_none()
    }

    /// What is wrong with its value.
    pub fn problem(&self) -> Option<Cow<'static, str>> {
        value::problem(self.field?, &self.value)
    }
}

/// A crawler that a robots.txt names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As it is first written.
    pub name: String,
    /// The groups that name it.
    pub groups: Vec<u32>,
}

/// A robots.txt.
#[derive(Debug, Default)]
pub struct Robots {
    pub rows: Vec<Row>,
    /// It has more bytes than count.
    pub is_cut: bool,
    /// It begins as UTF-16 does, in which crawlers find no rules.
    pub is_utf_16: bool,
    named: Vec<Named>,
    /// Indexes in `named`, by product token.
    by_token: HashMap<String, usize>,
    groups: u32,
}

impl Robots {
    /// Read a robots.txt. Any bytes are one.
    pub fn new(data: &[u8]) -> Robots {
        let is_utf_16 = data.starts_with(&[0xff, 0xfe]) || data.starts_with(&[0xfe, 0xff]);
        let mut robots = Robots { is_cut: data.len() > MAX_BYTES, is_utf_16, ..Robots::default() };
        let mut grouping = Grouping::default();
        for (number, raw) in (1..).zip(lines(&data[..data.len().min(MAX_BYTES)])) {
            let text = text(&raw[..raw.len().min(MAX_LINE_BYTES)]);
            if let Some(line) = Line::of(&text) {
                let is_cut = raw.len() > MAX_LINE_BYTES && !text.contains('#');
                let (group, joins) = grouping.take(line.field, number);
                let (key, value) = (line.key.to_owned(), line.value.to_owned());
                let Line { field, has_colon, .. } = line;
                if let (Some(Field::UserAgent), Some(group)) = (field, group) {
                    robots.name(&value, group);
                }
                robots.rows.push(Row { number, group, field, key, value, has_colon, is_cut, joins });
            }
        }
        robots.groups = grouping.group;
        robots
    }

    /// Note that a group names a crawler.
    fn name(&mut self, value: &str, group: u32) {
        let Some(token) = token(value) else { return };
        let next = self.named.len();
        let at = *self.by_token.entry(token).or_insert(next);
        if at == next {
            self.named.push(Named { name: value.to_owned(), groups: Vec::new() });
        }
        let groups = &mut self.named[at].groups;
        if groups.last() != Some(&group) {
            groups.push(group);
        }
    }

    /// The crawlers that it names, in the order in which it does.
    pub fn named(&self) -> &[Named] {
        &self.named
    }

    /// The groups for a crawler: those that name it, or else those for all that are not named. Source: RFC 9309, 2.2.1.
    fn groups_of(&self, agent: &str) -> &[u32] {
        let at = token(agent).and_then(|token| self.by_token.get(&token)).or_else(|| self.by_token.get("*"));
        at.map_or(&[], |at| &self.named[*at].groups)
    }

    /// What it says to a crawler. All groups that name it are one.
    pub fn crawler(&self, agent: &str) -> Crawler {
        let groups = self.groups_of(agent);
        let is_own = |row: &&Row| row.group.is_some_and(|group| groups.binary_search(&group).is_ok());
        let delays = self.rows.iter().filter(is_own).filter(|row| row.field == Some(Field::CrawlDelay));
        Crawler {
            rules: Rules::new(self.rules().filter(|(_, rule)| groups.binary_search(&rule.group).is_ok())),
            // Of several, the one that no reading of them undercuts.
            delay: delays.filter_map(|row| value::delay(&row.value)).reduce(f64::max),
        }
    }

    /// Begin to count what it says about URLs to each crawler that it names.
    pub fn census(&self) -> Census {
        Census::new(Rules::new(self.rules()), self.named.iter().map(|each| each.groups.as_slice()), self.groups)
    }

    /// The rules in groups, each by its value.
    fn rules(&self) -> impl Iterator<Item = (&str, Use)> {
        self.rows.iter().filter_map(|row| {
            let field = row.field.filter(|field| field.is_rule())?;
            Some((row.value.as_str(), Use { group: row.group?, line: row.number, is_allow: field == Field::Allow }))
        })
    }

    /// The values of its Sitemap lines, which may be anything but empty.
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        let named = self.rows.iter().filter(|row| row.field == Some(Field::Sitemap) && !row.value.is_empty());
        named.map(|row| row.value.as_str())
    }

    /// A line as it is usually written, by its number.
    pub fn written(&self, number: u32) -> Option<String> {
        let at = self.rows.binary_search_by_key(&number, |row| row.number).ok()?;
        let row = &self.rows[at];
        Some(format!("{}: {}", row.field.map_or(row.key.as_str(), |field| field.name()), row.value))
    }
}

/// What a robots.txt says to one crawler.
#[derive(Debug, Default)]
pub struct Crawler {
    rules: Rules,
    /// Seconds between two requests.
    pub delay: Option<f64>,
}

impl Crawler {
    /// The line that disallows a URL, by its number; None if it is allowed.
    pub fn disallowing(&self, target: &Target) -> Option<u32> {
        self.rules.deciding(target).filter(|rank| !rank.is_allow).map(Rank::line)
    }

    /// Whether it may fetch everything.
    pub fn is_free(&self) -> bool {
        self.rules.is_empty()
    }
}

/// Which group a line belongs to.
#[derive(Debug, Default)]
pub struct Grouping {
    group: u32,
    /// A rule ended the User-agent lines of the group.
    has_rule: bool,
    /// The last User-agent line, and whether a record for its crawlers followed that is no rule.
    last_agent: u32,
    has_record: bool,
}

impl Grouping {
    /// Take a line; return its group, and the User-agent line that it joins over a record between them.
    ///
    /// Source: RFC 9309, 2.1: a group is User-agent lines and the rules behind them; 2.2.4: other records must not end it.
    /// Bing and Yandex take such a record for the end of the User-agent lines.
    pub fn take(&mut self, field: Option<Field>, number: u32) -> (Option<u32>, Option<u32>) {
        let Some(field) = field else { return (self.current(), None) };
        let mut joins = None;
        match field {
            Field::UserAgent => {
                if self.group == 0 || self.has_rule {
                    self.group += 1;
                } else {
                    joins = self.has_record.then_some(self.last_agent);
                }
                (self.has_rule, self.has_record, self.last_agent) = (false, false, number);
            }
            _ if field.is_of_file() => return (None, None),
            _ if field.is_rule() => self.has_rule = true,
            _ => self.has_record = true,
        }
        (self.current(), joins)
    }

    fn current(&self) -> Option<u32> {
        (self.group > 0).then_some(self.group)
    }
}

/// The lines without what ends them: CR, LF or both. Source: RFC 9309, 2.2, NL. A byte order mark, even a part of one, is
/// left out; source: google/robotstxt, Parse.
fn lines(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mark = data.iter().zip(b"\xef\xbb\xbf").take_while(|(one, other)| one == other).count();
    let mut rest = Some(&data[mark..]);
    std::iter::from_fn(move || {
        let now = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', now) else { return rest.take() };
        let behind = &now[end + 1..];
        rest = Some(if now[end] == b'\r' { behind.strip_prefix(b"\n").unwrap_or(behind) } else { behind });
        Some(&now[..end])
    })
}

/// The text of a line. Bytes that are not UTF-8 are escaped, as they would be in a URL.
fn text(line: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(line) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(line.len() + 2);
    for chunk in line.utf8_chunks() {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
    }
    Cow::Owned(out)
}

/// The product token that a User-agent line, or a crawler, is compared by. Source: RFC 9309, 2.2.1: letters, `_` and `-`,
/// in any letter case; google/robotstxt, HandleUserAgent: what follows them does not count, not even behind a `*`.
///
/// DIFFERENCE: digits, dots and letters beyond ASCII belong to it, because crawlers are called MJ12bot and archive.org_bot.
fn token(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('*') {
        return (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| "*".to_owned());
    }
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
    let end = text.find(|character| !is_part(character)).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_lowercase())
}
