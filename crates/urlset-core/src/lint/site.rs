//! Where a document lives: its location, taken apart.

use crate::value::loc::{self, UrlParts};
use crate::value::relative::Base;

/// The location of a document, taken apart.
#[derive(Debug)]
pub struct Site {
    pub base: Base,
    pub location: String,
    /// Up to the last slash of its path; what a loc below it begins with.
    pub directory: usize,
    is_root: bool,
}

impl Site {
    /// The location, if it is an http or https URL.
    pub fn new(location: &str) -> Option<Site> {
        let base = Base::new(location)?;
        let parts = loc::parts(location).filter(|_| loc::check(location).is_ok())?;
        let path = parts.rest.find(['?', '#']).map_or(parts.rest, |end| &parts.rest[..end]);
        let before = location.len() - parts.rest.len();
        let (location, directory) = match path.rfind('/') {
            Some(slash) => (location.to_owned(), before + slash + 1),
            None => (format!("{}/", &location[..before]), before + 1),
        };
        Some(Site { base, location, directory, is_root: directory == before + 1 })
    }

    pub fn parts(&self) -> Option<UrlParts<'_>> {
        loc::parts(&self.location)
    }

    /// Whether a loc is below the document's directory, written as that is: nearly every loc.
    #[inline(always)]
    pub fn plainly_covers(&self, loc: &str) -> bool {
        loc.as_bytes().starts_with(&self.location.as_bytes()[..self.directory])
            // Nothing leads out of the root.
            && (self.is_root || !loc::may_have_dots(&loc[self.directory..]))
    }

    /// Whether everything of an origin, which ends with a slash, is below the document's directory.
    pub fn covers_all_of(&self, origin: &str) -> bool {
        self.is_root && self.location[..self.directory] == *origin
    }

    /// The directory, as a client requests it.
    pub fn requested_directory(&self) -> String {
        let rest =
            self.parts().map_or("/", |parts| &self.location[self.location.len() - parts.rest.len()..self.directory]);
        loc::requested_path(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::Site;

    #[test]
    fn directories() {
        for (location, directory) in [
            ("https://example.com/sitemap.xml", Some("https://example.com/")),
            ("https://example.com/a/b/sitemap.xml?x=/y/", Some("https://example.com/a/b/")),
            ("https://example.com", Some("https://example.com/")),
            ("http://example.com:8080/a/", Some("http://example.com:8080/a/")),
            ("sitemap.xml", None),
            ("ftp://example.com/", None),
            ("https:///a", None),
        ] {
            let site = Site::new(location);
            assert_eq!(site.as_ref().map(|site| &site.location[..site.directory]), directory, "{location}");
        }
    }
}
