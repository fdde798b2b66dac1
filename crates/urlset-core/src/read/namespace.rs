//! Namespaces in XML 1.0: which URI a prefix stands for here, and what the URI means to us.

/// What a namespace URI means to a reader of sitemaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    /// The document's own: the one its root stands in, right or wrong.
    Core,
    Image,
    Video,
    News,
    Xhtml,
    /// Anything else, whose elements are skipped whole.
    Foreign,
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

const XML_URI: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS_URI: &str = "http://www.w3.org/2000/xmlns/";

#[derive(Debug)]
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
#[derive(Debug, Default)]
pub struct Scopes {
    bindings: Vec<Binding>,
    scopes: Vec<Scope>,
    generation: u32,
    generations: u32,
    core: Box<str>,
}

impl Scopes {
    pub fn generation(&self) -> u32 {
        self.generation
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

    /// Binds a prefix ("" is the default namespace) in the newest scope, or says why XML forbids it.
    /// Source: Namespaces in XML 1.0, section 3 and the constraint "No Prefix Undeclaring".
    pub fn declare(&mut self, prefix: &str, uri: &str) -> Result<(), String> {
        match prefix {
            "xml" if uri == XML_URI => return Ok(()),
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
        let namespace = self.classify(uri);
        self.bindings.push(Binding { prefix: prefix.into(), uri: uri.into(), namespace });
        Ok(())
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
            None => self.uri(prefix).map(|uri| self.classify(uri)),
        }
    }

    /// Makes the root's namespace the one that counts as the core, so that a wrong one is one finding, not thousands.
    pub fn set_core(&mut self, uri: &str) {
        self.core = uri.into();
        for at in 0..self.bindings.len() {
            self.bindings[at].namespace = self.classify(&self.bindings[at].uri);
        }
        self.generations += 1;
        self.generation = self.generations;
    }

    fn find(&self, prefix: &str) -> Option<&Binding> {
        self.bindings.iter().rev().find(|binding| &*binding.prefix == prefix)
    }

    fn classify(&self, uri: &str) -> Namespace {
        match uri {
            _ if *uri == *self.core => Namespace::Core,
            IMAGE => Namespace::Image,
            VIDEO => Namespace::Video,
            NEWS => Namespace::News,
            XHTML => Namespace::Xhtml,
            _ => Namespace::Foreign,
        }
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
        assert_eq!(scopes.namespace(""), Some(Namespace::Foreign));
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
