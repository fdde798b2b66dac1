//! Patterns of URLs, by which a caller chooses among them.
//!
//! `*` stands for any text, slashes included; every other character stands for itself, `?` too, because it begins a query.
//! A pattern with `://` has to match the whole URL. One that begins with `/` or `*` has to match all that follows the
//! host. Any other begins after some slash of that: `sitemap-*.xml` names a file, `blog/*` what is in a folder.

/// A pattern, split at its stars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    scope: Scope,
    /// The text before the first star, and after each.
    parts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Url,
    Path,
    Segment,
}

impl Pattern {
    pub fn new(text: &str) -> Pattern {
        let scope = if text.contains("://") {
            Scope::Url
        } else if text.starts_with(['/', '*']) {
            Scope::Path
        } else {
            Scope::Segment
        };
        Pattern { scope, parts: text.split('*').map(str::to_owned).collect() }
    }

    pub fn matches(&self, url: &str) -> bool {
        let path = || path_of(url);
        match self.scope {
            Scope::Url => self.matches_all(url),
            Scope::Path => self.matches_all(path()),
            Scope::Segment => {
                let path = path();
                self.matches_all(path) || path.match_indices('/').any(|(at, _)| self.matches_all(&path[at + 1..]))
            }
        }
    }

    fn matches_all(&self, text: &str) -> bool {
        let (first, rest) = self.parts.split_first().expect("a split text has a first part");
        let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
        for part in middle {
            // The first match leaves the most for the others.
            let Some(at) = text.find(part.as_str()) else { return false };
            text = &text[at + part.len()..];
        }
        text.ends_with(last.as_str())
    }
}

/// What follows the host of a URL; all of a text that is not one.
fn path_of(url: &str) -> &str {
    let Some((_, rest)) = url.split_once("://") else { return url };
    rest.find(['/', '?', '#']).map_or("/", |at| &rest[at..])
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn what_patterns_match() {
        let url = "https://shop.example/blog/2026/sitemap-pages-1.xml?page=2";
        for (pattern, expected) in [
            ("https://shop.example/*", true),
            ("https://*/blog/*", true),
            ("http://shop.example/*", false),
            ("https://shop.example/blog", false),
            ("/blog/*", true),
            ("/blog/", false),
            ("/2026/*", false),
            ("*", true),
            ("**", true),
            ("*pages*", true),
            ("*page=2", true),
            ("*page=1", false),
            ("*.xml", false),
            ("*.xml?*", true),
            ("sitemap-*", true),
            ("sitemap-*.xml?page=*", true),
            ("2026/*", true),
            ("shop.example/*", false),
            ("026/*", false),
            ("*pages*pages*", false),
            ("*a*a*", true),
            ("sitemap-pages-1.xml?page=2", true),
            ("sitemap-pages-1.xml", false),
            ("SITEMAP-*", false),
        ] {
            assert_eq!(Pattern::new(pattern).matches(url), expected, "{pattern}");
        }
    }

    #[test]
    fn urls_without_a_path_have_the_root() {
        for url in ["https://shop.example", "https://shop.example/"] {
            assert!(Pattern::new("/").matches(url));
            assert!(!Pattern::new("/*.xml").matches(url));
        }
        assert!(Pattern::new("*q").matches("https://shop.example?q"));
        assert!(Pattern::new("a*.xml").matches("a/b.xml"));
        // What a star stands for may be empty, but no character counts twice.
        assert!(Pattern::new("a*b.xml").matches("ab.xml"));
        assert!(!Pattern::new("ab*b.xml").matches("ab.xml"));
    }
}
