//! Links to a page's other languages and forms. Source: Google Search Central, localized versions of a page.

use super::fault::Fault;
use super::href;
use super::judging::Judge;
use super::place::{ALTERNATE, Item, Place};
use crate::diagnostic::{Rule, Safety, catalogue};
use crate::value::href::{Href, is_alternate, is_app, is_href};
use crate::value::hreflang::{self, Code, HreflangError};
use crate::value::identity;

/// The rules for the links of one entry.
static RULES: [&Rule; 8] = [
    &catalogue::ALT001,
    &catalogue::ALT002,
    &catalogue::ALT003,
    &catalogue::ALT004,
    &catalogue::ALT006,
    &catalogue::ALT007,
    &catalogue::ALT008,
    &catalogue::ALT010,
];

/// Up to so many links each code is compared with those before it; more are sorted.
const MAX_PAIRWISE: usize = 64;

/// What the links of one entry have shown so far.
struct Languages {
    /// The keys of their codes, each at the index of its link; zero for a link without one.
    keys: [u64; MAX_PAIRWISE],
    /// A bit set of the keys, some of which share a bit: a key whose bit is not set is new.
    bits: u64,
    is_any: bool,
    has_self: bool,
    has_default: bool,
    has_bad_href: bool,
    /// Whether any href may not be in its normal form.
    has_unusual: bool,
}

/// A link to another version of the page, as the values of whoever has it judged.
pub trait Link<V> {
    fn hreflang(&self) -> V;
    fn href(&self) -> V;
    fn media(&self) -> V;
    /// Whoever does not state it means `alternate` when writing, and has forgotten it in a document.
    fn rel(&self) -> V;
}

// Apart from the rest of what an entry is asked, for which registers are few.
/// Judge the links of an entry with this loc: ALT001 to ALT004, ALT006 to ALT008, and ALT010.
#[inline(never)]
pub fn alternates<'a, J: Judge<'a>>(judge: &mut J, links: &[impl Link<J::Value>], loc: Option<&str>) {
    if !RULES.iter().any(|rule| judge.asks(rule)) {
        return;
    }
    let mut languages = Languages {
        keys: [0; MAX_PAIRWISE],
        bits: 0,
        is_any: false,
        has_self: false,
        has_default: false,
        has_bad_href: false,
        has_unusual: false,
    };
    let is_few = links.len() <= MAX_PAIRWISE;
    for (index, link) in links.iter().enumerate() {
        let href = judge.text(link.href());
        let seen = href.map_or(Href::Bad, |href| judge.href(href));
        let is_good = seen != Href::Bad;
        languages.has_unusual |= seen != Href::Normal;
        if !is_good {
            bad_href(judge, index, href);
        }
        let (rel, hreflang) = (judge.text(link.rel()), judge.text(link.hreflang()));
        if is_other(rel) {
            if hreflang.is_some() && judge.asks(&catalogue::ALT001) {
                other_rel(judge, index, rel.unwrap_or_default());
            }
            continue;
        }
        if rel.is_none() || hreflang.is_none() {
            check_attributes(judge, index, link);
        }
        let Some(hreflang) = hreflang else { continue };
        languages.is_any = true;
        languages.has_bad_href |= !is_good;
        languages.has_self |= href == loc;
        match hreflang::parse(hreflang) {
            Some((code, is_usual)) => {
                languages.has_default |= code.is_default();
                if code.is_rare() && judge.asks(&catalogue::ALT010) {
                    undocumented(judge, index, hreflang);
                }
                if !is_usual && judge.asks(&catalogue::ALT003) {
                    unusual_case(judge, index, code);
                }
                if is_good && is_few && languages.repeats(index, code.key()) {
                    check_repeated(judge, links, &languages.keys, index);
                }
            }
            None if hreflang::is_extended(hreflang) && judge.asks(&catalogue::ALT010) => {
                undocumented(judge, index, hreflang);
            }
            None if !hreflang::is_extended(hreflang) && judge.asks(&catalogue::ALT002) => {
                bad_hreflang(judge, links, index, hreflang)
            }
            None => {}
        }
    }
    if languages.is_any {
        // An unreadable URL was reported already, and cannot be compared with the loc of the page.
        if !languages.has_self && !languages.has_bad_href && judge.asks(&catalogue::ALT004) {
            no_self_reference(judge, links, loc, languages.has_unusual);
        }
        if !languages.has_default && links.len() > 1 && judge.asks(&catalogue::ALT008) {
            no_default(judge);
        }
        if !is_few && judge.asks(&catalogue::ALT006) {
            check_many(judge, links);
        }
    }
}

