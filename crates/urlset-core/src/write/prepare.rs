//! Rows made ready for a set: each resolved, checked and rendered alone, but for the document that it will stand in.
//!
//! A row becomes its loc, its lastmod, and the XML of all the rest, which only has to be put together once it is known
//! where it goes. So its exact size is known before, and what it says can be compared without being understood.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Int64Builder, StringBuilder, UInt8Builder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use twox_hash::XxHash3_64;
use url::Url;

use super::extensions::news_element;
use super::fields::lastmod_text;
use super::layout::{self, Uses};
use super::{Alternate, Refusal, Row, check_readable, details, with_help};
use crate::diagnostic::{catalogue, wording};
use crate::read::Kind;
use crate::value::loc::{self, Parts, traits};
use crate::value::relative::Base;
use crate::xml::strip_range;

/// The columns of a batch; further ones of the rows' own follow.
const COLUMNS: [(&str, DataType); 11] = [
    ("row", DataType::UInt64),
    ("loc", DataType::Utf8),
    ("lastmod", DataType::Utf8),
    // Its lastmod in microseconds since the epoch.
    ("instant", DataType::Int64),
    ("tail", DataType::Utf8),
    ("news", DataType::Utf8),
    ("uses", DataType::UInt8),
    ("size", DataType::UInt32),
    ("key", DataType::UInt64),
    ("hash", DataType::UInt64),
    ("is_rewritten", DataType::Boolean),
];

/// Rows after which a batch is full: two of DuckDB's row groups, which it takes twice as fast as parts of them.
const BATCH_ROWS: usize = 245_760;
/// Bytes of text after which one is full: few rows have so much that it comes to this.
const BATCH_BYTES: usize = 64 << 20;

/// Makes rows ready, against the URL that a set is published under.
#[derive(Debug)]
pub struct Preparer {
    base: Base,
    /// What every loc has to begin with; its own origin where nothing narrower is asked for.
    scope: String,
    /// Where in the scope the path begins.
    scope_path: usize,
    schema: SchemaRef,
    columns: Columns,
    extras: Vec<StringBuilder>,
    /// Sizes are those of entries with one element a line.
    is_pretty: bool,
    fingerprint: Fingerprint,
    /// Bytes of the texts in the batch.
    bytes: usize,
    scratch: Scratch,
}

/// What all rows together say, in whatever order they came: sums of two hashes of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fingerprint {
    pub rows: u64,
    pub sums: [u64; 2],
}

impl Fingerprint {
    fn add(&mut self, hash: u64) {
        self.rows += 1;
        self.sums[0] = self.sums[0].wrapping_add(hash);
        // Another one of the same bits: what makes one sum the same by chance does not make both.
        let other = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sums[1] = self.sums[1].wrapping_add(other ^ other >> 29);
    }
}

#[derive(Debug, Default)]
struct Columns {
    row: UInt64Builder,
    loc: StringBuilder,
    lastmod: StringBuilder,
    instant: Int64Builder,
    tail: StringBuilder,
    news: StringBuilder,
    uses: UInt8Builder,
    size: UInt32Builder,
    key: UInt64Builder,
    hash: UInt64Builder,
    is_rewritten: BooleanBuilder,
}

#[derive(Debug, Default)]
struct Scratch {
    loc: String,
    lastmod: String,
    escaped: String,
    tail: String,
    news: String,
    indented: String,
}

impl Preparer {
    /// `base_url` is an absolute http or https URL that ends with a slash, `scope` what locs have to begin with, if not
    /// only with its origin, `extras` the names of further texts that rows bring along. None for a URL that is no such one.
    pub fn new(base_url: &str, scope: Option<&str>, extras: &[String], is_pretty: bool) -> Option<Preparer> {
        let base = Base::new(Url::parse(base_url).ok()?.as_str())?;
        let whole = Url::parse(scope.unwrap_or(base_url)).ok()?;
        let origin = whole.origin().ascii_serialization() + "/";
        let scope = if scope.is_some() { whole.as_str().to_owned() } else { origin.clone() };
        let mut fields: Vec<Field> = COLUMNS.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect();
        fields.extend(extras.iter().map(|name| Field::new(name, DataType::Utf8, true)));
        Some(Preparer {
            base,
            scope_path: origin.len() - 1,
            scope,
            schema: Arc::new(Schema::new(fields)),
            columns: Columns::default(),
            extras: extras.iter().map(|_| StringBuilder::new()).collect(),
            is_pretty,
            fingerprint: Fingerprint::default(),
            bytes: 0,
            scratch: Scratch::default(),
        })
    }

