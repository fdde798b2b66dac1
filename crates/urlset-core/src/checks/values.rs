//! The values of an entry, typed: what its texts mean, and the notes about those that are invalid.

use std::borrow::Cow;

use crate::diagnostic::wording::{changefreq_error, lastmod_error, loc_error, priority_error};
use crate::diagnostic::{Fix, Note, Safety, catalogue};
use crate::judge::instead::without_blanks;
use crate::limits::LOC_CHARS;
use crate::read::Kind;
use crate::read::entry::Entry;
use crate::read::text::has_unresolved_reference;
use crate::value::feed_date::{self, Form};
use crate::value::lastmod;
use crate::value::loc::LocError;
use crate::value::relative::Base;
use crate::value::{changefreq, loc, priority, repair, w3c_date};

/// Whether the loc begins and ends as nearly every loc does: any other needs a closer look.
#[inline(always)]
pub fn has_usual_loc(entry: &Entry<'_>) -> bool {
    entry.bytes(entry.slots.loc()).is_some_and(is_usual_loc)
}

/// Whether these bytes begin and end as a usual loc does.
#[inline(always)]
pub fn is_usual_loc(loc: &[u8]) -> bool {
    let Some(last) = loc.last() else { return false };
    (loc.starts_with(b"https:") || loc.starts_with(b"http:")) && *last > b' ' && *last < 0x80
}

/// The loc, if it is a usual one.
#[inline(always)]
pub fn usual_loc<'a>(entry: &Entry<'a>) -> Option<&'a str> {
    if has_usual_loc(entry) { entry.text(*entry.slots.loc()) } else { None }
}

/// The loc, without unusual blanks around it, and absolute where it is relative to a known location.
#[inline(never)]
pub fn loc<'a>(entry: &Entry<'a>, base: Option<&Base>, notes: &mut Vec<Note>) -> Option<Cow<'a, str>> {
    let text = entry.text(*entry.slots.loc()).unwrap_or_default();
    let bare = without_blanks(text);
    if bare.is_empty() {
        return item_id(entry, notes);
    }
    let written = entry.slots.loc().written();
    if bare.len() < text.len() {
        let message = "blanks of another script around the loc: they are left out";
        let fix = entry.fixed_value(written.clone(), Safety::Safe, bare);
        notes.push(Note::new(&catalogue::LOC008, written.clone(), message).with_fix(fix));
    }
    if loc::check(bare) != Err(LocError::Relative) {
        return Some(Cow::Borrowed(bare));
    }
    // An entity could stand for any text, also for a scheme and a host; reading has reported that it does not know it.
    if entry.document.is_markup() && has_unresolved_reference(bare) {
        return Some(Cow::Borrowed(bare));
    }
    let own_base = own_base(entry, base);
    let base = if has_long_base(entry) { None } else { own_base.as_ref().or(base) };
    if entry.document != Kind::Robots {
        let (rule, message, help) = loc_error(LocError::Relative);
        let note = Note { help, ..Note::new(rule, written.clone(), message) };
        // A query or a fragment alone is one of the sitemap itself, which nobody means.
        let resolved = base.filter(|_| !bare.starts_with(['?', '#'])).map(|base| base.resolve(bare));
        notes.push(match resolved.filter(|loc| loc::check(loc).is_ok()) {
            Some(loc) => {
                // Without a slash, it can be a path or a host: other readers may take it for what we do not.
                let safety = if bare.starts_with(['/', '.']) { Safety::Safe } else { Safety::Unsafe };
                note.with_fix(entry.fixed_value(written, safety, &loc))
            }
            None => note,
        });
    }
    Some(base.map_or(Cow::Borrowed(bare), |base| Cow::Owned(base.resolve(bare))))
}

/// Whether the feed names a base that is longer than any loc: so would be each loc that it makes, and one base can be in
/// force for as many items as a document has.
fn has_long_base(entry: &Entry<'_>) -> bool {
    let bases = entry.slots.item.bases.map(|base| base.length());
    entry.document.is_feed() && bases.into_iter().chain([entry.slots.feed_base.len()]).any(|length| length >= LOC_CHARS)
}

/// What the link of an item is relative to, where the feed says so itself: each `xml:base` is relative to the one around
/// it, and the outermost to the location. Source: RFC 4287, section 2, and XML Base, section 4.
fn own_base(entry: &Entry<'_>, location: Option<&Base>) -> Option<Base> {
    if !entry.document.is_feed() || has_long_base(entry) {
        return None;
    }
    let bases = entry.slots.item.bases.map(|base| entry.text(base).unwrap_or_default());
    let mut own = None;
    for text in [entry.slots.feed_base.as_str(), bases[0], bases[1]].into_iter().filter(|text| !text.is_empty()) {
        let inner = match own.as_ref().or(location) {
            Some(outer) => Base::new(&outer.resolve(text)),
            None => Base::new(text),
        };
        own = inner.or(own);
    }
    own
}