/// A value of a link, by the name of its attribute.
fn attribute(index: usize, name: &str) -> Place {
    let at = ALTERNATE.iter().position(|attribute| *attribute == name);
    Place::text(Item::Alternate(index), at.unwrap_or_default())
}

#[cold]
fn bad_href<'a>(judge: &mut impl Judge<'a>, index: usize, text: Option<&str>) {
    let fault = href::fault("alternate's href", text, (&catalogue::ALT001, &catalogue::ALT007));
    if judge.asks(fault.rule) {
        judge.found(attribute(index, "href"), fault);
    }
}

/// ALT001, but for the href.
#[cold]
fn check_attributes<'a, J: Judge<'a>>(judge: &mut J, index: usize, link: &impl Link<J::Value>) {
    let has_rel = judge.text(link.rel()).is_some();
    let has_target = judge.text(link.hreflang()).or(judge.text(link.media())).is_some();
    let is_whole = has_rel && (has_target || judge.text(link.href()).is_some_and(is_app));
    if is_whole || !judge.asks(&catalogue::ALT001) {
        return;
    }
    let lacks = if has_rel { "hreflang or media" } else { "rel=\"alternate\"" };
    let fault = Fault::new(&catalogue::ALT001, format!("the alternate has no {lacks}"));
    judge.found(Place::whole(Item::Alternate(index)), fault);
}

/// ALT006, of few links: the one at `index` has the code of one before it.
#[cold]
fn check_repeated<'a, J: Judge<'a>>(
    judge: &mut J,
    links: &[impl Link<J::Value>],
    keys: &[u64; MAX_PAIRWISE],
    index: usize,
) {
    // The bits show that there may be one.
    if let Some(first) = keys[..index].iter().position(|key| *key == keys[index])
        && judge.asks(&catalogue::ALT006)
    {
        repeated_code(judge, &links[first], (index, &links[index]));
    }
}

impl Languages {
    /// Keeps the key of the link at `index`, and returns whether it may have been kept before.
    #[inline(always)]
    fn repeats(&mut self, index: usize, key: u64) -> bool {
        self.keys[index] = key;
        let bit = 1 << (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        let may_be_known = self.bits & bit != 0;
        self.bits |= bit;
        may_be_known
    }
}

/// Whether the link leads to something other than a translation or another form: rel=amphtml and others occur too.
#[inline(always)]
fn is_other(rel: Option<&str>) -> bool {
    rel.is_some_and(|rel| !is_alternate(rel))
}

/// ALT001: a link with hreflang, which only an alternate has.
#[cold]
fn other_rel<'a>(judge: &mut impl Judge<'a>, index: usize, rel: &str) {
    let message = format!("the link has hreflang, but its rel is {rel:?} and not alternate");
    let fault = Fault::new(&catalogue::ALT001, message).with_help("write rel=\"alternate\"");
    judge.found(attribute(index, "rel"), fault);
}

/// ALT008. Source: Google Search Central, localized versions: consider a fallback page, above all for unmatched languages.
#[cold]
fn no_default<'a>(judge: &mut impl Judge<'a>) {
    let fault = Fault::new(&catalogue::ALT008, "no x-default, the page for all other languages");
    judge.found(Place::whole(Item::Entry), fault.with_help("add a link with hreflang=\"x-default\""));
}

/// ALT010.
#[cold]
fn undocumented<'a>(judge: &mut impl Judge<'a>, index: usize, code: &str) {
    let message = format!("{code} is a valid code, but of a form that Google does not document");
    let help = "add a link with a language of two letters and, if need be, a country of two letters";
    judge.found(attribute(index, "hreflang"), Fault::new(&catalogue::ALT010, message).with_help(help));
}

/// ALT006, of many links.
#[cold]
fn check_many<'a, J: Judge<'a>>(judge: &mut J, links: &[impl Link<J::Value>]) {
    let mut codes: Vec<(u64, usize)> = Vec::new();
    for (index, link) in links.iter().enumerate().filter(|(_, link)| !is_other(judge.text(link.rel()))) {
        let parsed = judge.text(link.hreflang()).and_then(hreflang::parse);
        if let Some((code, _)) = parsed.filter(|_| judge.text(link.href()).is_some_and(is_href)) {
            codes.push((code.key(), index));
        }
    }
    codes.sort_unstable();
    for same in codes.chunk_by(|one, other| one.0 == other.0) {
        for (_, index) in &same[1..] {
            repeated_code(judge, &links[same[0].1], (*index, &links[*index]));
        }
    }
}

