//! Relative locs, resolved against the location of their document. Source: RFC 3986, section 5.

use oxiri::{Iri, IriRef};

/// The location of a document, which a loc can be relative to.
#[derive(Debug, Clone)]
pub struct Base(Iri<String>);

impl Base {
    /// Return the location as a base, if it is an http or https URL.
    pub fn new(location: &str) -> Option<Base> {
        let iri = Iri::parse(location.to_owned()).ok()?;
        matches!(iri.scheme(), "http" | "https").then_some(Base(iri))
    }

    /// Return the absolute URL. DIFFERENCE from RFC 3986: `www.example.com/page` is a host whose scheme was forgotten, not
    /// a path. So is the base's own host.
    pub fn resolve(&self, loc: &str) -> String {
        let first = loc.split(['/', '?', '#']).next().unwrap_or_default();
        let own = self.0.authority().unwrap_or_default();
        if first.starts_with("www.") || (!first.is_empty() && first.eq_ignore_ascii_case(own)) {
            return format!("{}://{loc}", self.0.scheme());
        }
        self.0.resolve_unchecked(&IriRef::parse_unchecked(loc)).into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::Base;

    #[test]
    fn relative_locs() {
        let base = Base::new("https://a.example/dir/sitemap.xml?x=1").unwrap();
        for (loc, whole) in [
            ("/page", "https://a.example/page"),
            ("page", "https://a.example/dir/page"),
            ("../page?q#f", "https://a.example/page?q#f"),
            ("?q", "https://a.example/dir/sitemap.xml?q"),
            ("//b.example/x y", "https://b.example/x y"),
            ("www.b.example/page", "https://www.b.example/page"),
            ("a.example", "https://a.example"),
        ] {
            assert_eq!(base.resolve(loc), whole);
        }
    }

    #[test]
    fn what_is_no_base() {
        for location in ["sitemap.xml", "/srv/sitemap.xml", "file:///srv/sitemap.xml", "", "C:\\sitemap.xml"] {
            assert!(Base::new(location).is_none(), "{location}");
        }
    }
}
