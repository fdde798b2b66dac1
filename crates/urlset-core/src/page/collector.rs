//! Takes the tokens of a page one after another.

use html5gum::emitters::callback::CallbackEvent;

use super::tag::Tag;

/// What stands in these is not seen by a reader.
const UNSEEN: [&[u8]; 9] =
    [b"script", b"style", b"noscript", b"template", b"svg", b"iframe", b"title", b"object", b"math"];
/// What every page of a site repeats.
const CHROME: [&[u8]; 3] = [b"nav", b"footer", b"aside"];
/// A header in one of these belongs to it; any other is the site's. Source: HTML Accessibility API Mappings, header.
const SECTIONS: [&[u8]; 3] = [b"article", b"main", b"section"];
/// What may be hidden: elements that end with a tag of their own.
const HIDEABLE: [&[u8]; 7] = [b"div", b"span", b"section", b"form", b"dialog", b"ul", b"table"];
/// What can stand in the head, so that it goes on. Source: HTML Standard, the "in head" insertion mode.
const OF_HEAD: [&[u8]; 11] =
    [b"html", b"head", b"title", b"base", b"link", b"meta", b"script", b"style", b"noscript", b"template", b"bgsound"];
/// Elements that scripts fill, by their id.
const ROOTS: [&[u8]; 8] = [b"root", b"app", b"__next", b"__nuxt", b"svelte", b"q-app", b"___gatsby", b"main-app"];
/// Metas with a date.
const DATES: [&[u8]; 6] = [
    b"article:modified_time",
    b"og:updated_time",
    b"last-modified",
    b"dcterms.modified",
    b"dc.date.modified",
    b"article:published_time",
];
const ITEMS: [&str; 2] = ["dateModified", "datePublished"];
/// A page with fewer words than this has most likely not all of its content.
const FEW_WORDS: usize = 20;
/// Mentions that are looked at, and bytes of JSON-LD and of a title.
const MOST_MENTIONS: usize = 50_000;
const MOST_METAS: usize = 1_000;
const MOST_JSON: usize = 1_000_000;
const MOST_TITLE: usize = 4_000;

/// What was collected so far, as written.
#[derive(Debug, Default)]
pub struct Collector {
    pub title: Option<String>,
    pub language: Option<String>,
    pub base: Option<String>,
    pub links: Vec<(String, bool)>,
    pub canonicals: Vec<String>,
    pub robots: Vec<(String, String)>,
    pub hreflang: Vec<(String, String)>,
    pub images: Vec<String>,
    pub refreshes: Vec<String>,
    pub dates: Vec<(String, String)>,
    pub items: Vec<(String, String)>,
    pub json_ld: Vec<String>,
    /// The words outside of links, without numbers, and the images.
    pub skeleton: String,
    tag: Tag,
    is_in_body: bool,
    /// The element whose content is not seen, and how many of that name are open.
    unseen: Option<(Vec<u8>, usize)>,
    /// The same for what every page repeats.
    chrome: Option<(Vec<u8>, usize)>,
    sections: usize,
    anchors: usize,
    seen: String,
    content: String,
    /// Where the main part begins and ends in `content`, and how many there are.
    main: (usize, usize, usize),
    json: usize,
    item: Option<&'static str>,
    scripts: usize,
    root: Option<String>,
    asks_for_scripts: bool,
}

