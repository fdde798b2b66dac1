//! The article of an entry. Source: Google Search Central, news sitemaps, and Google's schema sitemap-news 0.9.

use super::fault::Fault;
use super::judging::Judge;
use super::place::{Item, Place, Spot};
use super::video::date;
use crate::diagnostic::{Safety, catalogue};
use crate::media::{NEWS, News, index_of};
use crate::value::calendar::DAY_MICROS;
use crate::value::hreflang;

const NAME: usize = index_of(&NEWS, "publication_name");
const LANGUAGE: usize = index_of(&NEWS, "publication_language");
const DATE: usize = index_of(&NEWS, "publication_date");
const TITLE: usize = index_of(&NEWS, "title");
/// Days that an article is news for. Source: Google Search Central, news sitemaps.
const DAYS: i64 = 2;

/// Judge the article of an entry: NWS001, NWS002, NWS004 and NWS005.
pub fn news<'a, J: Judge<'a>>(judge: &mut J, news: &News<J::Value>) {
    let required = [NAME, LANGUAGE, DATE, TITLE];
    if required.iter().any(|index| judge.text(news[*index]).is_none()) && judge.asks(&catalogue::NWS001) {
        missing_fields(judge, news);
    }
    if let Some(language) = judge.text(news[LANGUAGE])
        && !is_language(language)
        && judge.asks(&catalogue::NWS004)
    {
        judge.found(Place::text(Item::News, LANGUAGE), bad_language(language));
    }
    if judge.text(news[DATE]).is_some() {
        check_date(judge, news[DATE]);
    }
}

/// NWS002 and NWS005.
fn check_date<'a, J: Judge<'a>>(judge: &mut J, value: J::Value) {
    let place = Place::text(Item::News, DATE);
    let Some(span) = date(judge, value, &place, &catalogue::NWS005) else { return };
    let text = judge.text(value).unwrap_or_default();
    if text.len() < 10 && judge.asks(&catalogue::NWS005) {
        let message = format!("{text} is not a day, which Google asks for");
        return judge.found(place, Fault::new(&catalogue::NWS005, message).with_help("write it as 2026-01-31"));
    }
    let now = judge.checked_at();
    if *span.end() < now.saturating_sub(DAYS * DAY_MICROS) && judge.asks(&catalogue::NWS002) {
        let fault = Fault::new(&catalogue::NWS002, format!("{text} is more than {DAYS} days ago"));
        let help = "leave out its news:news: the page can stay in another sitemap";
        judge.found(place.clone(), fault.with_help(help));
    }
    // Where a day begins first, it begins 14 hours before it does in UTC.
    let earlier = if text.len() > 10 { 0 } else { DAY_MICROS / 24 * 14 };
    if *span.start() - earlier > now && judge.asks(&catalogue::NWS005) {
        judge.found(place, Fault::new(&catalogue::NWS005, format!("{text} is in the future")));
    }
}

/// NWS001. What is missing of one article has one cause.
#[cold]
fn missing_fields<'a, J: Judge<'a>>(judge: &mut J, news: &News<J::Value>) {
    let [name, language] = [NAME, LANGUAGE].map(|index| judge.is_present(news[index]));
    // A publication with neither a name nor a language leaves no trace but its tag.
    let wanted: &[(usize, &str)] = match name || language || judge.has_publication() {
        true => &[
            (NAME, "publication's name"),
            (LANGUAGE, "publication's language"),
            (DATE, "publication_date"),
            (TITLE, "title"),
        ],
        false => &[(NAME, "publication"), (DATE, "publication_date"), (TITLE, "title")],
    };
    let lacking = wanted.iter().filter(|(index, _)| judge.text(news[*index]).is_none());
    let (indexes, names): (Vec<usize>, Vec<&str>) = lacking.copied().unzip();
    let fault = Fault::new(&catalogue::NWS001, format!("the article has no {}", names.join(", no ")));
    judge.found(Place { item: Item::News, spot: Spot::Lacking(indexes) }, fault);
}

/// Source: Google Search Central, news sitemaps: a code of ISO 639 of two or three letters, `zh-cn` or `zh-tw`; the pattern
/// of the schema takes small letters only.
fn is_language(text: &str) -> bool {
    matches!(text, "zh-cn" | "zh-tw")
        || text.bytes().all(|byte| byte.is_ascii_lowercase()) && hreflang::is_language(text)
}

#[cold]
fn bad_language(text: &str) -> Fault {
    let small = text.to_ascii_lowercase().replace('_', "-");
    let (language, region) = small.split_once('-').unwrap_or((&small, ""));
    let (fixed, safety) = match (language, region) {
        ("zh", "cn" | "hans-cn") => ("zh-cn", Safety::Safe),
        ("zh", "tw" | "hant-tw") => ("zh-tw", Safety::Safe),
        // The script is what the two exceptions are about, and the region is more than was said.
        ("zh", "hans" | "hans-sg") => ("zh-cn", Safety::Unsafe),
        ("zh", "hant" | "hant-hk" | "hant-mo" | "hk" | "mo") => ("zh-tw", Safety::Unsafe),
        ("zh", "sg") => ("zh-cn", Safety::Unsafe),
        (language, "") => (language, Safety::Safe),
        // The region is lost.
        (language, _) => (language, Safety::Unsafe),
    };
    let is_form = matches!(text.len(), 2 | 3) && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let message = match is_form {
        true => format!("{text:?} is not the code of a language"),
        false => format!("{text:?} is not a language code of two or three small letters, zh-cn or zh-tw"),
    };
    let fault = Fault::new(&catalogue::NWS004, message);
    match is_language(fixed) {
        true => fault.with_instead(safety, fixed),
        false => fault.with_help("write it without a region, as in en"),
    }
}
