//! Fixing: the edits that rules offer, made on the bytes of one document until none is left.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::io::Read as _;
use std::ops::Range;

use flate2::bufread::GzDecoder;

use super::judgement::Judgement;
use super::terms::Terms;
use crate::diagnostic::Findings;
use crate::diagnostic::fix::{Edit, Fix, Safety, apply};
use crate::read::Fault;
use crate::read::sink::TextCopy;
use crate::write::gzip;

const MARK: &str = "\u{feff}";
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// A fix can make the next one possible. More rounds than this would mean that two fixes undo each other.
const ROUNDS: usize = 100;

/// A document with the fixes made.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// What it was, byte for byte, but for the edits. Gzip stays gzip. None leaves the document as it is.
    pub data: Option<Vec<u8>>,
    /// How many fixes of each code were made.
    pub applied: BTreeMap<&'static str, u64>,
    /// Why the document is left as it is, unless that is because nothing has a fix.
    pub reason: Option<String>,
}

impl Fixed {
    fn left(reason: impl Into<String>) -> Fixed {
        Fixed { reason: Some(reason.into()), ..Fixed::default() }
    }
}

/// What keeps fixes from being made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is compressed in these layers, from the outermost on, and no fix can be written back into them.
    Compressed(Vec<&'static str>),
    /// The fixes of these codes undo each other, which is an error of their rules.
    Endless(Vec<&'static str>),
}

impl Display for Refusal {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Compressed(layers) => {
                write!(out, "data must be plain or gzipped to be fixed, got {}", layers.join(" in "))
            }
            Refusal::Endless(codes) => {
                write!(out, "the fixes of {} undo each other: please report it", codes.join(", "))
            }
        }
    }
}

/// Make every fix of a document until none is left: the safe ones, and on request the unsafe ones.
///
/// `level` is the one of gzip, for a document that is compressed.
///
/// ```
/// use urlset_core::document::{Terms, fix};
///
/// let terms = Terms { location: Some("https://shop.example/sitemap.xml".into()), ..Terms::default() };
/// let xml = r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/tea</loc></url></urlset>"#;
/// let fixed = fix(xml.as_bytes(), &terms, false, 6).unwrap();
/// assert_eq!(fixed.applied.get("LOC002"), Some(&1));
/// assert!(fixed.data.unwrap().ends_with(b"<loc>https://shop.example/tea</loc></url></urlset>"));
/// ```
pub fn fix(data: &[u8], terms: &Terms, is_unsafe: bool, level: u32) -> Result<Fixed, Refusal> {
    let Round { fault, read, text, applied, charset, layers } = Round::of(data, terms, is_unsafe);
    if let Some(fault) = fault {
        let (code, at) = (fault.finding.rule.code, fault.finding.position);
        return Ok(Fixed::left(format!("it cannot be read to its end ({code} at {}:{})", at.line, at.column)));
    }
    if applied.is_empty() && charset.is_empty() {
        return Ok(Fixed::left(
            "it is not well-formed, and while that has no fix, others could change what its values are",
        ));
    }
    let is_packed = !layers.is_empty();
    if is_packed && layers != ["gzip"] {
        return Err(Refusal::Compressed(layers));
    }
    let unpacked = if is_packed { unpack(data) } else { None };
    let plain = match &unpacked {
        Some(plain) => plain.as_slice(),
        None if is_packed => return Ok(Fixed::left("other data follows its gzip data, and would be lost")),
        None => data,
    };
    let (mark, content) = match plain.strip_prefix(MARK.as_bytes()) {
        Some(content) => (MARK, content),
        None => ("", plain),
    };
    let is_same = content == read.as_bytes();
    let mut counts: BTreeMap<&'static str, u64> = applied.into_iter().collect();
    let (mark, text) = if !charset.is_empty() && (is_same || !read.contains(char::REPLACEMENT_CHARACTER)) {
        charset.iter().for_each(|code| *counts.entry(*code).or_default() += 1);
        ("", in_utf8(text))
    } else if is_same {
        (mark, text)
    } else {
        // The fixed text could not be written back into it.
        return Ok(Fixed::left("its charset is not UTF-8, or it has bytes that are invalid in its charset"));
    };
    let has_edits = !counts.is_empty();
    let text = if has_edits { fix_again(text, terms, is_unsafe, &mut counts)? } else { text };
    let fixed = [mark.as_bytes(), text.as_bytes()].concat();
    if !has_edits || fixed == plain {
        return Ok(Fixed::default());
    }
    let data = if is_packed { gzip(&fixed, level) } else { fixed };
    Ok(Fixed { data: Some(data), applied: counts, reason: None })
}

/// The text with the fixes that earlier ones make possible. They are counted.
fn fix_again(
    mut text: String,
    terms: &Terms,
    is_unsafe: bool,
    counts: &mut BTreeMap<&'static str, u64>,
) -> Result<String, Refusal> {
    let mut codes = BTreeSet::new();
    for _ in 0..ROUNDS {
        let made = Round::of(text.as_bytes(), terms, is_unsafe);
        if made.applied.is_empty() || made.fault.is_some() {
            return Ok(text);
        }
        codes = made.applied.iter().map(|(code, _)| *code).collect();
        made.applied.iter().for_each(|(code, count)| *counts.entry(code).or_default() += count);
        text = made.text;
    }
    Err(Refusal::Endless(codes.into_iter().collect()))
}

