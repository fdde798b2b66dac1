//! Images of an entry. Source: Google Search Central, image sitemaps.

use super::fault::Fault;
use super::href;
use super::judging::Judge;
use super::place::{Item, Place};
use crate::diagnostic::catalogue;
use crate::limits::IMAGES_PER_ENTRY;
use crate::value::href::Href;

/// Judge the images of an entry by their URLs: IMG001, IMG002 and IMG004.
#[inline]
pub fn images<'a, J: Judge<'a>>(judge: &mut J, locs: impl ExactSizeIterator<Item = J::Value>) {
    let count = locs.len();
    if count > IMAGES_PER_ENTRY && judge.asks(&catalogue::IMG002) {
        let message = format!("{count} images in one entry; Google accepts {IMAGES_PER_ENTRY}");
        judge.found(Place::whole(Item::Image(IMAGES_PER_ENTRY)), Fault::new(&catalogue::IMG002, message));
    }
    for (at, loc) in locs.enumerate() {
        let text = judge.text(loc);
        if text.is_none_or(|text| judge.href(text) == Href::Bad) {
            bad_loc(judge, at, text);
        }
    }
}

#[cold]
fn bad_loc<'a>(judge: &mut impl Judge<'a>, at: usize, text: Option<&str>) {
    let fault = href::fault("image's loc", text, (&catalogue::IMG001, &catalogue::IMG004));
    if judge.asks(fault.rule) {
        judge.found(Place::text(Item::Image(at), 0), fault);
    }
}
