//! `hreflang`: a language, optionally with a script and a country, or `x-default` for everybody else. Source: Google
//! Search Central, localized versions of a page: the language in ISO 639-1, the script in ISO 15924, the country in
//! ISO 3166-1 alpha-2, with hyphens between them; a country alone is invalid. RFC 5646, section 2.2, allows more: a
//! language of three letters, if it has no code of two, and a region of three digits.
//!
//! Only the form of a script is checked: new ones are added every year. Variants, extensions and private parts of RFC
//! 5646 do not belong to a code, but may follow one: see [`is_extended`].

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use super::languages;

/// The 183 languages of ISO 639-1. Source: the Library of Congress' list of ISO 639-2, as in Debian's iso-codes
/// 4.15, without `bh`, which was withdrawn in 2021.
const LANGUAGES: &str = "\
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en \
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja \
    jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb \
    nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq \
    sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// The 249 countries of ISO 3166-1, alpha-2. Source: iso-codes 4.15. Codes that users may assign, such as XK,
/// are not included.
const COUNTRIES: &str = "\
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ \
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO \
    FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE \
    JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO \
    MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW \
    PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM \
    TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

/// A set of pairs of letters: a word for each first letter, a bit in it for each second one.
type Pairs = [u32; 26];

/// The regions of more than one country that RFC 5646 takes from UN M.49. Source: IANA, Language Subtag Registry.
const REGIONS: &str = "\
    001 002 003 005 009 011 013 014 015 017 018 019 021 029 030 034 035 039 053 054 057 061 142 143 145 150 151 154 155 \
    202 419";

static LANGUAGE_PAIRS: Pairs = pairs(LANGUAGES);
static COUNTRY_PAIRS: Pairs = pairs(COUNTRIES);

/// Return the pairs of a list with blanks between them.
const fn pairs(list: &str) -> Pairs {
    let (list, mut pairs, mut at) = (list.as_bytes(), [0; 26], 0);
    while at < list.len() {
        pairs[((list[at] | CASE) - b'a') as usize] |= 1 << ((list[at + 1] | CASE) - b'a');
        at += 3;
    }
    pairs
}

/// The bit that distinguishes a small letter from its capital.
const CASE: u8 = 0x20;

/// Whether two letters, of either case, are among the pairs.
#[inline(always)]
fn holds(pairs: &Pairs, first: u8, second: u8) -> bool {
    let (first, second) = ((first | CASE).wrapping_sub(b'a'), (second | CASE).wrapping_sub(b'a'));
    first < 26 && second < 26 && pairs[usize::from(first)] >> second & 1 != 0
}

/// Whether a text of small letters is the language of an article. Source: Google Search Central, news sitemaps: a code of
/// two or three letters of ISO 639.
pub fn is_language(text: &str) -> bool {
    match text.as_bytes() {
        [first, second] => holds(&LANGUAGE_PAIRS, *first, *second),
        _ => languages::is_alone(text) || languages::two_letters(text).is_some(),
    }
}

/// Whether a text of two letters, of either case, is a country.
pub fn is_country(text: &str) -> bool {
    matches!(text.as_bytes(), [first, second] if holds(&COUNTRY_PAIRS, *first, *second))
}

/// A code, in small letters and without its hyphens: two bytes of the language, four of the script, two of the country,
/// each zero if there is none. Codes that differ only in case are equal. A rare code, with a language of three letters or a
/// region of three digits, has its highest bit set, and below it numbers: [`LANGUAGE_BITS`] of the language, as many as the
/// script needs, and those of the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(u64);

/// The code for everybody whose language no other code names.
const DEFAULT: Code = Code(u64::from_le_bytes(*b"xdefault"));
/// The letters that are usually capitals: the script's first and the country's.
const CAPITALS: [usize; 3] = [2, 6, 7];

/// The highest bit of a rare code, and how many bits its language and its script have: five for a letter.
const RARE: u64 = 1 << 63;
const LANGUAGE_BITS: u32 = 3 * 5;
const SCRIPT_BITS: u32 = 4 * 5;
/// A region of digits is its number and this, which no region of letters reaches.
const DIGITS: u64 = 1 << 10;

impl Code {
    /// Whether it is of a form that only RFC 5646 has: Google documents no language of three letters, and no region of
    /// several countries.
    pub fn is_rare(self) -> bool {
        self.0 & RARE != 0
    }

    /// Whether it is `x-default`.
    #[inline(always)]
    pub fn is_default(self) -> bool {
        self == DEFAULT
    }

    /// Return a number that no other code has; never zero.
    #[inline(always)]
    pub fn key(self) -> u64 {
        self.0
    }

