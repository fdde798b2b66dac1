//! URLs of images, videos and links.

use super::href::Href;
use super::identity;
use super::loc::{self, KnownOrigin};

/// The URLs of one kind in a document, which mostly begin alike.
#[derive(Debug, Default)]
pub struct Hrefs {
    origin: KnownOrigin,
}

impl Hrefs {
    /// The same answer as [`Href::of`].
    #[inline(always)]
    pub fn look_at(&mut self, text: &str) -> Href {
        let Some(path) = self.origin.path_of(text) else { return Href::of(text) };
        match loc::glance_from(text.as_bytes(), path) {
            None => Href::Bad,
            Some(seen) if identity::is_normalized(&text.as_bytes()[path..], seen.bits) => Href::Normal,
            Some(_) => Href::Usable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_begin_alike_are_judged_as_they_are_alone() {
        let texts = [
            "https://e.com/",
            "https://e.com/a",
            "https://e.com/a/../b",
            "https://e.com/%7e",
            "https://e.com/%C3%A9",
            "https://e.com/it's",
            "https://e.com/a b",
            "https://e.com/12345678",
            "https://e.com/123456\u{7f}8",
            "https://e.com/é\u{a0}",
            "https://e.com/123456789\t",
            "https://e.com/12\n3456789",
            "https://e.com",
            "HTTPS://E.com/",
            "HTTPS://E.com/ ",
            "http:/e.com/",
            "http://e.com?a/b",
            "http://e.com?a/ b",
            "http://e.com:99999/",
            "http://e.com:80/",
            "http://e.com:80/a\\b",
            "android-app://a/b",
            "android-app://a/ b",
            "httpx://e.com/",
            "/a",
            "",
            "//e.com/a",
            "http:///a",
            "http://u@e.com/a",
            "http://u@e.com/",
            "https://e.com/~\u{80}",
            "https://e.com/!!!!!!!!!",
            "https://http/",
            "https://http//e.com/",
        ];
        for first in texts {
            for second in texts {
                for third in texts {
                    let mut hrefs = Hrefs::default();
                    for text in [first, second, third] {
                        assert_eq!(hrefs.look_at(text), Href::of(text), "{text:?} after {first:?}, {second:?}");
                    }
                }
            }
        }
    }
}
