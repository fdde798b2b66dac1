//! Namespaces in XML 1.0: which URI a prefix stands for here, and what the URI means to us.

/// What a namespace URI means to a reader of sitemaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    /// The document's own: the one its root is in, right or wrong.
    Core,
    Image,
    Video,
    News,
    Xhtml,
    /// A feed's, where it is not the root's own: Atom inside RSS, and all of RSS 1.0.
    Feed,
    Media,
    DublinCore,
    /// Anything else, whose elements are skipped whole.
    Foreign,
}

impl Namespace {
    /// The URI that is right for it, where there is just one.
    pub fn uri(self) -> Option<&'static str> {
        match self {
            Namespace::Core => Some(CORE),
            Namespace::Image => Some(IMAGE),
            Namespace::Video => Some(VIDEO),
            Namespace::News => Some(NEWS),
            Namespace::Xhtml => Some(XHTML),
            _ => None,
        }
    }
}

/// How well a declaration is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    Right,
    /// It names no namespace that exists, but clearly means this one.
    Nearly(Namespace),
}

/// Source: sitemaps.org protocol, the `xmlns` of `<urlset>` and `<sitemapindex>`; compared as a string.
pub const CORE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
pub const CORE_HTTPS: &str = "https://www.sitemaps.org/schemas/sitemap/0.9";
/// Source: Google Search Central, image sitemaps.
pub const IMAGE: &str = "http://www.google.com/schemas/sitemap-image/1.1";
/// Source: Google Search Central, video sitemaps.
pub const VIDEO: &str = "http://www.google.com/schemas/sitemap-video/1.1";
/// Source: Google Search Central, news sitemaps.
pub const NEWS: &str = "http://www.google.com/schemas/sitemap-news/0.9";
/// Source: Google Search Central, localized versions of a page.
pub const XHTML: &str = "http://www.w3.org/1999/xhtml";

pub const RSS_1: &str = "http://purl.org/rss/1.0/";
const RSS_090: &str = "http://my.netscape.com/rdf/simple/0.9/";
pub const ATOM: &str = "http://www.w3.org/2005/Atom";
pub const ATOM_03: &str = "http://purl.org/atom/ns#";
/// Source: Media RSS specification 1.5.1; its address is written with and without the last slash.
const MEDIA: &str = "http://search.yahoo.com/mrss/";
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";

const XML_URI: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS_URI: &str = "http://www.w3.org/2000/xmlns/";

#[derive(Debug, Clone)]
struct Binding {
    prefix: Box<str>,
    uri: Box<str>,
    namespace: Namespace,
}

/// One element that declared something.
#[derive(Debug, Clone, Copy)]
struct Scope {
    bindings: usize,
    generation: u32,
}

/// The declarations in force. The generation names the set of them: equal generations resolve alike.
#[derive(Debug, Clone, Default)]
pub struct Scopes {
    bindings: Vec<Binding>,
    scopes: Vec<Scope>,
    generation: u32,
    generations: u32,
    core: Box<str>,
    has_core: bool,
}

impl Scopes {
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Whether the same declarations are in force in a clone.
    pub fn is_like(&self, clone: &Scopes) -> bool {
        (self.generation, self.depth(), self.bindings()) == (clone.generation, clone.depth(), clone.bindings())
    }

