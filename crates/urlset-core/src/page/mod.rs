//! What stands in an HTML page, in one pass over its tokens: links, metadata, dates, and its content as a hash.
//!
//! A tokenizer of the HTML standard makes the tokens. No tree is built: which elements are open at a place is all that
//! is known of it, to a bounded depth, so the cost grows with the page alone. The head ends as in browsers, at the first
//! element that cannot be in it.

mod asset;
mod challenge;
mod charset;
mod collector;
mod content;
mod data;
mod element;
mod metadata;
mod open;
mod parts;
mod places;
mod refresh;
mod regions;
mod selector;
mod shell;
mod sketch;
mod tag;
mod words;

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, ForwardingEmitter, Readable, Span, Tokenizer};
use url::Url;

use self::collector::Collector;
use self::regions::Extent;
use crate::value::standard_url::joined;

pub use self::challenge::challenger;
pub use self::content::hash;
pub use self::refresh::target as refresh_target;
pub use self::selector::Selector;

/// The most links that are kept of a page.
const MAX_LINKS: usize = 10_000;

/// What a page is read with.
#[derive(Debug)]
pub struct Options<'a> {
    /// The URL of the page.
    pub url: &'a str,
    /// The header of that name.
    pub content_type: Option<&'a str>,
    /// Texts to ignore in the content, in which `*` stands for some text.
    pub masks: &'a [String],
    /// Elements to ignore in the content.
    pub boilerplate: Vec<Selector>,
    /// Bytes of JSON-LD, and elements of each other list, that are kept.
    pub most_json: usize,
    pub most_items: usize,
    /// Whether `parts` and `sketch` are wanted.
    pub with_parts: bool,
}

/// What stands in a page. URLs are absolute, without fragments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Whether its charset was known, and all its bytes are valid in it.
    pub fits_charset: bool,
    /// Whether it has a NUL, as no text has.
    pub is_binary: bool,
    pub title: Option<String>,
    /// Its description in a meta, as written.
    pub description: Option<String>,
    /// Where the same page is as Markdown, by the first of its links that says so.
    pub markdown: Option<String>,
    pub language: Option<String>,
    pub base: String,
    /// Where links lead, each once, and whether each mention says `nofollow`.
    pub links: Vec<(String, bool)>,
    pub canonicals: Vec<String>,
    /// The first canonical link in the body, where it counts for nothing.
    pub body_canonical: Option<String>,
    /// The names of bots, and the instructions for them.
    pub robots: Vec<(String, String)>,
    pub hreflang: Vec<(String, String)>,
    /// Sitemaps and feeds that it names, each as `link` or `feed`.
    pub documents: Vec<(String, &'static str)>,
    /// The images of its content.
    pub images: Vec<String>,
    /// Where a meta leads that refreshes; None without one, and for one that only reloads the page.
    pub refresh: Option<String>,
    /// Where a script leads from a page with hardly any words.
    pub script_target: Option<String>,
    /// Metas with dates, and elements of microdata with dates: the name, and the value as written.
    pub dates: Vec<(String, String)>,
    pub items: Vec<(String, String)>,
    pub json_ld: Vec<String>,
    /// Scripts of JSON-LD with dates, versions and images that are beyond the bounds.
    pub long_json: usize,
    pub dropped_hreflang: usize,
    pub dropped_images: usize,
    pub content_hash: u64,
    /// The parts of the content, by which it can be told what has changed. See `parts::parts`.
    pub parts: Vec<u64>,
    /// How much of its text is in another page can be told by it. See `sketch::sketch`.
    pub sketch: Vec<u16>,
    /// Whether an element is marked as its main part.
    pub has_main: bool,
    /// Hash of the words outside of links, without numbers.
    pub skeleton_hash: u64,
    pub words: usize,
    /// Why its content is only there in a browser.
    pub needs_browser: Option<String>,
}

/// Return what stands in a page.
pub fn page(body: &[u8], mut options: Options<'_>) -> Page {
    let decoded = charset::decoded(body, options.content_type);
    let text = decoded.text.as_ref();
    let found = collected(text, Collector::new(std::mem::take(&mut options.boilerplate), options.most_json));
    Page {
        fits_charset: decoded.fits,
        is_binary: memchr::memchr(0, text.as_bytes()).is_some(),
        ..resolved(found, &options)
    }
}