impl Collector {
    pub fn take(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => self.tag.begin(name),
            CallbackEvent::AttributeName { name } => self.tag.attribute(name),
            CallbackEvent::AttributeValue { value } => self.tag.value(value),
            CallbackEvent::CloseStartTag { self_closing } => self.start(self_closing),
            CallbackEvent::EndTag { name } => self.end(name),
            CallbackEvent::String { value } => self.text(value),
            _ => {}
        }
    }

    /// The text that a reader sees, without what every page repeats: of the main part, if there is exactly one.
    pub fn content(&self) -> &str {
        let content = match self.main {
            (start, end, 1) if start < end => &self.content[start..end],
            _ => &self.content,
        };
        // Whoever leaves the tag of a menu open has not hidden the page.
        if content.trim().is_empty() || self.chrome.is_some() { &self.seen } else { content }
    }

    pub fn words(&self) -> usize {
        self.seen.split_whitespace().count()
    }

    pub fn needs_browser(&self) -> Option<String> {
        if self.scripts == 0 || self.words() >= FEW_WORDS {
            return None;
        }
        match &self.root {
            Some(root) => Some(format!("its content is made by a script, in {root}")),
            None if self.asks_for_scripts => Some("it says that it needs scripts".to_owned()),
            None => None,
        }
    }

    fn start(&mut self, is_self_closing: bool) {
        let tag = std::mem::take(&mut self.tag);
        self.started(&tag, is_self_closing);
        self.tag = tag;
    }

    fn started(&mut self, tag: &Tag, is_self_closing: bool) {
        let name = tag.name.as_slice();
        self.is_in_body |= self.unseen.is_none() && !OF_HEAD.contains(&name);
        if let Some((open, depth)) = &mut self.unseen {
            *depth += usize::from(open == name && !is_self_closing);
            return;
        }
        match name {
            b"a" | b"area" => self.link(tag),
            b"img" => self.image(tag),
            b"link" => self.relation(tag),
            b"meta" => self.meta(tag),
            b"html" => self.language = self.language.take().or_else(|| tag.text(b"lang")),
            b"base" => self.base = self.base.take().or_else(|| tag.text(b"href")),
            b"script" => self.script(tag),
            _ => {}
        }
        self.microdata(tag);
        if self.root.is_none() && tag.get(b"id").is_some_and(|id| ROOTS.contains(&id)) || name == b"app-root" {
            let id = String::from_utf8_lossy(tag.get(b"id").unwrap_or_default()).into_owned();
            self.root = Some(if name == b"app-root" { "<app-root>".to_owned() } else { format!("<div id=\"{id}\">") });
        }
        self.divide(tag, is_self_closing);
    }

    /// Take down where an element begins whose text is not seen, or not content.
    fn divide(&mut self, tag: &Tag, is_self_closing: bool) {
        let name = tag.name.as_slice();
        self.separate();
        if UNSEEN.contains(&name) && !(is_self_closing && matches!(name, b"svg" | b"math")) {
            self.unseen = Some((name.to_vec(), 1));
            return;
        }
        if let Some((open, depth)) = &mut self.chrome {
            *depth += usize::from(open == name);
        } else if CHROME.contains(&name) || name == b"header" && self.sections == 0 || is_hidden(tag) {
            self.chrome = Some((name.to_vec(), 1));
        }
        self.sections += usize::from(SECTIONS.contains(&name));
        self.anchors += usize::from(name == b"a");
        if name == b"main" || tag.get(b"role") == Some(b"main") && name == b"div" {
            self.main = (self.content.len(), self.main.1, self.main.2 + 1);
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((open, depth)) = &mut self.unseen {
            *depth -= usize::from(open == name);
            if *depth == 0 {
                self.unseen = None;
            }
            return;
        }
        self.separate();
        if let Some((open, depth)) = &mut self.chrome {
            *depth -= usize::from(open == name);
            if *depth == 0 {
                self.chrome = None;
            }
        }
        self.sections = self.sections.saturating_sub(usize::from(SECTIONS.contains(&name)));
        self.anchors = if name == b"a" { 0 } else { self.anchors };
        if name == b"main" {
            self.main.1 = self.content.len();
        }
    }

    fn text(&mut self, value: &[u8]) {
        if let Some((open, _)) = &self.unseen {
            match open.as_slice() {
                b"title" if self.title.is_none() => self.title = title(value),
                b"script" if self.json > 0 => self.json_ld(value),
                b"noscript" => {
                    let lower = value.to_ascii_lowercase();
                    self.asks_for_scripts |= memchr::memmem::find(&lower, b"javascript").is_some();
                }
                _ => {}
            }
            return;
        }
        let text = String::from_utf8_lossy(value);
        self.is_in_body |= !text.trim_ascii().is_empty();
        if let Some(item) = self.item.take() {
            self.items.push((item.to_owned(), text.trim().chars().take(100).collect()));
        }
        self.seen.push_str(&text);
        if self.chrome.is_none() {
            self.content.push_str(&text);
        }
        if self.anchors == 0 {
            self.skeleton.extend(
                text.split_whitespace().flat_map(|word| word.chars().chain([' '])).filter(|c| !c.is_ascii_digit()),
            );
        }
    }

    /// A tag ends a word.
    fn separate(&mut self) {
        for text in [&mut self.seen, &mut self.content] {
            if text.as_bytes().last().is_some_and(|byte| !byte.is_ascii_whitespace()) {
                text.push(' ');
            }
        }
    }

    fn link(&mut self, tag: &Tag) {
        if self.links.len() < MOST_MENTIONS
            && let Some(href) = tag.get(b"href")
        {
            let href = String::from_utf8_lossy(href.trim_ascii()).into_owned();
            self.links.push((href, tag.has_word(b"rel", b"nofollow")));
        }
    }

    /// The source of an image; for one that a script loads later, it is in another attribute.
    fn image(&mut self, tag: &Tag) {
        let source = tag.text(b"src").filter(|source| !source.starts_with("data:")).or_else(|| tag.text(b"data-src"));
        if let (true, Some(source)) = (self.images.len() < MOST_METAS, source) {
            self.skeleton.push_str(&source);
            self.skeleton.push(' ');
            self.images.push(source);
        }
        if self.chrome.is_none()
            && let Some(alt) = tag.text(b"alt")
        {
            self.content.push_str(&alt);
        }
    }

    /// A link in the head. Those in the body are ignored. Source: Google Search Central, how to specify a canonical URL.
    fn relation(&mut self, tag: &Tag) {
        let (false, Some(href)) = (self.is_in_body, tag.text(b"href")) else { return };
        if tag.has_word(b"rel", b"canonical") && self.canonicals.len() < MOST_METAS {
            self.canonicals.push(href.clone());
        }
        if tag.has_word(b"rel", b"alternate")
            && self.hreflang.len() < MOST_METAS
            && let Some(code) = tag.text(b"hreflang")
        {
            self.hreflang.push((code, href));
        }
    }

    fn meta(&mut self, tag: &Tag) {
        let Some(content) = tag.text(b"content") else { return };
        if tag.get(b"http-equiv").is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case(b"refresh"))
            && self.refreshes.len() < MOST_METAS
        {
            self.refreshes.push(content.clone());
        }
        for attribute in [&b"name"[..], b"property"] {
            let Some(name) = tag.text(attribute).map(|name| name.to_ascii_lowercase()) else { continue };
            let list = if DATES.contains(&name.as_bytes()) {
                &mut self.dates
            } else if is_bot(&name) {
                &mut self.robots
            } else {
                continue;
            };
            if list.len() < MOST_METAS {
                list.push((name, content.clone()));
            }
        }
    }

    fn script(&mut self, tag: &Tag) {
        let kind = tag.get(b"type").unwrap_or_default().to_ascii_lowercase();
        self.json = usize::from(kind.starts_with(b"application/ld+json"));
        self.scripts += usize::from(self.json == 0);
    }

    /// JSON-LD that mentions dates.
    fn json_ld(&mut self, value: &[u8]) {
        let taken: usize = self.json_ld.iter().map(String::len).sum();
        let is_dated = ITEMS.iter().any(|item| memchr::memmem::find(value, item.as_bytes()).is_some());
        if is_dated && taken + value.len() <= MOST_JSON {
            self.json_ld.push(String::from_utf8_lossy(value).into_owned());
        }
    }

    /// A date in microdata. Source: HTML Standard, microdata, values.
    fn microdata(&mut self, tag: &Tag) {
        if tag.get(b"itemprop").is_none() || self.items.len() >= MOST_METAS {
            return;
        }
        for item in ITEMS {
            if tag.has_word(b"itemprop", item.as_bytes()) {
                match tag.text(b"datetime").or_else(|| tag.text(b"content")) {
                    Some(value) => self.items.push((item.to_owned(), value)),
                    None => self.item = Some(item),
                }
            }
        }
    }
}

fn is_hidden(tag: &Tag) -> bool {
    HIDEABLE.contains(&tag.name.as_slice())
        && (tag.get(b"hidden").is_some() || tag.get(b"aria-hidden") == Some(b"true"))
}

/// Whether a meta of this name is an instruction for bots: `robots`, or the name of one.
fn is_bot(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let base = name.strip_suffix("-news").unwrap_or(name);
    plain
        && (matches!(name, "robots" | "yandex" | "teoma")
            || ["bot", "spider", "slurp", "crawler"].iter().any(|end| base.ends_with(end)))
}

/// A title with single blanks; None for a blank one.
fn title(value: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&value[..value.len().min(MOST_TITLE)]);
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}
