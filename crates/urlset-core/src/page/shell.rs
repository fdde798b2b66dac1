//! Signs of a page whose content a browser makes.

use super::tag::{Attribute, Tag};

/// Elements that scripts fill, by their id.
const ROOTS: [&[u8]; 8] = [b"root", b"app", b"__next", b"__nuxt", b"svelte", b"q-app", b"___gatsby", b"main-app"];
/// A page with fewer words than this has most likely not all of its content.
pub const FEW_WORDS: usize = 20;

/// What was seen of scripts.
#[derive(Debug, Default)]
pub struct Shell {
    scripts: usize,
    root: Option<String>,
    asks_for_scripts: bool,
}

impl Shell {
    /// Take a script, and return whether it is JSON-LD.
    pub fn script(&mut self, tag: &Tag) -> bool {
        let kind = tag.get(Attribute::Type).unwrap_or_default().to_ascii_lowercase();
        let is_json = kind.starts_with(b"application/ld+json");
        self.scripts += usize::from(!is_json);
        is_json
    }

    pub fn noscript(&mut self, text: &[u8]) {
        self.asks_for_scripts |= memchr::memmem::find(&text.to_ascii_lowercase(), b"javascript").is_some();
    }

    /// Take an element that a script may fill.
    pub fn root(&mut self, tag: &Tag) {
        if self.root.is_some() {
            return;
        }
        if tag.name == b"app-root" {
            self.root = Some("<app-root>".to_owned());
        } else if let Some(id) = tag.get(Attribute::Id).filter(|id| ROOTS.contains(id)) {
            self.root = Some(format!("<div id=\"{}\">", String::from_utf8_lossy(id)));
        }
    }

    /// Why the content of a page with so many words is only there in a browser.
    pub fn needs_browser(&self, words: usize) -> Option<String> {
        if self.scripts == 0 || words >= FEW_WORDS {
            return None;
        }
        match &self.root {
            Some(root) => Some(format!("its content is made by a script, in {root}")),
            None if self.asks_for_scripts => Some("it says that it needs scripts".to_owned()),
            None => None,
        }
    }
}