    /// Adds a row to the batch, or refuses it, which changes nothing.
    pub fn push(&mut self, index: u64, row: &Row<'_>) -> Result<(), Refusal> {
        if row.kind == Some(Kind::Sitemapindex) {
            return Err(Refusal::new(&catalogue::IDX006, "a sitemap entry in a urlset"));
        }
        let is_rewritten = self.resolve(row.loc)?;
        // A link to a page has to be what the loc of that page is.
        let hrefs: Vec<Cow<'_, str>> = row.alternates.iter().map(|link| spelled(&self.base, link.href)).collect();
        let respelled;
        let row = if hrefs.iter().any(|href| matches!(href, Cow::Owned(_))) {
            let links = row.alternates.iter().zip(&hrefs).map(|(link, href)| Alternate { href, ..*link });
            respelled = Row { alternates: links.collect(), ..row.clone() };
            &respelled
        } else {
            row
        };
        let Scratch { loc, lastmod, escaped, tail, news, indented } = &mut self.scratch;
        for text in [&mut *lastmod, &mut *escaped, &mut *tail, &mut *news] {
            text.clear();
        }
        super::escape::text(loc, escaped)?;
        lastmod_text(row.lastmod, lastmod)?;
        details(row, tail)?;
        if let Some(row) = &row.news {
            news_element(row, news)?;
        }
        // All but the lastmod, which may come from elsewhere.
        let mut size = "<url><loc></loc></url>\n".len() + escaped.len() + tail.len() + news.len();
        check_readable(row, size + lastmod.len())?;
        if self.is_pretty {
            indented.clear();
            layout::indented(&format!("<url><loc>{escaped}</loc>{tail}{news}</url>\n"), indented);
            size = indented.len();
        }
        let columns = &mut self.columns;
        columns.row.append_value(index);
        columns.loc.append_value(&*loc);
        columns.lastmod.append_option(Some(lastmod.as_str()).filter(|text| !text.is_empty()));
        columns.instant.append_option(crate::value::lastmod::parse(lastmod).ok());
        columns.tail.append_option(Some(tail.as_str()).filter(|text| !text.is_empty()));
        columns.news.append_option(Some(news.as_str()).filter(|text| !text.is_empty()));
        columns.uses.append_value(Uses::of(row).0);
        columns.size.append_value(size as u32);
        columns.hash.append_value(XxHash3_64::oneshot(loc.as_bytes()));
        tail.push_str(news);
        columns.key.append_value(XxHash3_64::oneshot(tail.as_bytes()));
        columns.is_rewritten.append_value(is_rewritten);
        self.bytes += loc.len() + lastmod.len() + tail.len();
        let hash = |text: &str| XxHash3_64::oneshot(text.as_bytes());
        let mut all = mixed(mixed(hash(loc), hash(lastmod)), hash(tail));
        for (place, column) in self.extras.iter_mut().enumerate() {
            let extra = row.extras.get(place).copied().flatten();
            // One that is absent says as little as a column that is not there.
            if let Some(extra) = extra {
                all = mixed(all, hash(extra).wrapping_add(place as u64));
                self.bytes += extra.len();
            }
            column.append_option(extra);
        }
        self.fingerprint.add(all);
        Ok(())
    }

    /// Of all rows that were added, in this batch and before.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Whether the batch has all that one should have.
    pub fn is_full(&self) -> bool {
        self.columns.row.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// The rows of the batch, which begins anew.
    pub fn take(&mut self) -> Result<RecordBatch, String> {
        self.bytes = 0;
        let Columns { row, loc, lastmod, instant, tail, news, uses, size, key, hash, is_rewritten } = &mut self.columns;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(row.finish()),
            Arc::new(loc.finish()),
            Arc::new(lastmod.finish()),
            Arc::new(instant.finish()),
            Arc::new(tail.finish()),
            Arc::new(news.finish()),
            Arc::new(uses.finish()),
            Arc::new(size.finish()),
            Arc::new(key.finish()),
            Arc::new(hash.finish()),
            Arc::new(is_rewritten.finish()),
        ];
        columns.extend(self.extras.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| error.to_string())
    }