    /// Return the code in the usual case, as in `zh-Hant-TW`.
    pub fn usual(self) -> String {
        if self == DEFAULT {
            return "x-default".into();
        }
        if self.is_rare() {
            return self.rare();
        }
        let mut letters = self.0.to_le_bytes();
        for at in CAPITALS {
            letters[at] = letters[at].to_ascii_uppercase();
        }
        let mut out = String::new();
        for part in [&letters[..2], &letters[2..6], &letters[6..]] {
            if part[0] != 0 {
                out.push_str(if out.is_empty() { "" } else { "-" });
                out.extend(part.iter().map(|letter| char::from(*letter)));
            }
        }
        out
    }
}

impl Code {
    /// A rare code in the usual case.
    fn rare(self) -> String {
        let mut out = unpacked(self.0 & ((1 << LANGUAGE_BITS) - 1));
        let script = unpacked(self.0 >> LANGUAGE_BITS & ((1 << SCRIPT_BITS) - 1));
        if let Some(first) = script.chars().next() {
            out.push('-');
            out.push(first.to_ascii_uppercase());
            out.push_str(&script[1..]);
        }
        match (self.0 & !RARE) >> (LANGUAGE_BITS + SCRIPT_BITS) {
            0 => {}
            region if region & DIGITS != 0 => out.push_str(&format!("-{:03}", region & !DIGITS)),
            region => out.push_str(&format!("-{}", unpacked(region).to_ascii_uppercase())),
        }
        out
    }
}

/// Letters as a number, five bits for each, the first one lowest.
fn packed(letters: &str) -> u64 {
    letters.bytes().rev().fold(0, |number, letter| number << 5 | u64::from(letter.to_ascii_lowercase() - b'a' + 1))
}

fn unpacked(mut number: u64) -> String {
    let mut letters = String::new();
    while number != 0 {
        letters.push(char::from(b'a' + (number & 31) as u8 - 1));
        number >>= 5;
    }
    letters
}

/// The code of a text that has a language of three letters or a region of three digits.
#[cold]
fn rare(text: &str) -> Option<(Code, bool)> {
    let mut parts = text.split('-');
    let language = parts.next()?;
    let mut next = parts.next();
    let script = next.filter(|part| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if script.is_some() {
        next = parts.next();
    }
    let region = match next {
        Some(digits) if REGIONS.split(' ').any(|region| region == digits) => digits.parse::<u64>().ok()? | DIGITS,
        Some(country) if is_country(country) => packed(country),
        Some(_) => return None,
        None => 0,
    };
    let is_known = match language.as_bytes() {
        [first, second] => region & DIGITS != 0 && holds(&LANGUAGE_PAIRS, *first, *second),
        _ => languages::is_alone(language),
    };
    if !is_known || parts.next().is_some() {
        return None;
    }
    let script = script.map_or(0, packed) << LANGUAGE_BITS;
    let code = Code(RARE | packed(language) | script | region << (LANGUAGE_BITS + SCRIPT_BITS));
    Some((code, code.usual() == text))
}

/// Return the code of a text, and whether its case is the usual one.
#[inline(always)]
pub fn parse(text: &str) -> Option<(Code, bool)> {
    let (letters, has_script, has_country) = match *text.as_bytes() {
        [a, b] => ([a, b, 0, 0, 0, 0, 0, 0], false, false),
        [a, b, b'-', y, z] => ([a, b, 0, 0, 0, 0, y, z], false, true),
        [a, b, b'-', s, t, u, v] => ([a, b, s, t, u, v, 0, 0], true, false),
        [a, b, b'-', s, t, u, v, b'-', y, z] => ([a, b, s, t, u, v, y, z], true, true),
        _ if text.eq_ignore_ascii_case("x-default") => return Some((DEFAULT, text == "x-default")),
        _ => return rare(text),
    };
    let [a, b, script @ .., y, z] = letters;
    let is_script = !has_script || script.iter().all(u8::is_ascii_alphabetic);
    let is_country = !has_country || holds(&COUNTRY_PAIRS, y, z);
    if !holds(&LANGUAGE_PAIRS, a, b) || !is_script || !is_country {
        return None;
    }
    // These are letters now, or zeros, which have to stay zeros.
    const SCRIPT: u64 = u64::from_le_bytes([0, 0, CASE, CASE, CASE, CASE, 0, 0]);
    const COUNTRY: u64 = u64::from_le_bytes([0, 0, 0, 0, 0, 0, CASE, CASE]);
    const LANGUAGE: u64 = u64::from_le_bytes([CASE, CASE, 0, 0, 0, 0, 0, 0]);
    const SCRIPT_CAPITAL: u64 = u64::from_le_bytes([0, 0, CASE, 0, 0, 0, 0, 0]);
    let written = u64::from_le_bytes(letters);
    let (script, country) = (if has_script { SCRIPT } else { 0 }, if has_country { COUNTRY } else { 0 });
    let code = written | LANGUAGE | script | country;
    Some((Code(code), written == code & !(script & SCRIPT_CAPITAL | country)))
}

/// Whether a text is a code with variants, extensions or a private part behind it, such as `de-1996` or `en-x-short`, which
/// only RFC 5646 has. Source: RFC 5646, section 2.1; section 2.2.5 and 2.2.6: no variant and no extension stands twice.
#[cold]
pub fn is_extended(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let Some(first) = parts.iter().skip(1).position(|part| part.len() == 1 || is_variant(part)) else { return false };
    let (code, more) = parts.split_at(first + 1);
    parse(&code.join("-")).is_some_and(|(code, _)| !code.is_default()) && are_extensions(more)
}

/// Whether subtags are variants, then extensions, then a private part.
fn are_extensions(parts: &[&str]) -> bool {
    let mut known = BTreeSet::new();
    let mut is_new = |part: &str| known.insert(part.to_ascii_lowercase());
    let mut at = parts.iter().take_while(|part| is_variant(part) && is_new(part)).count();
    while let Some(singleton) = parts.get(at) {
        let least = if singleton.eq_ignore_ascii_case("x") { 1 } else { 2 };
        let words = parts[at + 1..].iter().take_while(|part| is_subtag(part, least)).count();
        if !is_subtag(singleton, 1) || singleton.len() > 1 || words == 0 || !is_new(singleton) {
            return false;
        }
        at += 1 + words;
    }
    true
}

fn is_variant(part: &str) -> bool {
    is_subtag(part, 5) || (part.len() == 4 && is_subtag(part, 4) && part.as_bytes()[0].is_ascii_digit())
}

/// Whether a part is `least` to eight letters and digits.
fn is_subtag(part: &str, least: usize) -> bool {
    (least..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Why a text is not a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HreflangError {
    /// The text, which holds anything but letters with hyphens between them.
    Form(String),
    /// The text, which would be a code with hyphens for its `_`, or without the blanks around it.
    Spelling(String),
    /// Its first part, which is not a language.
    Language(String),
    /// Its last part, which is not a country.
    Country(String),
}

impl fmt::Display for HreflangError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HreflangError::Form(text) => write!(formatter, "{text:?} is not a language code"),
            HreflangError::Spelling(text) => write!(formatter, "{text:?} is not how a code is written"),
            HreflangError::Language(language) => write!(formatter, "{language} is not a language of ISO 639-1"),
            HreflangError::Country(country) => write!(formatter, "{country} is not a country of ISO 3166-1"),
        }
    }
}