/// Return the http(s) URL that a link leads to from a base, without its fragment; None for anything else.
pub fn target(base: &str, link: &str) -> Option<String> {
    joined(&Url::parse(base).ok()?, link)
}

/// Give the tokens of a page to a collector. How a reader cuts the page makes no difference.
fn collected<'a>(text: impl Readable<'a>, mut found: Collector) -> Collector {
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<()> {
        found.take(event);
        None
    });
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(text, Faultless(emitter)) {
        debug_assert!(token.is_ok(), "a page in memory is readable");
    }
    found.finish();
    found
}

/// An emitter that hides errors from the tokenizer. A page is read whatever is wrong with it, and a look at each character
/// for errors would take a seventh of the time.
struct Faultless<E>(E);

impl<E: Emitter> ForwardingEmitter for Faultless<E> {
    type Token = E::Token;

    fn inner(&mut self) -> &mut impl Emitter<Token = E::Token> {
        &mut self.0
    }

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }
}

/// Resolve the URLs of a page, and hash its content.
fn resolved(found: Collector, options: &Options<'_>) -> Page {
    let (url, masks, most) = (options.url, options.masks, options.most_items);
    let own = Url::parse(url).ok();
    let base = match (&own, &found.base) {
        (Some(own), Some(written)) => own.join(written).ok().or_else(|| Some(own.clone())),
        _ => own.clone(),
    };
    let resolve = |written: &str| base.as_ref().and_then(|base| joined(base, written));
    let content = found.regions.content();
    let words = found.regions.words();
    let title = found.title.as_deref().filter(|_| !found.is_title_masked);
    let title = title.unwrap_or_default();
    let content_hash = content::content_hash(title, &content, &found.data, masks);
    let parts = if options.with_parts { parts::parts(title, &content, &found.data, masks) } else { Vec::new() };
    let sketch = if options.with_parts { sketch::sketch(&content, masks) } else { Vec::new() };
    let has_main = content.extent == Extent::Main;
    let (images, dropped_images) = distinct(content.images().filter_map(resolve), most);
    drop(content);
    let metadata = found.metadata;
    let (canonicals, _) = distinct(metadata.canonicals.iter().filter_map(|each| resolve(each)), most);
    let documents = metadata.documents.iter().filter_map(|(href, kind)| Some((resolve(href)?, *kind)));
    let (documents, _) = distinct(documents, most);
    let pairs = metadata.hreflang.into_iter().filter_map(|(code, href)| Some((code, resolve(&href)?)));
    let (hreflang, dropped_hreflang) = distinct(pairs, most);
    Page {
        base: base.as_ref().map_or_else(|| url.to_owned(), |base| base.as_str().to_owned()),
        links: links(&found.links, &resolve),
        canonicals,
        hreflang,
        documents,
        images,
        description: metadata.description,
        markdown: metadata.markdown.and_then(|target| resolve(&target)),
        refresh: metadata.refresh.filter(|target| !target.is_empty()).and_then(|target| resolve(&target)),
        body_canonical: metadata.body_canonical.and_then(|target| resolve(&target)),
        script_target: metadata
            .script_target
            .filter(|_| words < shell::FEW_WORDS)
            .and_then(|target| resolve(&target))
            .filter(|target| target != url),
        dropped_hreflang,
        dropped_images,
        long_json: metadata.long_json,
        content_hash,
        parts,
        sketch,
        has_main,
        skeleton_hash: hash(found.skeleton.as_bytes()),
        words,
        needs_browser: found.shell.needs_browser(words),
        title: found.title,
        language: found.language,
        robots: metadata.robots,
        dates: metadata.dates,
        items: metadata.items,
        json_ld: metadata.json_ld,
        ..Page::default()
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
            None if found.len() < MAX_LINKS => {
                places.insert(url.clone(), found.len());
                found.push((url, *is_nofollow));
            }
            None => {}
        }
    }
    found
}

/// Return the first of the values that differ, and how many are beyond the bound.
fn distinct<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>, most: usize) -> (Vec<T>, usize) {
    let mut known = HashSet::new();
    let mut kept: Vec<T> = Vec::new();
    for value in values {
        if known.insert(value.clone()) && kept.len() < most {
            kept.push(value);
        }
    }
    let dropped = known.len() - kept.len();
    (kept, dropped)
}

#[cfg(test)]
mod tests;
