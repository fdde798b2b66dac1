//! The extensions of a row, judged as `lint` judges those of a document: what it calls an error is refused, left out, or
//! repaired with its fix.

use std::borrow::Cow;

use super::element::stripped;
use super::error::Refusal;
use super::row::{Alternate, Priority, Row};
use crate::diagnostic::{Rule, Safety, Severity};
use crate::judge::{self, Fault, Item, Judge, Link, Part, Place, Spot};
use crate::limits::IMAGES_PER_ENTRY;
use crate::media::{Holds, VIDEO_PARTS, VIDEO_REQUIRED};
use crate::value::href::Href;
use crate::value::hrefs::Hrefs;
use crate::value::zone::Zone;

/// The index of the only part of a link that has a fix.
const HREFLANG: usize = 0;

/// Refuse a row whose extensions break a rule of severity error. `loc` is its loc as it is written. `now`, in microseconds
/// since the epoch, is when that is: an article of the future is an error. `hrefs` has the URLs of the rows before.
#[inline]
pub fn check(row: &Row<'_>, loc: &str, now: i64, hrefs: &mut Hrefs) -> Result<(), Refusal> {
    if !row.has_extensions() {
        return Ok(());
    }
    let faults = errors(row, loc, (now, None), true, hrefs);
    faults.into_iter().next().map_or(Ok(()), |(place, fault)| Err(refusal(&place, fault)))
}

/// Return the row without what is wrong with its extensions, and why each of that was left out: a value, or what is worth
/// nothing without it.
pub fn without_errors<'r>(row: &'r Row<'r>, loc: &str, now: i64, dropped: &mut Vec<Refusal>) -> Cow<'r, Row<'r>> {
    let mut row = Cow::Borrowed(row);
    if !row.has_extensions() {
        return row;
    }
    let mut hrefs = Hrefs::default();
    // What is left out can leave something without what it needs.
    loop {
        let faults = errors(&row, loc, (now, None), false, &mut hrefs);
        if faults.is_empty() {
            return row;
        }
        let kept = row.to_mut();
        let mut last = None;
        // The places are those of the row as it was: from the last to the first, they stay what they are.
        for (place, _) in faults.iter().rev() {
            if last != Some(place.item) && remove(kept, place) {
                last = Some(place.item);
            }
        }
        dropped.extend(faults.into_iter().map(|(place, fault)| refusal(&place, fault)));
    }
}

/// What is written in place of an invalid value, and why.
#[derive(Debug)]
pub struct Repair {
    target: Target,
    text: String,
    pub refusal: Refusal,
}

#[derive(Debug)]
enum Target {
    Priority,
    Changefreq,
    Extension(Place),
}

impl Repair {
    pub fn of_priority(text: String, refusal: Refusal) -> Repair {
        Repair::new(Target::Priority, text, refusal)
    }

    pub fn of_changefreq(text: String, refusal: Refusal) -> Repair {
        Repair::new(Target::Changefreq, text, refusal)
    }

    fn new(target: Target, text: String, refusal: Refusal) -> Repair {
        Repair { refusal: refusal.written_as(&text), target, text }
    }

    /// Put the text into the row.
    pub fn apply<'r>(&'r self, row: &mut Row<'r>) {
        let text = Some(self.text.as_str());
        match &self.target {
            Target::Priority => row.priority = text.map(Priority::Text),
            Target::Changefreq => row.changefreq = text,
            Target::Extension(place) => {
                if let Some(value) = value_at(row, place) {
                    *value = text;
                }
            }
        }
    }
}

/// Return how the extensions of a row can be repaired: by the fixes of their errors that change nothing else. `zone` is that
/// of times that state none.
pub fn repairs(row: &Row<'_>, loc: &str, now: i64, zone: Option<&Zone>) -> Vec<Repair> {
    if !row.has_extensions() {
        return Vec::new();
    }
    let faults = errors(row, loc, (now, zone), false, &mut Hrefs::default()).into_iter();
    let repaired = faults.filter_map(|(place, mut fault)| match fault.instead.take() {
        Some((Safety::Safe, text)) => {
            // The remedy is what is done.
            let refusal = refusal(&place, Fault { help: None, ..fault });
            Some(Repair::new(Target::Extension(place), text, refusal))
        }
        _ => None,
    });
    repaired.collect()
}

/// Return the text at a place that has a fix.
fn value_at<'v, 'r>(row: &'v mut Row<'r>, place: &Place) -> Option<&'v mut Option<&'r str>> {
    let Spot::Value(part) = place.spot else { return None };
    match (place.item, part) {
        (Item::Video(at), Part::Text(index)) => Some(&mut row.videos[at].texts[index]),
        (Item::Alternate(at), Part::Text(HREFLANG)) => Some(&mut row.alternates[at].hreflang),
        (Item::News, Part::Text(index)) => row.news.as_mut().map(|news| &mut news[index]),
        _ => None,
    }
}

