//! Which robots.txt a URL belongs to.

use std::collections::HashMap;

use crate::value::{host, loc};

/// The scheme of a URL, and its host with a port that is not the usual one; None if it is none that has a robots.txt.
/// Source: RFC 9309, 2.3: a robots.txt is for its scheme, host and port.
pub fn origin(url: &str) -> Option<(String, String)> {
    let parts = loc::parts(url)?;
    let scheme = parts.scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") || parts.host.is_empty() {
        return None;
    }
    let mut name = host::canonical(parts.host).unwrap_or_else(|| parts.host.to_lowercase());
    let usual = if scheme == "https" { "443" } else { "80" };
    if parts.effective_port() != usual {
        name.push(':');
        name.push_str(parts.port);
    }
    Some((scheme, name))
}

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
    /// Add a site, by its scheme and its host as [`origin`] has them.
    pub fn insert(&mut self, scheme: Option<String>, host: String, value: T) {
        self.by_origin.insert((scheme, host), value);
    }

    /// What belongs to the site of a URL.
    pub fn of(&self, url: &str) -> Option<&T> {
        let (scheme, host) = origin(url)?;
        let mut key = (Some(scheme), host);
        self.by_origin.get(&key).or_else(|| {
            key.0 = None;
            self.by_origin.get(&key)
        })
    }
}