/// Every fix made once that does not overlap with another.
struct Round {
    fault: Option<Fault>,
    /// The text as it was read, and with the fixes.
    read: String,
    text: String,
    applied: Vec<(&'static str, u64)>,
    /// The codes of the fixes that concern the charset.
    charset: Vec<&'static str>,
    /// The layers of compression around the text, from the outermost on.
    layers: Vec<&'static str>,
}

impl Round {
    fn of(data: &[u8], terms: &Terms, is_unsafe: bool) -> Round {
        let findings = Findings::new(terms.selection, terms.budget.findings).with_fixes();
        let mut judgement = Judgement::new(terms, findings, Default::default());
        let mut copy = TextCopy::default();
        judgement.feed(data, &mut copy);
        judgement.finish(&mut copy);
        let Judgement { reader, decoder, .. } = judgement;
        let fault = reader.fault().cloned();
        let (read, mut fixes) = (copy.text, reader.into_fixes());
        let of_charset = fixes.iter().filter(|(_, fix)| fix.is_of_charset());
        let is_doubtful = of_charset.clone().any(|(_, fix)| fix.safety != Safety::Safe);
        let is_charset_fixed = is_unsafe || !is_doubtful;
        let charset: Vec<_> = of_charset.filter(|_| is_charset_fixed).map(|(rule, _)| rule.code).collect();
        if !is_charset_fixed {
            // Readers differ about every other character, and so would the fix.
            fixes.retain(|(_, fix)| is_of_ascii(fix, &read));
        }
        let (text, applied) = apply(&read, &fixes, is_unsafe);
        Round { fault, read, text, applied, charset, layers: decoder.layers() }
    }
}

/// Whether a fix neither takes nor puts a character beyond ASCII.
fn is_of_ascii(fix: &Fix, text: &str) -> bool {
    let old = |edit: &Edit| text.get(edit.range.start as usize..edit.range.end as usize).is_some_and(str::is_ascii);
    fix.edits.iter().all(|edit| edit.text.is_ascii() && old(edit))
}

/// What is inside gzip data, which was unpacked within its budget before. None if anything but the zeros of a padding
/// follows it, because that would be lost.
fn unpack(data: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let mut rest = data;
    while rest.starts_with(&GZIP) {
        let mut member = GzDecoder::new(rest);
        member.read_to_end(&mut plain).ok()?;
        let after = member.into_inner();
        rest = &after[after.iter().take_while(|byte| **byte == 0).count()..];
    }
    rest.is_empty().then_some(plain)
}

/// The text with UTF-8 as the charset that it declares, if it declares one.
fn in_utf8(mut text: String) -> String {
    if let Some(range) = declared(&text) {
        text.replace_range(range, "\"UTF-8\"");
    }
    text
}

/// Where the XML declaration has the name of the charset, with its quotes.
/// XML 1.0, productions 23 and 80: `<?xml version="1.0" encoding="UTF-8"?>`.
fn declared(text: &str) -> Option<Range<usize>> {
    let space = |text: &str| text.len() - text.trim_ascii_start().len();
    let start = space(text);
    let declaration = text[start..].strip_prefix("<?xml")?;
    let declaration = &declaration[..declaration.find('>')?];
    let base = start + "<?xml".len();
    for (at, name) in declaration.match_indices("encoding") {
        if !declaration[..at].ends_with(|before: char| before.is_ascii_whitespace()) {
            continue;
        }
        let after = at + name.len();
        let equals = after + space(&declaration[after..]);
        let Some(value) = declaration[equals..].strip_prefix('=') else { continue };
        let open = equals + 1 + space(value);
        let Some(quote) = declaration[open..].chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            continue;
        };
        let length = declaration[open + 1..].find(quote)?;
        return Some(base + open..base + open + length + 2);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_is_found_where_the_declaration_has_it() {
        for (text, expected) in [
            (r#"<?xml version="1.0" encoding="latin1"?><a/>"#, Some(r#""latin1""#)),
            ("\n <?xml version='1.0' encoding = 'x'?>", Some("'x'")),
            (r#"<?xml version="1.0"?><a encoding="x"/>"#, None),
            (r#"<?xml myencoding="1" encoding="2"?>"#, Some(r#""2""#)),
            (r#"<?xml encoding="never closed?>"#, None),
            ("<?xml encoding=", None),
            ("<urlset/>", None),
        ] {
            assert_eq!(declared(text).map(|range| &text[range]), expected, "{text}");
        }
    }

    #[test]
    fn gzip_data_is_unpacked_unless_something_would_be_lost() {
        let packed = [gzip(b"one ", 6), gzip(b"two", 6)].concat();
        assert_eq!(unpack(&packed).as_deref(), Some(&b"one two"[..]));
        assert_eq!(unpack(&[&packed[..], &[0; 9]].concat()).as_deref(), Some(&b"one two"[..]));
        assert_eq!(unpack(&[&packed[..], b"more"].concat()), None);
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
    }
}