/// Leave out a value, or its item, and return whether the whole item was left out.
fn remove(row: &mut Row<'_>, place: &Place) -> bool {
    match (place.item, &place.spot) {
        (Item::Image(IMAGES_PER_ENTRY), Spot::Whole) => row.images.truncate(IMAGES_PER_ENTRY),
        (Item::Image(at), _) => drop(row.images.remove(at)),
        (Item::Alternate(at), _) => drop(row.alternates.remove(at)),
        (Item::News, _) => row.news = None,
        (Item::Entry, _) => row.alternates.clear(),
        (Item::Video(at), Spot::Value(part) | Spot::Element(part)) => match *part {
            Part::Text(index) if VIDEO_REQUIRED.contains(&index) => drop(row.videos.remove(at)),
            Part::Text(index) => {
                clear(&mut row.videos[at].texts, index);
                return false;
            }
            Part::Segment(index) => {
                row.videos[at].segments.remove(index);
                return false;
            }
            Part::Tag(index) => {
                row.videos[at].tags.truncate(index);
                return false;
            }
        },
        (Item::Video(at), _) => drop(row.videos.remove(at)),
    }
    true
}

/// Leave out a text of a video; with an element, its attributes; and an element that means something else without its
/// attribute.
fn clear(texts: &mut [Option<&str>; 24], index: usize) {
    let own = VIDEO_PARTS.iter().find_map(|part| match part.holds {
        Holds::Texts(first) if (first..=first + part.attributes.len()).contains(&index) => {
            Some((first, part.attributes))
        }
        _ => None,
    });
    match own {
        Some((first, attributes)) if index == first || attributes[index - first - 1] == "relationship" => {
            texts[first..=first + attributes.len()].fill(None);
        }
        _ => texts[index] = None,
    }
}

/// Return the errors of the extensions of a row, or only the first.
fn errors<'a>(
    row: &Row<'a>,
    loc: &str,
    (now, zone): (i64, Option<&Zone>),
    is_first_enough: bool,
    hrefs: &mut Hrefs,
) -> Vec<(Place, Fault)> {
    let mut judge = Errors { now, zone, is_first_enough, hrefs, faults: Vec::new() };
    judge::images(&mut judge, row.images.iter().map(|image| Some(image.loc)));
    for (at, video) in row.videos.iter().enumerate() {
        judge::video(&mut judge, at, video, Some(loc));
    }
    judge::alternates(&mut judge, &row.alternates, Some(loc));
    if let Some(news) = &row.news {
        judge::news(&mut judge, news);
    }
    judge.faults
}

/// A fault as the reason to refuse a row; it names the column.
fn refusal(place: &Place, fault: Fault) -> Refusal {
    Refusal::of_column(&place.to_string(), fault.rule, fault.message, fault.help)
}

/// Keeps the errors, or the first.
struct Errors<'z> {
    now: i64,
    zone: Option<&'z Zone>,
    is_first_enough: bool,
    hrefs: &'z mut Hrefs,
    faults: Vec<(Place, Fault)>,
}

impl<'a> Judge<'a> for Errors<'_> {
    type Value = Option<&'a str>;

    fn asks(&self, rule: &'static Rule) -> bool {
        rule.severity == Severity::Error && (!self.is_first_enough || self.faults.is_empty())
    }

    #[inline(always)]
    fn text(&self, value: Option<&'a str>) -> Option<&'a str> {
        stripped(value)
    }

    fn is_present(&self, value: Option<&'a str>) -> bool {
        stripped(value).is_some()
    }

    fn href(&mut self, text: &str) -> Href {
        self.hrefs.look_at(text)
    }

    /// The element is written for one of the two.
    fn has_publication(&self) -> bool {
        false
    }

    fn checked_at(&self) -> i64 {
        self.now
    }

    fn zone(&self) -> Option<&Zone> {
        self.zone
    }

    fn found(&mut self, place: Place, fault: Fault) {
        self.faults.push((place, fault));
    }
}

impl<'a> Link<Option<&'a str>> for Alternate<'a> {
    fn hreflang(&self) -> Option<&'a str> {
        self.hreflang
    }

    fn href(&self) -> Option<&'a str> {
        Some(self.href)
    }

    fn media(&self) -> Option<&'a str> {
        self.media
    }

    fn rel(&self) -> Option<&'a str> {
        Some(self.rel())
    }
}