    /// Puts the whole URL of a loc into the scratch, spelled as the URL standard does; says whether that changed it.
    fn resolve(&mut self, given: &str) -> Result<bool, Refusal> {
        let out = &mut self.scratch.loc;
        out.clear();
        if is_plain(given) {
            out.push_str(given);
        } else {
            spell(&self.base, given, out)?;
        }
        refuse(loc::problem(out), out)?;
        if !out.starts_with(&self.scope) {
            return Err(elsewhere(out, &self.scope, &self.scope[self.scope_path..]));
        }
        Ok(out != given)
    }
}

/// Two hashes as one, in which their order counts.
fn mixed(one: u64, other: u64) -> u64 {
    (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Whether a loc is spelled as the URL standard would: nearly every one is.
fn is_plain(given: &str) -> bool {
    let Some(seen) = loc::glance(given) else { return false };
    let path = &given.as_bytes()[seen.path..];
    let odd = traits::ILLEGAL | traits::NON_ASCII;
    seen.bits & odd == 0
        && (seen.bits & traits::PERCENT == 0 || has_whole_escapes(path))
        && memchr::memmem::find(path, b"/.").is_none()
}

/// Whether every `%` has its two digits.
fn has_whole_escapes(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'%', bytes)
        .all(|at| bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}

/// Source: URL Standard (WHATWG), "URL parsing" and "URL serializing": the host by IDNA, the rest percent-encoded in UTF-8,
/// dots resolved, what is encoded left as it is. DIFFERENCE: a `%` without two digits becomes `%25`, and what the standard
/// lets pass and RFC 3986 has no place for is encoded, too.
fn spell(base: &Base, given: &str, out: &mut String) -> Result<(), Refusal> {
    let trimmed = &given[strip_range(given)];
    // The standard drops some without a word, which would make another URL of a text that was cut in two.
    if trimmed.bytes().any(|byte| byte.is_ascii_control()) {
        return refuse(Some(loc::Problem::Invalid), given);
    }
    let whole = match loc::problem(trimmed) {
        Some(loc::Problem::Relative) => base.resolve(trimmed),
        Some(problem @ (loc::Problem::Empty | loc::Problem::Scheme)) => return refuse(Some(problem), given),
        _ => trimmed.to_owned(),
    };
    let Ok(url) = Url::parse(&whole) else { return refuse(Some(loc::Problem::Invalid), given) };
    let url = url.as_str();
    for (at, character) in url.char_indices() {
        match character {
            '%' if !has_whole_escapes(&url.as_bytes()[at..(at + 3).min(url.len())]) => out.push_str("%25"),
            '"' | '<' | '>' | '{' | '}' | '|' | '\\' | '^' | '`' => out.push_str(&format!("%{:02X}", character as u32)),
            _ => out.push(character),
        }
    }
    Ok(())
}

/// The same of what a link leads to; what cannot be spelled is left as it is, for the link to be judged by.
fn spelled<'t>(base: &Base, given: &'t str) -> Cow<'t, str> {
    let mut out = String::new();
    if is_plain(given) || spell(base, given, &mut out).is_err() { Cow::Borrowed(given) } else { Cow::Owned(out) }
}

fn refuse(problem: Option<loc::Problem>, given: &str) -> Result<(), Refusal> {
    let Some(problem) = problem else { return Ok(()) };
    let (rule, message, help) = wording::loc_problem(problem, given);
    Err(Refusal::new(rule, with_help(message, help)))
}