impl Error for HreflangError {}

/// Return what is wrong with a text that [`parse`] refuses.
pub fn error(text: &str) -> HreflangError {
    let bare = text.trim().replace('_', "-");
    if parse(&bare).is_some() {
        return HreflangError::Spelling(text.into());
    }
    let parts: Vec<&str> = bare.split('-').collect();
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !parts.iter().all(|part| is_word(part)) {
        return HreflangError::Form(text.into());
    }
    let is_language = parts[0].len() == 2 && is_language(parts[0]) || languages::is_alone(parts[0]);
    let is_script = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    match parts[..] {
        [language, ..] if !is_language => HreflangError::Language(language.into()),
        [_, country] => HreflangError::Country(country.into()),
        [_, script, country] if is_script(script) => HreflangError::Country(country.into()),
        _ => HreflangError::Form(text.into()),
    }
}

/// Return the code that an invalid text can only mean.
pub fn repaired(text: &str) -> Option<Code> {
    let bare = text.trim().replace('_', "-");
    let parsed = parse(&bare).or_else(|| {
        // The United Kingdom: ISO 3166-1 gives `UK` no other meaning. Beside Ukrainian, Ukraine may be meant.
        let (front, country) = bare.rsplit_once('-')?;
        let is_ukrainian = front.split('-').next().is_some_and(|language| language.eq_ignore_ascii_case("uk"));
        let is_clear = country.eq_ignore_ascii_case("uk") && !is_ukrainian;
        is_clear.then(|| parse(&format!("{front}-GB")))?
    });
    parsed.map(|(code, _)| code)
}

/// Return the language that is meant by a country of one language, or the replacement of a withdrawn code.
pub fn language_of(text: &str) -> Option<&'static str> {
    const MEANT: [(&str, &str); 18] = [
        ("at", "de"),
        ("au", "en"),
        ("cn", "zh"),
        ("cz", "cs"),
        ("dk", "da"),
        ("gb", "en"),
        ("gr", "el"),
        ("il", "he"),
        ("iw", "he"),
        ("ji", "yi"),
        ("jp", "ja"),
        ("jw", "jv"),
        ("kr", "ko"),
        ("mx", "es"),
        ("rs", "sr"),
        ("tw", "zh"),
        ("us", "en"),
        ("vn", "vi"),
    ];
    let found = MEANT.iter().find(|(wrong, _)| text.eq_ignore_ascii_case(wrong)).map(|(_, language)| *language);
    found.or_else(|| languages::two_letters(text))
}

#[cfg(test)]
mod tests;