    /// How many elements in force have declared something; `truncate` takes it back.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub fn truncate(&mut self, depth: usize) {
        while self.scopes.len() > depth {
            self.pop();
        }
    }

    /// Opens the scope of an element that declares something; `declare` fills it.
    pub fn push(&mut self) {
        self.scopes.push(Scope { bindings: self.bindings.len(), generation: self.generation });
        self.generations += 1;
        self.generation = self.generations;
    }

    pub fn pop(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.bindings.truncate(scope.bindings);
            self.generation = scope.generation;
        }
    }

    /// How many declarations are in force.
    pub fn bindings(&self) -> usize {
        self.bindings.len()
    }

    /// Whether the prefix stands for no namespace, although the root is in one.
    pub fn is_outside_core(&self, prefix: &str) -> bool {
        !self.core.is_empty() && self.uri(prefix) == Some("")
    }

    /// Binds a prefix ("" is the default namespace) in the newest scope, or returns why XML forbids it.
    /// Source: Namespaces in XML 1.0, section 3 and the constraint "No Prefix Undeclaring".
    pub fn declare(&mut self, prefix: &str, uri: &str) -> Result<Declared, String> {
        match prefix {
            "xml" if uri == XML_URI => return Ok(Declared::Right),
            "xml" | "xmlns" => {
                return Err(format!("the prefix {prefix} cannot be declared as {uri:?}"));
            }
            "" => {}
            _ if uri.is_empty() => {
                return Err(format!("the prefix {prefix} is declared with an empty namespace"));
            }
            _ => {}
        }
        if uri == XML_URI || uri == XMLNS_URI {
            return Err(format!("the namespace {uri} cannot be bound to another prefix"));
        }
        let (namespace, declared) = self.classify(uri);
        self.bindings.push(Binding { prefix: prefix.into(), uri: uri.into(), namespace });
        Ok(declared)
    }

    /// The URI of a prefix; "" without a default namespace is in none, the empty URI. `None`: never declared.
    pub fn uri(&self, prefix: &str) -> Option<&str> {
        match self.find(prefix) {
            Some(binding) => Some(&binding.uri),
            None if prefix.is_empty() => Some(""),
            None => (prefix == "xml").then_some(XML_URI),
        }
    }

    pub fn namespace(&self, prefix: &str) -> Option<Namespace> {
        match self.find(prefix) {
            Some(binding) => Some(binding.namespace),
            None => self.uri(prefix).map(|uri| self.classify(uri).0),
        }
    }

    /// Makes the root's namespace the one that counts as the core, so that a wrong one is one finding, not thousands.
    pub fn set_core(&mut self, uri: &str) {
        self.core = uri.into();
        self.has_core = true;
        for at in 0..self.bindings.len() {
            self.bindings[at].namespace = self.classify(&self.bindings[at].uri).0;
        }
        self.generations += 1;
        self.generation = self.generations;
    }

    /// Forgets everything before a root.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.has_core = false;
    }

    /// Whether a prefix of the root stands for nearly the namespace of the protocol, and not for the root's own.
    pub fn is_nearly_core(&self, prefix: &str) -> bool {
        let found = self.find(prefix).filter(|binding| binding.namespace == Namespace::Core);
        found.is_some_and(|binding| *binding.uri != *self.core && !matches!(&*binding.uri, "" | CORE))
    }

    /// Takes a prefix that was never declared for the document's own: its root has it.
    pub fn assume(&mut self, prefix: &str) {
        self.bindings.push(Binding { prefix: prefix.into(), uri: "".into(), namespace: Namespace::Core });
    }

    fn find(&self, prefix: &str) -> Option<&Binding> {
        // To compare an empty text with another calls for no bytes of it, and yet takes longer than all the rest.
        let is_default = prefix.is_empty();
        let is_its =
            |binding: &&Binding| binding.prefix.is_empty() == is_default && (is_default || *binding.prefix == *prefix);
        self.bindings.iter().rev().find(is_its)
    }

    fn classify(&self, uri: &str) -> (Namespace, Declared) {
        let namespace = match uri {
            _ if *uri == *self.core => Namespace::Core,
            // A child that takes itself out of the namespace, or never was in it, is meant anyway.
            "" => Namespace::Core,
            IMAGE => Namespace::Image,
            VIDEO => Namespace::Video,
            NEWS => Namespace::News,
            XHTML => Namespace::Xhtml,
            RSS_1 | RSS_090 | ATOM | ATOM_03 => Namespace::Feed,
            DUBLIN_CORE => Namespace::DublinCore,
            _ if uri.trim_end_matches('/') == MEDIA.trim_end_matches('/') => Namespace::Media,
            CORE => Namespace::Core,
            _ => match resembled(uri) {
                // It may be the root's own, of which a rule of its own speaks.
                Some(Namespace::Core) if !self.has_core => Namespace::Foreign,
                Some(namespace) => return (namespace, Declared::Nearly(namespace)),
                None => Namespace::Foreign,
            },
        };
        (namespace, Declared::Right)
    }
}

