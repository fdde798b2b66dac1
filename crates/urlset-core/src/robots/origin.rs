//! Which robots.txt a URL belongs to: that of its scheme, host and port. Source: RFC 9309, 2.3.

use std::collections::HashMap;

use crate::value::identity::origin;
use crate::value::loc;

/// Something for each of several sites. A site without a scheme is meant with any.
#[derive(Debug)]
pub struct Sites<T> {
    by_origin: HashMap<(Option<String>, String), T>,
}

impl<T> Default for Sites<T> {
    fn default() -> Self {
        Sites { by_origin: HashMap::new() }
    }
}

impl<T> Sites<T> {
    /// Add a site, by its scheme and its host, as [`origin`] has them.
    pub fn insert(&mut self, scheme: Option<String>, host: String, value: T) {
        self.by_origin.insert((scheme, host), value);
    }

    /// What belongs to the site of a URL.
    pub fn of(&self, url: &str) -> Option<&T> {
        let origin = origin(url)?;
        let mut key = (Some(origin.scheme), origin.host);
        self.by_origin.get(&key).or_else(|| {
            key.0 = None;
            self.by_origin.get(&key)
        })
    }
}

/// Finds the sites of many URLs, of which most have the origin of the one before.
#[derive(Debug)]
pub struct Finder<'s, T> {
    sites: &'s Sites<T>,
    /// The origin of the last URL with a plain one, with the slash behind it, and its site.
    known: String,
    found: Option<&'s T>,
}

impl<'s, T> Finder<'s, T> {
    pub fn new(sites: &'s Sites<T>) -> Self {
        Finder { sites, known: String::new(), found: None }
    }

    /// What belongs to the site of a URL.
    pub fn of(&mut self, url: &str) -> Option<&'s T> {
        if loc::path_behind(&self.known, url.as_bytes()).is_some() {
            return self.found;
        }
        let found = self.sites.of(url);
        if let Some(path) = loc::plain_origin(url) {
            (self.known, self.found) = (url[..=path].to_owned(), found);
        }
        found
    }
}
