//! What can be written in place of an invalid value of the protocol. `lint` fixes documents with it, and whatever writes
//! repairs rows with it, if that is asked for.

use crate::diagnostic::Safety;
use crate::value::lastmod::{self, LastmodError};
use crate::value::loc::{self, LocError};
use crate::value::priority::{self, PriorityError};
use crate::value::zone::Zone;
use crate::value::{changefreq, repair};

/// What to write, and whether that changes more than the defect.
pub type Instead = (Safety, String);

/// The same for an invalid date: what it can only mean. A time without a zone gets `zone`, if that is known.
pub fn lastmod(text: &str, zone: Option<&Zone>) -> Option<Instead> {
    match repair::repaired(text, zone) {
        Some(fixed) => Some((Safety::Safe, fixed)),
        // UTC is likely, and no more than that.
        None if matches!(lastmod::parse(text), Err(LastmodError::MissingZone(_))) => {
            Some((Safety::Display, format!("{text}Z")))
        }
        None => None,
    }
}

/// The same for an invalid changefreq: a word of the protocol in other letters.
pub fn changefreq(text: &str) -> Option<Instead> {
    let word = text.trim().to_ascii_lowercase();
    changefreq::parse(&word).is_some().then_some((Safety::Safe, word))
}

/// The same for an invalid priority: a comma is a point elsewhere, and too large a number is meant to be the largest.
pub fn priority(text: &str) -> Option<Instead> {
    let point = text.replacen(',', ".", 1);
    match priority::parse(&point) {
        Ok(_) => Some((Safety::Safe, point)),
        Err(PriorityError::OutOfRange(_)) if point == text => {
            Some((Safety::Unsafe, if text.starts_with('-') { "0.0" } else { "1.0" }.to_owned()))
        }
        Err(_) => None,
    }
}

/// The same for an invalid loc. A blank is the only thing that every browser encodes alike, and what follows it may be
/// another URL.
pub fn loc(text: &str, error: LocError) -> Option<Instead> {
    let is_one = !is_template(text) && !text.split(' ').skip(1).any(begins_url);
    if !matches!(error, LocError::Character(_)) || !is_one {
        return None;
    }
    let encoded = encoded(text, |character| character == ' ');
    loc::check(&encoded).is_ok().then_some((Safety::Safe, encoded))
}

/// The loc without blanks outside the grammar of XML, and without the zero-width marks that come with copied text.
///
/// DIFFERENCE from XML, which strips its four blanks only: no URL begins or ends with these.
pub fn without_blanks(loc: &str) -> &str {
    loc.trim_matches(|character: char| {
        character.is_whitespace() || matches!(character, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
    })
}

/// Whether a loc looks like a template that was not filled in, or holds markup.
pub fn is_template(loc: &str) -> bool {
    loc.contains(['{', '}', '<', '>'])
}

/// The loc with these characters percent-encoded as UTF-8.
pub fn encoded(loc: &str, is_wrong: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(loc.len() + 16);
    for character in loc.chars() {
        if is_wrong(character) {
            loc::push_escaped(character, &mut out);
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether a word in a loc begins a URL or a host of its own.
fn begins_url(word: &str) -> bool {
    word.contains("//") || word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
}
