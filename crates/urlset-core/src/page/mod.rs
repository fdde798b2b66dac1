//! What stands in an HTML page, in one pass over its tokens: links, metadata, dates, and its content as a hash.
//!
//! A tokenizer of the HTML standard makes the tokens. No tree is built, so the cost does not depend on how deep elements
//! stand in each other. What a tree would be needed for is decided as browsers do in the usual case: the head ends at the
//! first element that cannot be in it.

mod charset;
mod collector;
mod content;
mod tag;

use std::collections::{HashMap, HashSet};

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use url::Url;

use crate::value::standard_url::joined;

pub use self::content::hash;

/// The most of each kind that is kept of a page.
const MOST_LINKS: usize = 10_000;
const MOST_ITEMS: usize = 1_000;

/// What stands in a page. URLs are absolute, without fragments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub title: Option<String>,
    pub language: Option<String>,
    pub base: String,
    /// Where links lead, each once, and whether each mention says `nofollow`.
    pub links: Vec<(String, bool)>,
    pub canonicals: Vec<String>,
    /// The names of bots, and the instructions for them.
    pub robots: Vec<(String, String)>,
    pub hreflang: Vec<(String, String)>,
    pub images: Vec<String>,
    /// The contents of metas that refresh.
    pub refreshes: Vec<String>,
    /// Metas with dates, and elements of microdata with dates: the name, and the value as written.
    pub dates: Vec<(String, String)>,
    pub items: Vec<(String, String)>,
    pub json_ld: Vec<String>,
    pub content_hash: u64,
    /// Hash of the words outside of links, without numbers.
    pub skeleton_hash: u64,
    pub words: usize,
    /// Why its content is only there in a browser.
    pub needs_browser: Option<String>,
}

/// Return what stands in a page.
///
/// `content_type` is the header of that name; `masks` are texts that are no content.
pub fn page(body: &[u8], url: &str, content_type: Option<&str>, masks: &[String]) -> Page {
    let text = charset::decoded(body, content_type);
    let mut found = collector::Collector::default();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<()> {
        found.take(event);
        None
    });
    emitter.naively_switch_states(true);
    for Ok(()) in Tokenizer::new_with_emitter(text.as_ref(), emitter) {}
    let own = Url::parse(url).ok();
    let base = match (&own, &found.base) {
        (Some(own), Some(written)) => own.join(written).ok().or_else(|| Some(own.clone())),
        _ => own.clone(),
    };
    let resolve = |written: &str| base.as_ref().and_then(|base| joined(base, written));
    Page {
        base: base.as_ref().map_or_else(|| url.to_owned(), |base| base.as_str().to_owned()),
        links: links(&found.links, &resolve),
        canonicals: urls(&found.canonicals, &resolve),
        hreflang: found.hreflang.iter().filter_map(|(code, href)| Some((code.clone(), resolve(href)?))).collect(),
        images: urls(&found.images, &resolve),
        content_hash: content::content_hash(found.title.as_deref().unwrap_or_default(), found.content(), masks),
        skeleton_hash: hash(found.skeleton.as_bytes()),
        words: found.words(),
        needs_browser: found.needs_browser(),
        title: found.title,
        language: found.language,
        robots: found.robots,
        refreshes: found.refreshes,
        dates: found.dates,
        items: found.items,
        json_ld: found.json_ld,
    }
}

fn links(written: &[(String, bool)], resolve: &impl Fn(&str) -> Option<String>) -> Vec<(String, bool)> {
    let mut places = HashMap::with_capacity(written.len());
    let mut found: Vec<(String, bool)> = Vec::with_capacity(written.len());
    for (href, is_nofollow) in written {
        let Some(url) = resolve(href) else { continue };
        match places.get(&url) {
            Some(&at) => {
                let known: &mut (String, bool) = &mut found[at];
                known.1 &= *is_nofollow;
            }
            None if found.len() < MOST_LINKS => {
                places.insert(url.clone(), found.len());
                found.push((url, *is_nofollow));
            }
            None => {}
        }
    }
    found
}

fn urls(written: &[String], resolve: &impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut known = HashSet::new();
    let resolved = written.iter().filter_map(|each| resolve(each));
    resolved.filter(|url| known.insert(url.clone())).take(MOST_ITEMS).collect()
}

#[cfg(test)]
mod tests;
