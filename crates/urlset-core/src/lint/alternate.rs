//! Links to a page's other languages and forms. Source: Google Search Central, localized versions of a page.

use super::Linter;
use super::hrefs::Hrefs;
use super::image::check_href;
use crate::diagnostic::{Note, Rule, Safety, catalogue};
use crate::read::entry::Entry;
use crate::read::slots::AlternateSlots;
use crate::value::href::{is_alternate, is_app, is_href};
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
}

impl Linter {
    // Apart from the rest of what an entry is asked, for which registers are few.
    #[inline(never)]
    pub(super) fn check_alternates(&self, entry: &Entry<'_>, hrefs: &mut Hrefs, notes: &mut Vec<Note>) {
        if !RULES.iter().any(|rule| self.asks(rule)) {
            return;
        }
        let links = &entry.slots.alternates;
        let mut languages = Languages {
            keys: [0; MAX_PAIRWISE],
            bits: 0,
            is_any: false,
            has_self: false,
            has_default: false,
            has_bad_href: false,
        };
        let loc = entry.text(*entry.slots.loc());
        let is_few = links.len() <= MAX_PAIRWISE;
        for (index, link) in links.iter().enumerate() {
            let what = ("alternate's href", &catalogue::ALT001, &catalogue::ALT007);
            let href = entry.text(link.href);
            let is_good = check_href(self, hrefs, (href, &link.href), link.at, what, notes);
            let (rel, hreflang) = (entry.text(link.rel), entry.text(link.hreflang));
            if is_other(rel) {
                if hreflang.is_some() && self.asks(&catalogue::ALT001) {
                    other_rel(link, rel.unwrap_or_default(), notes);
                }
                continue;
            }
            if rel.is_none() || hreflang.is_none() {
                self.check_attributes(entry, link, notes);
            }
            let Some(hreflang) = hreflang else { continue };
            languages.is_any = true;
            languages.has_bad_href |= !is_good;
            languages.has_self |= href == loc;
            match hreflang::parse(hreflang) {
                Some((code, is_usual)) => {
                    languages.has_default |= code.is_default();
                    if code.is_rare() && self.asks(&catalogue::ALT010) {
                        undocumented(link, hreflang, notes);
                    }
                    if !is_usual && self.asks(&catalogue::ALT003) {
                        unusual_case(entry, link, &code.usual(), notes);
                    }
                    if is_good && is_few && languages.repeats(index, code.key()) {
                        self.check_repeated(entry, &languages.keys, index, notes);
                    }
                }
                None if hreflang::is_extended(hreflang) && self.asks(&catalogue::ALT010) => {
                    undocumented(link, hreflang, notes);
                }
                None if !hreflang::is_extended(hreflang) && self.asks(&catalogue::ALT002) => {
                    bad_hreflang(entry, link, hreflang, notes)
                }
                None => {}
            }
        }
        if languages.is_any {
            // An unreadable URL was reported already, and cannot be compared with the loc of the page.
            if !languages.has_self && !languages.has_bad_href && self.asks(&catalogue::ALT004) && !names_itself(entry) {
                no_self_reference(entry, notes);
            }
            if !languages.has_default && links.len() > 1 && self.asks(&catalogue::ALT008) {
                no_default(entry, notes);
            }
            if !is_few && self.asks(&catalogue::ALT006) {
                check_many(entry, notes);
            }
        }
    }

    /// ALT001, but for the href.
    #[cold]
    fn check_attributes(&self, entry: &Entry<'_>, link: &AlternateSlots, notes: &mut Vec<Note>) {
        let has_rel = entry.text(link.rel).is_some();
        let has_target = entry.text(link.hreflang).or(entry.text(link.media)).is_some();
        let is_whole = has_rel && (has_target || entry.text(link.href).is_some_and(is_app));
        if is_whole || !self.asks(&catalogue::ALT001) {
            return;
        }
        let lacks = if has_rel { "hreflang or media" } else { "rel=\"alternate\"" };
        notes.push(Note::new(&catalogue::ALT001, link.at..link.at + 1, format!("the alternate has no {lacks}")));
    }

