//! One line of a robots.txt: what it states, and the value.

/// Bytes of a robots.txt that count. Source: RFC 9309, 2.5: a parser reads at least 500 kibibytes; Google Search Central,
/// robots.txt: what follows them is ignored.
pub const MAX_BYTES: usize = 500 << 10;

/// Bytes of a line that count. Source: google/robotstxt, kMaxLineLen: eight times the longest URL that browsers took, less
/// the one that ends a text there.
pub const MAX_LINE_BYTES: usize = 2_083 * 8 - 1;

/// What a line states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    UserAgent,
    Allow,
    Disallow,
    Sitemap,
    CrawlDelay,
    RequestRate,
    VisitTime,
    Host,
    CleanParam,
    Noindex,
    ContentSignal,
    ContentUsage,
    License,
}

impl Field {
    /// All of them, each with its usual name.
    pub const ALL: [(Field, &'static str); 13] = [
        (Field::UserAgent, "User-agent"),
        (Field::Allow, "Allow"),
        (Field::Disallow, "Disallow"),
        (Field::Sitemap, "Sitemap"),
        (Field::CrawlDelay, "Crawl-delay"),
        (Field::RequestRate, "Request-rate"),
        (Field::VisitTime, "Visit-time"),
        (Field::Host, "Host"),
        (Field::CleanParam, "Clean-param"),
        (Field::Noindex, "Noindex"),
        (Field::ContentSignal, "Content-Signal"),
        (Field::ContentUsage, "Content-Usage"),
        (Field::License, "License"),
    ];

    /// Its name, as it is usually written.
    pub fn name(self) -> &'static str {
        Field::ALL.iter().find(|(field, _)| *field == self).map_or("", |(_, name)| name)
    }

    /// The keys with their frequent typing errors. Source: google/robotstxt, ParsedRobotsKey.
    const SPELLINGS: [(Field, &[&str]); 4] = [
        (Field::UserAgent, &["user-agent", "useragent", "user agent"]),
        (Field::Allow, &["allow"]),
        (Field::Disallow, &["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]),
        (Field::Sitemap, &["sitemap", "site-map"]),
    ];

    /// The field that a key means. Source: RFC 9309, 2.2: keys in any letter case; google/robotstxt, ParsedRobotsKey:
    /// whatever follows some of them.
    pub fn of(key: &str) -> Option<Field> {
        let begins = |begin: &&str| key.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin));
        Field::spelled(begins).or_else(|| Field::of_exactly(key))
    }

    /// The same for a key with nothing behind it.
    pub fn of_exactly(key: &str) -> Option<Field> {
        let usual = || Field::ALL.iter().find(|(_, name)| key.eq_ignore_ascii_case(name)).map(|(field, _)| *field);
        Field::spelled(|spelling| key.eq_ignore_ascii_case(spelling)).or_else(usual)
    }

    fn spelled(is_it: impl Fn(&&str) -> bool) -> Option<Field> {
        Field::SPELLINGS.iter().find(|(_, spellings)| spellings.iter().any(&is_it)).map(|(field, _)| *field)
    }

    /// Whether it is about the whole file, and not about the crawlers of a group. Source: RFC 9309, 2.2.4, and Google on
    /// Sitemap; Yandex on Host and Clean-param; RSL on License.
    pub fn is_of_file(self) -> bool {
        matches!(self, Field::Sitemap | Field::Host | Field::CleanParam | Field::License)
    }

    /// Whether it is a rule: only rules end the User-agent lines of a group.
    pub fn is_rule(self) -> bool {
        matches!(self, Field::Allow | Field::Disallow)
    }
}

/// A line that states something. Its parts are slices of it, without blanks around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'l> {
    /// What it states, if a crawler is known to read that.
    pub field: Option<Field>,
    pub key: &'l str,
    pub value: &'l str,
    /// A line without a colon has an effect only if it is exactly two words, of which the first is a key.
    pub has_colon: bool,
}

impl<'l> Line<'l> {
    /// Take a line apart, without what ends it; None if it is empty or a comment. Source: RFC 9309, 2.2;
    /// google/robotstxt, GetKeyAndValueFrom.
    pub fn of(raw: &'l str) -> Option<Line<'l>> {
        let text = raw.split('#').next().unwrap_or_default().trim_matches(is_padding);
        // What follows a NUL is not read by Google's parser, which takes it for the end of the line.
        let text = text.split('\0').next().unwrap_or_default().trim_end_matches(is_padding);
        if text.is_empty() {
            return None;
        }
        let line = |key: &'l str, value: &'l str, has_colon| {
            let key = key.trim_end_matches(is_padding);
            Line { field: Field::of(key), key, value: value.trim_matches(is_padding), has_colon }
        };
        let by_colon = text.split_once(':').map(|(key, value)| line(key, value, true));
        // DIFFERENCE from Google's parser, which takes the colon in `sitemap http://…` for the one that is missing, and
        // `Disallow all: /` for a rule: a key is one word, except `user agent`.
        let is_key = |line: &Line<'_>| !line.key.contains([' ', '\t']) || line.key.eq_ignore_ascii_case("user agent");
        if let Some(line) = by_colon.filter(is_key) {
            return Some(line);
        }
        let by_blank = text.split_once([' ', '\t']).map(|(key, value)| line(key, value, false));
        let is_pair = |line: &Line<'_>| line.field.is_some() && !line.value.contains([' ', '\t']);
        let unknown = |(key, value, has_colon)| Line { field: None, ..line(key, value, has_colon) };
        let (key, value) = text.split_once(':').unwrap_or(text.split_at(text.len()));
        by_blank.filter(is_pair).or_else(|| Some(unknown((key, value, by_colon.is_some()))))
    }
}

/// Blanks, and the NUL that some servers leave in a file.
pub fn is_padding(character: char) -> bool {
    character.is_ascii_whitespace() || matches!(character, '\0' | '\x0b')
}