/// ALT006, unless both links have one URL, in whatever spelling.
#[cold]
fn repeated_code<'a, J: Judge<'a>>(
    judge: &mut J,
    first: &impl Link<J::Value>,
    (index, link): (usize, &impl Link<J::Value>),
) {
    let [one, other] = [judge.text(first.href()), judge.text(link.href())].map(Option::unwrap_or_default);
    if identity::is_same(one, other) {
        return;
    }
    let code = judge.text(link.hreflang()).unwrap_or_default();
    let message = format!("the entry has {code} already, with the href {one}");
    let help = "give each page a code of its own, or drop one of the links";
    judge.found(attribute(index, "hreflang"), Fault::new(&catalogue::ALT006, message).with_help(help));
}

/// ALT004, of an entry whose loc is the text of no link, unless one of the links with hreflang leads to it in another
/// spelling. If all hrefs and the loc are in their normal form, no href can equal the loc. An invalid loc is reported by its own
/// rule.
#[cold]
fn no_self_reference<'a, J: Judge<'a>>(
    judge: &mut J,
    links: &[impl Link<J::Value>],
    loc: Option<&str>,
    has_unusual: bool,
) {
    let Some(loc) = loc.filter(|loc| is_href(loc)) else { return };
    let may_be_own = has_unusual || !identity::is_in_normal_form(loc);
    let normal = if may_be_own { identity::normalized(loc) } else { None };
    let is_own = may_be_own
        && links.iter().any(|link| {
            let is_version = judge.text(link.hreflang()).is_some() && !is_other(judge.text(link.rel()));
            let leads_to_loc = |href| normal.is_some() && identity::normalized(href) == normal;
            is_version && judge.text(link.href()).is_some_and(leads_to_loc)
        });
    if !is_own {
        let fault = Fault::new(&catalogue::ALT004, "none of its hreflang links leads to its own loc");
        let help = "add a link to the page itself, with its own language";
        judge.found(Place::whole(Item::Entry), fault.with_help(help));
    }
}

#[cold]
fn unusual_case<'a>(judge: &mut impl Judge<'a>, index: usize, code: Code) {
    let usual = code.usual();
    let fault = Fault::new(&catalogue::ALT003, format!("it is usually written {usual}"));
    judge.found(attribute(index, "hreflang"), fault.with_instead(Safety::Safe, usual));
}

#[cold]
fn bad_hreflang<'a, J: Judge<'a>>(judge: &mut J, links: &[impl Link<J::Value>], index: usize, text: &str) {
    const FORM: &str = "write a language, or a language and a country, as in de or de-AT, or x-default";
    let fixed = hreflang::repaired(text);
    let error = hreflang::error(text);
    let help = match &error {
        HreflangError::Spelling(_) => format!("write {}", fixed.map(Code::usual).unwrap_or_default()),
        HreflangError::Form(_) => FORM.into(),
        HreflangError::Country(country) if country.eq_ignore_ascii_case("uk") && fixed.is_none() => {
            "the United Kingdom is GB, and Ukraine is UA".into()
        }
        HreflangError::Country(country) if country.eq_ignore_ascii_case("uk") => {
            format!("{country} is not a region: use GB")
        }
        HreflangError::Country(_) => "leave it out, or write one link a country".into(),
        HreflangError::Language(language) => match hreflang::language_of(language) {
            Some(meant) if hreflang::is_country(language) => {
                format!("{language} is a country: its language is {meant}")
            }
            Some(meant) => format!("the code of the language is {meant}"),
            None if hreflang::is_country(language) => {
                format!("{language} is a country, and a language has to stand before it")
            }
            None => FORM.into(),
        },
    };
    let fault = Fault::new(&catalogue::ALT002, error.to_string()).with_help(help);
    // Two links for one code would contradict each other.
    let is_free = |code: &Code| {
        let mut others = links.iter().filter_map(|link| hreflang::parse(judge.text(link.hreflang())?));
        !others.any(|(other, _)| other == *code)
    };
    let fault = match fixed.filter(is_free) {
        Some(code) => fault.with_instead(Safety::Safe, code.usual()),
        None => fault,
    };
    judge.found(attribute(index, "hreflang"), fault);
}