/// Whether a namespace is of an extension that was withdrawn: pages for feature phones, places, source code.
/// Sources: Google Search Central, mobile sitemaps (withdrawn); Google's former schemas of geo and code search.
pub fn is_obsolete(uri: &str) -> bool {
    const OBSOLETE: [&str; 3] = [
        "http://www.google.com/schemas/sitemap-mobile/",
        "http://www.google.com/geo/schemas/sitemap/",
        "http://www.google.com/codesearch/schemas/sitemap/",
    ];
    OBSOLETE.iter().any(|known| uri.starts_with(known))
}

/// The namespace that a URI means, where only its scheme, host, version or slashes are wrong. Each form was met in
/// published sitemaps.
fn resembled(uri: &str) -> Option<Namespace> {
    if is_obsolete(uri) {
        return None;
    }
    let lower = uri.to_ascii_lowercase();
    let rest = lower.trim_start_matches("http:").trim_start_matches("https:").trim_start_matches('/');
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    if let Some((_, name)) = rest.split_once("/schemas/sitemap") {
        let Some(extension) = name.strip_prefix('-') else { return Some(Namespace::Core) };
        let known = [("image", Namespace::Image), ("video", Namespace::Video), ("news", Namespace::News)];
        return known.iter().find(|(name, _)| extension.starts_with(name)).map(|(_, namespace)| *namespace);
    }
    (rest.starts_with("w3.org/") && rest.contains("xhtml")).then_some(Namespace::Xhtml)
}

/// What a prefix that was never declared nearly always stands for.
pub fn guess(prefix: &str) -> Namespace {
    match prefix {
        "image" => Namespace::Image,
        "video" => Namespace::Video,
        "news" => Namespace::News,
        "xhtml" => Namespace::Xhtml,
        "media" => Namespace::Media,
        "atom" => Namespace::Feed,
        "dc" => Namespace::DublinCore,
        _ => Namespace::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_declarations_hide_outer_ones_until_they_close() {
        let mut scopes = Scopes::default();
        scopes.push();
        scopes.declare("", CORE).unwrap();
        scopes.declare("i", IMAGE).unwrap();
        scopes.set_core(CORE);
        let outer = scopes.generation();
        assert_eq!(scopes.namespace(""), Some(Namespace::Core));
        assert_eq!(scopes.namespace("i"), Some(Namespace::Image));
        scopes.push();
        scopes.declare("", "").unwrap();
        scopes.declare("i", "urn:other").unwrap();
        assert_ne!(scopes.generation(), outer);
        assert_eq!((scopes.namespace(""), scopes.is_outside_core("")), (Some(Namespace::Core), true));
        assert_eq!(scopes.namespace("i"), Some(Namespace::Foreign));
        scopes.truncate(1);
        assert_eq!((scopes.generation(), scopes.namespace("i")), (outer, Some(Namespace::Image)));
        assert_eq!(scopes.namespace("unknown"), None);
    }

    #[test]
    fn what_may_not_be_declared() {
        let mut scopes = Scopes::default();
        scopes.push();
        for (prefix, uri) in [("xml", "urn:x"), ("xmlns", "urn:x"), ("p", ""), ("p", XML_URI), ("", XMLNS_URI)] {
            assert!(scopes.declare(prefix, uri).is_err(), "{prefix} {uri}");
        }
        assert!(scopes.declare("xml", XML_URI).is_ok());
    }
}