/// An item of a feed without a link may have an id that is one; any other entry is without a loc.
fn item_id<'a>(entry: &Entry<'a>, notes: &mut Vec<Note>) -> Option<Cow<'a, str>> {
    if entry.document.is_feed() {
        notes.push(Note::new(&catalogue::FEED002, entry.start..entry.start + 1, "an item without a link"));
        let id = entry.text(entry.slots.item.id)?;
        return loc::check(id).is_ok().then_some(Cow::Borrowed(id));
    }
    let range = entry.loc_range();
    let (rule, message, help) = loc_error(LocError::Empty);
    let note = Note { help, ..Note::new(rule, range, message) };
    notes.push(note.with_fix(Fix::replace(Safety::Unsafe, entry.whole(), "")));
    None
}

/// The instant of the lastmod, in microseconds since the epoch.
#[inline]
pub fn lastmod(entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<i64> {
    if entry.document.is_feed() {
        return feed_lastmod(entry, notes);
    }
    let bytes = entry.bytes(entry.slots.lastmod()).unwrap_or_default();
    w3c_date::instant(bytes).or_else(|| odd_lastmod(entry, notes))
}

#[cold]
fn odd_lastmod(entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<i64> {
    let slot = *entry.slots.lastmod();
    let text = entry.text(slot).unwrap_or_default();
    let (rule, message, help) = lastmod_error(lastmod::parse(text).err()?);
    notes.push(Note { help, ..Note::new(rule, slot.written(), message) });
    repair::instant(text)
}

/// The same of an item of a feed.
#[inline(never)]
fn feed_lastmod(entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<i64> {
    let slot = *entry.slots.lastmod();
    let text = entry.text(slot).unwrap_or_default();
    // pubDate is of RFC 822, every other date of RFC 3339, also inside RSS, where Dublin Core allows a date alone.
    let (message, micros) = if entry.slots.item.date_rank == 0 {
        let date = feed_date::parse(text);
        let message = match date.map(|date| date.form) {
            Some(Form::Exact | Form::ShortYear) => None,
            Some(Form::Weekday(day)) => Some(format!("{text:?} is not a date of RFC 822: its day is {day}")),
            Some(Form::Loose) | None => Some(format!("{text:?} is not a date of RFC 822")),
        };
        (message, date.map(|date| date.micros).or_else(|| Some(feed_date::of_atom(text)?.0)))
    } else {
        let date = feed_date::of_atom(text);
        let is_good = date.is_some_and(|(_, is_exact)| is_exact || entry.document == Kind::Rss);
        let message = (!is_good).then(|| format!("{text:?} is not a date of RFC 3339"));
        (message, date.map(|(micros, _)| micros).or_else(|| Some(feed_date::parse(text)?.micros)))
    };
    notes.extend(message.map(|message| Note::new(&catalogue::FEED003, slot.written(), message)));
    micros
}

/// The index of the changefreq among the protocol's words.
#[inline]
pub fn changefreq(entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<i8> {
    let bytes = entry.bytes(entry.slots.changefreq()).unwrap_or_default();
    match changefreq::parse(bytes) {
        Some(key) => Some(key as i8),
        None => odd_changefreq(entry, notes),
    }
}

#[cold]
fn odd_changefreq(entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<i8> {
    let slot = *entry.slots.changefreq();
    let (rule, message) = changefreq_error(entry.text(slot).unwrap_or_default());
    notes.push(Note::new(rule, slot.written(), message));
    None
}

/// The priority as a number.
#[inline]
pub fn priority(entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<f64> {
    let bytes = entry.bytes(entry.slots.priority()).unwrap_or_default();
    priority::usual(bytes).or_else(|| odd_priority(entry, notes))
}

#[cold]
fn odd_priority(entry: &Entry<'_>, notes: &mut Vec<Note>) -> Option<f64> {
    let slot = *entry.slots.priority();
    match priority::parse(entry.text(slot).unwrap_or_default()) {
        Ok(priority) => Some(priority),
        Err(error) => {
            let (rule, message) = priority_error(error);
            notes.push(Note::new(rule, slot.written(), message));
            None
        }
    }
}
