//! Takes the tokens of a page one after another.

use html5gum::emitters::callback::CallbackEvent;

use super::data;
use super::element::{ANCHOR, BREAKS_OUT, CHROME, OF_HEAD, SECTION, UNSEEN, VOID, traits};
use super::metadata::Metadata;
use super::open::Open;
use super::places::{is_inline, place};
use super::regions::{Part, Regions};
use super::selector::Selector;
use super::shell::Shell;
use super::tag::{Attribute, Tag};
use super::words::words;

/// Links that are looked at, and bytes of a title and of a text with a date.
const MAX_LINKS: usize = 50_000;
const MAX_TITLE: usize = 4_000;
const MAX_ITEM: usize = 100;

/// What is known of an open element.
#[derive(Debug, Clone, Copy)]
struct Opened {
    region: Option<usize>,
    place: u32,
}

/// What was collected so far, as written.
#[derive(Debug, Default)]
pub struct Collector {
    pub title: Option<String>,
    /// Whether the title is boilerplate.
    pub is_title_masked: bool,
    pub language: Option<String>,
    pub base: Option<String>,
    /// Targets of links, and whether each says `nofollow`.
    pub links: Vec<(String, bool)>,
    pub metadata: Metadata,
    pub regions: Regions,
    pub shell: Shell,
    /// The words outside of links, without numbers, and the images.
    pub skeleton: String,
    /// The structured data, a line for each value.
    pub data: String,
    tag: Tag,
    boilerplate: Vec<Selector>,
    open: Open<Opened>,
    is_in_body: bool,
    /// The element whose content is not seen, and how many of that name are open.
    unseen: Option<(Vec<u8>, usize)>,
    /// Elements of drawings in which HTML is allowed.
    islands: usize,
    sections: usize,
    anchors: usize,
    /// A date in microdata that is the text of its element, and how deep that stands.
    item: Option<(&'static str, String, usize)>,
    json: Option<String>,
}

impl Collector {
    /// `boilerplate` are elements to ignore in the content; `most_json` bytes of JSON-LD are kept.
    pub fn new(boilerplate: Vec<Selector>, most_json: usize) -> Collector {
        Collector {
            tag: Tag::with(boilerplate.iter().flat_map(Selector::names)),
            boilerplate,
            metadata: Metadata::new(most_json),
            ..Collector::default()
        }
    }

    pub fn take(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => self.tag.begin(name),
            CallbackEvent::AttributeName { name } => self.tag.attribute(name),
            CallbackEvent::AttributeValue { value } => self.tag.value(value),
            CallbackEvent::CloseStartTag { self_closing } => {
                let tag = std::mem::take(&mut self.tag);
                self.start(&tag, self_closing);
                self.tag = tag;
            }
            CallbackEvent::EndTag { name } => self.end(name),
            CallbackEvent::String { value } => self.text(value),
            _ => {}
        }
    }

    /// The page has ended.
    pub fn finish(&mut self) {
        self.take_item(0);
        self.open.open_at_the_end().filter_map(|each| each.of.region).for_each(|region| self.regions.end(region));
        self.regions.finish();
    }

    /// Comparisons that the page has cost.
    #[cfg(test)]
    pub fn steps(&self) -> usize {
        self.open.steps
    }

    fn start(&mut self, tag: &Tag, is_self_closing: bool) {
        let name = tag.name.as_slice();
        let of = traits(name);
        if let Some((open, depth)) = &mut self.unseen {
            let is_foreign = matches!(open.as_slice(), b"svg" | b"math");
            if !is_foreign || self.islands > 0 || of & BREAKS_OUT == 0 {
                *depth += usize::from(open == name && !is_self_closing);
                self.islands += usize::from(is_foreign && is_island(name) && !is_self_closing);
                return;
            }
            self.unseen = None;
        }
        self.is_in_body |= of & OF_HEAD == 0;
        match name {
            b"a" | b"area" => self.link(tag),
            b"img" => self.image(tag),
            b"br" | b"hr" => self.regions.line(self.place()),
            b"link" if self.is_in_body => self.metadata.body_link(tag),
            b"link" => self.metadata.link(tag),
            b"meta" => self.metadata.meta(tag),
            b"html" => self.language = self.language.take().or_else(|| tag.text(Attribute::Lang)),
            b"base" => self.base = self.base.take().or_else(|| tag.text(Attribute::Href)),
            b"script" => self.json = self.shell.script(tag).then(String::new),
            _ => {}
        }
        data::push_item(tag, &mut self.data);
        self.shell.root(tag);
        self.regions.separate();
        if name == b"title" {
            self.is_title_masked |= self.title.is_none() && self.is_boilerplate(tag);
        }
        if of & UNSEEN != 0 && !(is_self_closing && matches!(name, b"svg" | b"math")) {
            self.unseen = Some((name.to_vec(), 1));
            self.islands = 0;
            return;
        }
        if self.open.ignores(of) {
            return;
        }
        self.open.before(of);
        self.settle();
        self.take_item(self.open.depth());
        if let Some(item) = self.metadata.microdata(tag).filter(|_| of & VOID == 0) {
            self.item = Some((item, String::new(), self.open.depth()));
        }
        if !matches!(name, b"html" | b"head" | b"body") {
            self.begin(tag, of);
        }
    }

