//! What the value of a record says, and what is wrong with it, for every crawler.

use std::borrow::Cow;

use super::line::Field;
use crate::value::loc;

/// Source: Cloudflare, Content Signals Policy (contentsignals.org).
const SIGNALS: Preferences = Preferences {
    kind: "signal",
    names: &["search", "ai-input", "ai-train"],
    answers: ["yes", "no"],
    none: "it states no preference: write search=yes, ai-input=yes or ai-train=no",
};
/// Source: IETF AIPREF, draft-ietf-aipref-vocab: categories of use, and `y` or `n`.
const USAGES: Preferences = Preferences {
    kind: "category",
    names: &["bots", "search", "train-ai", "ai-output", "foundation-model-production"],
    answers: ["y", "n"],
    none: "it states no preference: write train-ai=n, or a path and a preference",
};
/// The longest Crawl-delay that crawlers are known to keep.
const MAX_DELAY: f64 = 30.0;

/// The preferences that a record can state.
struct Preferences {
    kind: &'static str,
    names: &'static [&'static str],
    answers: [&'static str; 2],
    none: &'static str,
}

/// The seconds of a Crawl-delay: a decimal number.
pub fn delay(value: &str) -> Option<f64> {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !value.ends_with('.');
    value.parse().ok().filter(|_| is_number)
}

/// Return what is wrong with the value of a record.
pub fn problem(field: Field, value: &str) -> Option<Cow<'static, str>> {
    match field {
        Field::UserAgent => of_agent(value).map(Cow::Borrowed),
        // Source: RFC 9309, 2.2.2: a path begins with a slash; an empty one matches nothing.
        Field::Allow | Field::Disallow if value.is_empty() || value.starts_with(['/', '*', '$']) => None,
        Field::Allow | Field::Disallow => Some("a path begins with / or *, so it matches nothing".into()),
        Field::Sitemap | Field::License if value.is_empty() => Some("it names no URL".into()),
        Field::Sitemap | Field::License => loc::check(value).err().map(|error| error.said_of("URL").into()),
        Field::CrawlDelay => match delay(value) {
            None => Some("it must be a number of seconds, such as 10".into()),
            Some(seconds) if seconds > MAX_DELAY => {
                Some("Google ignores Crawl-delay, and other crawlers cap it".into())
            }
            Some(_) => None,
        },
        Field::ContentSignal => SIGNALS.problem(value),
        Field::ContentUsage => USAGES.problem(value),
        Field::Noindex => {
            Some("Google stopped reading Noindex lines in 2019: use a robots meta element or X-Robots-Tag".into())
        }
        Field::RequestRate | Field::VisitTime | Field::Host | Field::CleanParam => None,
    }
}

/// Source: RFC 9309, 2.2.1: letters, `_` and `-`, or `*` alone. Versions and digits do occur and match as well.
fn of_agent(value: &str) -> Option<&'static str> {
    let is_named = value.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '-'));
    match value {
        "" => Some("it names no crawler"),
        "*" => None,
        _ if value.contains('*') => Some("a * counts only alone; most crawlers compare this name as it is"),
        _ => (!is_named).then_some("a crawler is named by letters, - and _"),
    }
}

impl Preferences {
    fn problem(&self, value: &str) -> Option<Cow<'static, str>> {
        let mut pairs = pairs(value).peekable();
        if pairs.peek().is_none() {
            return Some(self.none.into());
        }
        let is_one = |text: &str, known: &[&str]| known.iter().any(|each| text.eq_ignore_ascii_case(each));
        pairs.find_map(|(name, answer)| {
            if !is_one(name, self.names) {
                return Some(format!("unknown {} `{name}`; known: {}", self.kind, self.names.join(", ")).into());
            }
            let [yes, no] = self.answers;
            (!is_one(answer, &self.answers)).then(|| format!("{name} must be {yes} or {no}, got `{answer}`").into())
        })
    }
}

/// The preferences that a value states: names, each with what follows its `=`.
pub fn pairs(value: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    let mut rest = value;
    std::iter::from_fn(move || {
        loop {
            let (before, behind) = rest.split_once('=')?;
            let name = before.trim_end().rsplit(|character| !is_part(character)).next().unwrap_or_default();
            let name = name.trim_start_matches(|character: char| !character.is_ascii_alphabetic());
            let behind = behind.trim_start();
            let end = behind.find(|character: char| character.is_whitespace() || matches!(character, ',' | ';'));
            let (answer, after) = behind.split_at(end.unwrap_or(behind.len()));
            rest = if name.is_empty() { behind } else { after };
            if !name.is_empty() && !answer.is_empty() {
                return Some((name, answer));
            }
        }
    })
}