    /// ALT006, of few links: the one at `index` has the code of one before it.
    #[cold]
    fn check_repeated(&self, entry: &Entry<'_>, keys: &[u64; MAX_PAIRWISE], index: usize, notes: &mut Vec<Note>) {
        let links = &entry.slots.alternates;
        // The bits show that there may be one.
        if let Some(first) = keys[..index].iter().position(|key| *key == keys[index])
            && !leads_to_the_same(entry, &links[first], &links[index])
            && self.asks(&catalogue::ALT006)
        {
            repeated_code(entry, &links[first], &links[index], notes);
        }
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
fn other_rel(link: &AlternateSlots, rel: &str, notes: &mut Vec<Note>) {
    let message = format!("the link has hreflang, but its rel is {rel:?} and not alternate");
    notes.push(Note::new(&catalogue::ALT001, link.rel.written(), message).with_help("write rel=\"alternate\""));
}

/// ALT008. Source: Google Search Central, localized versions: consider a fallback page, above all for unmatched languages.
#[cold]
fn no_default(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let message = "its links name no page for all other languages";
    let note = Note::new(&catalogue::ALT008, entry.start..entry.start + 1, message);
    notes.push(note.with_help("add a link with hreflang=\"x-default\""));
}

/// ALT010.
#[cold]
fn undocumented(link: &AlternateSlots, code: &str, notes: &mut Vec<Note>) {
    let message = format!("{code} is a valid code, but of a form that Google does not document");
    let note = Note::new(&catalogue::ALT010, link.hreflang.written(), message);
    notes.push(note.with_help("add a link with a language of two letters and, if need be, a country of two letters"));
}

/// ALT006, of many links.
#[cold]
fn check_many(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    let links = &entry.slots.alternates;
    let mut codes: Vec<(u64, usize)> = Vec::new();
    for (index, link) in links.iter().enumerate().filter(|(_, link)| !is_other(entry.text(link.rel))) {
        let parsed = entry.text(link.hreflang).and_then(hreflang::parse);
        if let Some((code, _)) = parsed.filter(|_| entry.text(link.href).is_some_and(is_href)) {
            codes.push((code.key(), index));
        }
    }
    codes.sort_unstable();
    for same in codes.chunk_by(|one, other| one.0 == other.0) {
        let first = &links[same[0].1];
        for link in same[1..].iter().map(|(_, index)| &links[*index]) {
            if !leads_to_the_same(entry, first, link) {
                repeated_code(entry, first, link, notes);
            }
        }
    }
}

/// Whether two links have one URL, in whatever spelling.
#[cold]
fn leads_to_the_same(entry: &Entry<'_>, one: &AlternateSlots, other: &AlternateSlots) -> bool {
    let [one, other] = [one, other].map(|link| entry.text(link.href).unwrap_or_default());
    identity::is_same(one, other)
}

#[cold]
fn repeated_code(entry: &Entry<'_>, first: &AlternateSlots, link: &AlternateSlots, notes: &mut Vec<Note>) {
    let (code, href) = (entry.text(link.hreflang).unwrap_or_default(), entry.text(first.href).unwrap_or_default());
    let message = format!("the entry has {code} already, with the href {href}");
    let help = "give each page a code of its own, or drop one of the links";
    notes.push(Note::new(&catalogue::ALT006, link.hreflang.written(), message).with_help(help));
}

/// Whether one of the links with hreflang leads to the loc of the entry, however it is written.
#[cold]
fn names_itself(entry: &Entry<'_>) -> bool {
    let Some(loc) = entry.text(*entry.slots.loc()) else { return false };
    let Some(loc) = identity::normalized(loc) else { return false };
    let named = |link: &AlternateSlots| {
        let href =
            entry.text(link.href).filter(|_| entry.text(link.hreflang).is_some() && !is_other(entry.text(link.rel)));
        href.and_then(identity::normalized).is_some_and(|href| href == loc)
    };
    entry.slots.alternates.iter().any(named)
}

/// ALT004. An invalid loc is reported by its own rule.
#[cold]
fn no_self_reference(entry: &Entry<'_>, notes: &mut Vec<Note>) {
    if entry.text(*entry.slots.loc()).is_some_and(is_href) {
        let message = "none of its links with hreflang leads to its own loc";
        let note = Note::new(&catalogue::ALT004, entry.start..entry.start + 1, message);
        notes.push(note.with_help("add a link to the page itself, with its own language"));
    }
}

#[cold]
fn unusual_case(entry: &Entry<'_>, link: &AlternateSlots, usual: &str, notes: &mut Vec<Note>) {
    let written = link.hreflang.written();
    let fix = entry.fixed_value(written.clone(), Safety::Safe, usual);
    notes.push(Note::new(&catalogue::ALT003, written, format!("it is usually written {usual}")).with_fix(fix));
}

#[cold]
fn bad_hreflang(entry: &Entry<'_>, link: &AlternateSlots, text: &str, notes: &mut Vec<Note>) {
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
    let written = link.hreflang.written();
    let note = Note::new(&catalogue::ALT002, written.clone(), error.to_string()).with_help(help);
    // Two links for one code would contradict each other.
    let is_free = |code: &Code| {
        let others = entry.slots.alternates.iter().filter_map(|link| hreflang::parse(entry.text(link.hreflang)?));
        !others.into_iter().any(|(other, _)| other == *code)
    };
    notes.push(match fixed.filter(is_free) {
        Some(code) => note.with_fix(entry.fixed_value(written, Safety::Safe, &code.usual())),
        None => note,
    });
}