    fn begin(&mut self, tag: &Tag, of: u32) {
        let name = tag.name.as_slice();
        let is_chrome =
            of & CHROME != 0 || name == b"header" && self.sections == 0 || is_hidden(tag) || self.is_boilerplate(tag);
        let part = match name {
            b"main" => Some(Part::Main),
            _ if tag.get(Attribute::Role) == Some(b"main") => Some(Part::Role),
            b"article" => Some(Part::Article),
            _ => None,
        };
        let region = (of & VOID == 0 && (is_chrome || part.is_some())).then(|| self.regions.begin(is_chrome, part));
        let is_of_line = of & VOID != 0 || is_inline(tag);
        let place = if is_of_line { self.place() } else { place(self.place(), tag) };
        self.sections += usize::from(of & SECTION != 0);
        self.anchors += usize::from(of & ANCHOR != 0);
        self.open.begin(name, of, Opened { region, place });
        self.settle();
        if !is_of_line {
            self.regions.line(place);
        }
    }

    /// Where the next text stands.
    fn place(&self) -> u32 {
        self.open.innermost().map_or(0, |element| element.place)
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((open, depth)) = &mut self.unseen {
            let is_end = open == name;
            *depth -= usize::from(is_end);
            self.islands = self.islands.saturating_sub(usize::from(is_island(name)));
            if *depth == 0 {
                self.end_unseen(name);
            }
            return;
        }
        self.regions.separate();
        if !matches!(name, b"html" | b"head" | b"body") {
            let before = self.place();
            self.open.end(name, traits(name));
            self.settle();
            let place = self.place();
            if place != before {
                self.regions.line(place);
            }
        }
        self.take_item(self.open.depth());
    }

    fn end_unseen(&mut self, name: &[u8]) {
        self.unseen = None;
        if let (b"script", Some(json)) = (name, self.json.take()) {
            data::push(&json, &mut self.data);
            self.metadata.json_ld(json);
        }
    }

    /// Account for the elements that have ended.
    fn settle(&mut self) {
        for element in self.open.ended() {
            self.sections -= usize::from(element.traits & SECTION != 0);
            self.anchors -= usize::from(element.traits & ANCHOR != 0);
            if let Some(region) = element.of.region {
                self.regions.end(region);
            }
        }
    }

    fn text(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        if let Some((open, _)) = &self.unseen {
            match open.as_slice() {
                b"title" if self.title.is_none() => {
                    self.title = title(value);
                    self.is_title_masked &= self.title.is_some();
                }
                b"script" => {
                    if let Some(json) = &mut self.json {
                        json.push_str(&text);
                    } else {
                        self.metadata.script(&text);
                    }
                }
                b"noscript" => self.shell.noscript(value),
                _ => {}
            }
            return;
        }
        self.is_in_body |= !text.trim_ascii().is_empty();
        if let Some((_, item, _)) = &mut self.item {
            item.extend(text.chars().take(MAX_ITEM.saturating_sub(item.len())));
        }
        self.regions.text(&text);
        if self.anchors == 0 {
            for word in words(&text) {
                match word.bytes().any(|byte| byte.is_ascii_digit()) {
                    true => self.skeleton.extend(word.split(|c: char| c.is_ascii_digit())),
                    false => self.skeleton.push_str(word),
                }
                self.skeleton.push(' ');
            }
        }
    }

    fn link(&mut self, tag: &Tag) {
        let Some(href) = tag.get(Attribute::Href) else { return };
        let href = String::from_utf8_lossy(href.trim_ascii());
        if tag.name == b"a" && !self.is_kept_out(tag) {
            self.regions.link(&href);
        }
        if self.links.len() < MAX_LINKS {
            self.links.push((href.into_owned(), tag.has_word(Attribute::Rel, b"nofollow")));
        }
    }

    /// The source of an image; for one that a script loads later, it is in another attribute.
    fn image(&mut self, tag: &Tag) {
        let source =
            tag.text(Attribute::Src).filter(|source| !is_data(source)).or_else(|| tag.text(Attribute::DataSrc));
        let alt = tag.text(Attribute::Alt).unwrap_or_default();
        if let Some(source) = &source {
            self.skeleton.push_str(source);
            self.skeleton.push(' ');
        }
        if !self.is_kept_out(tag) {
            self.regions.image(source.as_deref().unwrap_or_default(), &alt);
        }
    }

    /// Whether an element is ignored in the content, whatever it stands in.
    fn is_kept_out(&self, tag: &Tag) -> bool {
        is_hidden(tag) || self.is_boilerplate(tag)
    }

    fn is_boilerplate(&self, tag: &Tag) -> bool {
        self.boilerplate.iter().any(|each| each.fits(tag))
    }

    /// End the date in microdata whose element stands at this depth or deeper.
    fn take_item(&mut self, depth: usize) {
        if let Some((name, text, _)) = self.item.take_if(|(_, _, at)| depth <= *at) {
            self.metadata.items.push((name.to_owned(), text.trim().to_owned()));
        }
    }
}

fn is_hidden(tag: &Tag) -> bool {
    tag.get(Attribute::Hidden).is_some() || tag.get(Attribute::AriaHidden) == Some(b"true")
}

/// Whether HTML is allowed in an element of a drawing or formula. Source: HTML Standard, HTML integration points.
fn is_island(name: &[u8]) -> bool {
    matches!(name, b"foreignobject" | b"desc" | b"annotation-xml")
}

fn is_data(source: &str) -> bool {
    source.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// A title with single blanks; None for a blank one.
fn title(value: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&value[..value.len().min(MAX_TITLE)]);
    let words: Vec<&str> = words(&text).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