/// Why a loc is none of a scope's.
fn elsewhere(given: &str, scope: &str, path: &str) -> Refusal {
    let (Some(here), Some(there)) = (loc::parts(scope), loc::parts(given)) else {
        return Refusal::new(&catalogue::LOC004, "no URL");
    };
    let of = |parts: Parts<'_>| format!("{}://{}", parts.scheme, parts.host);
    if !here.host.eq_ignore_ascii_case(there.host) {
        return Refusal::new(&catalogue::LOC011, wording::foreign_host(there.host, here.host));
    }
    if here.scheme != there.scheme || here.effective_port() != there.effective_port() {
        let (here_is, there_is) = (format!("{}:{}", of(here), here.effective_port()), there.effective_port());
        let message = format!("the set is of {here_is}, and the loc of {}:{there_is}", of(there));
        return Refusal::new(&catalogue::LOC012, message);
    }
    Refusal::new(&catalogue::LOC013, format!("it is not below {path}, which is all that this set is about"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(given: &str) -> Result<String, &'static str> {
        let mut preparer = Preparer::new("https://shop.example/", None, &[], false).unwrap();
        let row = Row { loc: given, ..Row::default() };
        preparer.push(0, &row).map_err(|refusal| refusal.rule.code)?;
        Ok(preparer.scratch.loc)
    }

    #[test]
    fn locs_are_spelled_as_the_standard_does() {
        for (given, expected) in [
            ("https://shop.example/a?b=c&d#e", "https://shop.example/a?b=c&d#e"),
            ("/tea", "https://shop.example/tea"),
            ("tea/", "https://shop.example/tea/"),
            ("?page=2", "https://shop.example/?page=2"),
            ("https://shop.example", "https://shop.example/"),
            ("HTTPS://Shop.Example:443/A", "https://shop.example/A"),
            ("/thé vert", "https://shop.example/th%C3%A9%20vert"),
            ("/th%C3%A9%20vert", "https://shop.example/th%C3%A9%20vert"),
            ("/100%", "https://shop.example/100%25"),
            ("/%zz%2", "https://shop.example/%25zz%252"),
            ("/a|b{c}^`\"", "https://shop.example/a%7Cb%7Bc%7D%5E%60%22"),
            ("/a/../b/./c", "https://shop.example/b/c"),
            (" /tea ", "https://shop.example/tea"),
            ("shop.example/tea", "https://shop.example/tea"),
            ("/日本?q=茶", "https://shop.example/%E6%97%A5%E6%9C%AC?q=%E8%8C%B6"),
        ] {
            assert_eq!(spelled(given), Ok(expected.to_owned()), "{given}");
        }
    }

    #[test]
    fn what_is_not_of_the_set_is_refused() {
        for (given, code) in [
            ("", "LOC001"),
            ("mailto:a@b.c", "LOC003"),
            ("https://", "LOC004"),
            ("/a\nb", "LOC004"),
            ("https://other.example/", "LOC011"),
            ("//other.example/", "LOC011"),
            ("www.other.example/", "LOC011"),
            ("http://shop.example/", "LOC012"),
            ("https://shop.example:8443/", "LOC012"),
            ("https://shop.example/\u{1}", "LOC004"),
        ] {
            assert_eq!(spelled(given), Err(code), "{given:?}");
        }
        let long = format!("/{}", "é".repeat(400));
        assert_eq!(spelled(&long), Err("LOC009"));
        let mut narrow = Preparer::new("https://shop.example/", Some("https://shop.example/de/"), &[], false).unwrap();
        assert!(narrow.push(0, &Row { loc: "/de/tee", ..Row::default() }).is_ok());
        let refused = narrow.push(0, &Row { loc: "/fr/the", ..Row::default() }).unwrap_err();
        assert_eq!(refused.rule.code, "LOC013");
    }

    #[test]
    fn rows_in_any_order_have_one_fingerprint() {
        let of = |locs: &[&str]| {
            let mut preparer = Preparer::new("https://shop.example/", None, &["brand".into()], false).unwrap();
            for (index, loc) in locs.iter().enumerate() {
                let (loc, brand) = loc.split_once(' ').map_or((*loc, None), |(loc, brand)| (loc, Some(brand)));
                preparer.push(index as u64, &Row { loc, extras: vec![brand], ..Row::default() }).unwrap();
            }
            preparer.fingerprint()
        };
        assert_eq!(of(&["/a", "/b", "/c"]), of(&["/c", "/a", "/b"]));
        for other in [&["/a", "/b"][..], &["/a", "/b", "/b"], &["/a", "/b", "/d"], &["/a", "/b", "/c x"]] {
            assert_ne!(of(&["/a", "/b", "/c"]), of(other));
        }
    }

    #[test]
    fn hosts_are_spelled_in_ascii() {
        let mut preparer = Preparer::new("https://bücher.example/", None, &[], false).unwrap();
        for given in ["https://BÜCHER.example/ü", "https://xn--bcher-kva.example/%C3%BC", "/ü"] {
            preparer.push(0, &Row { loc: given, ..Row::default() }).unwrap();
            assert_eq!(preparer.scratch.loc, "https://xn--bcher-kva.example/%C3%BC");
        }
    }
}
