//! The CSS selectors that tell which elements are boilerplate.
//!
//! Only what one start tag can answer is read: `tag`, `#id`, `.class`, `[attribute]` and `[attribute=value]`, several of
//! them together, and lists of these. So the cost of a page is that of its tags, however deep they stand.

use super::tag::Tag;

/// One element is meant: each of its parts must fit.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Selector {
    tag: Option<Vec<u8>>,
    classes: Vec<Vec<u8>>,
    attributes: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Selector {
    /// Return the selectors of a list, or what is wrong with it.
    pub fn list(text: &str) -> Result<Vec<Selector>, String> {
        let mut reader = Reader { rest: text.trim() };
        let mut found = vec![reader.selector()?];
        while let Some(rest) = reader.rest.trim_start().strip_prefix(',') {
            reader.rest = rest.trim_start();
            found.push(reader.selector()?);
        }
        if reader.rest.is_empty() { Ok(found) } else { Err(reader.refusal()) }
    }

    /// The attributes that have to be known of a tag.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        let class = (!self.classes.is_empty()).then_some(&b"class"[..]);
        self.attributes.iter().map(|(name, _)| name.as_slice()).chain(class)
    }

    pub fn fits(&self, tag: &Tag) -> bool {
        self.tag.as_ref().is_none_or(|name| *name == tag.name)
            && self.classes.iter().all(|class| {
                tag.named(b"class").is_some_and(|text| text.split(u8::is_ascii_whitespace).any(|each| each == class))
            })
            && self.attributes.iter().all(|(name, value)| match (tag.named(name), value) {
                (Some(found), Some(value)) => found == value,
                (found, None) => found.is_some(),
                (None, Some(_)) => false,
            })
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn selector(&mut self) -> Result<Selector, String> {
        let mut found = Selector::default();
        let start = self.rest;
        if let Some(rest) = self.rest.strip_prefix('*') {
            self.rest = rest;
        } else if self.rest.starts_with(is_of_name) {
            found.tag = Some(self.name()?.to_ascii_lowercase().into_bytes());
        }
        loop {
            let (first, rest) = self.rest.split_at(usize::from(self.rest.starts_with(['.', '#', '['])));
            match first {
                "." => {
                    self.rest = rest;
                    found.classes.push(self.name()?.as_bytes().to_vec());
                }
                "#" => {
                    self.rest = rest;
                    found.attributes.push((b"id".to_vec(), Some(self.name()?.as_bytes().to_vec())));
                }
                "[" => {
                    self.rest = rest.trim_start();
                    found.attributes.push(self.attribute()?);
                }
                _ => break,
            }
        }
        if self.rest.len() == start.len() { Err(self.refusal()) } else { Ok(found) }
    }

    /// An attribute behind its opening bracket.
    fn attribute(&mut self) -> Result<(Vec<u8>, Option<Vec<u8>>), String> {
        let name = self.name()?.to_ascii_lowercase().into_bytes();
        let mut rest = self.rest.trim_start();
        let mut value = None;
        if let Some(after) = rest.strip_prefix('=') {
            self.rest = after.trim_start();
            value = Some(self.value()?.as_bytes().to_vec());
            rest = self.rest.trim_start();
        }
        self.rest = rest.strip_prefix(']').ok_or_else(|| self.refusal())?;
        Ok((name, value))
    }

    fn value(&mut self) -> Result<&'a str, String> {
        let Some(quote) = self.rest.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
            return self.name();
        };
        let (value, rest) = self.rest[1..].split_once(quote).ok_or_else(|| self.refusal())?;
        self.rest = rest;
        Ok(value)
    }

    fn name(&mut self) -> Result<&'a str, String> {
        let end = self.rest.find(|c| !is_of_name(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.refusal());
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name)
    }

    fn refusal(&self) -> String {
        let place = if self.rest.is_empty() { "its end".to_owned() } else { format!("'{}'", self.rest) };
        format!(
            "it cannot be read from {place} on; tag, #id, .class, [attribute], [attribute=value] and lists are read"
        )
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::Selector;
    use crate::page::tag::Tag;

    fn fits(selector: &str, name: &str, attributes: &[(&str, &str)]) -> bool {
        let selectors = Selector::list(selector).unwrap();
        let mut tag = Tag::with(selectors.iter().flat_map(Selector::names));
        tag.begin(name.as_bytes());
        for (name, value) in attributes {
            tag.attribute(name.as_bytes());
            tag.value(value.as_bytes());
        }
        selectors.iter().any(|each| each.fits(&tag))
    }

    #[test]
    fn each_part_of_a_selector_counts() {
        for (selector, is_fitting) in [
            ("ul", true),
            ("UL", true),
            ("*", true),
            ("ol", false),
            (".latest", true),
            (".late", false),
            ("ul.latest.posts", true),
            ("ul.latest.other", false),
            ("#side", true),
            ("#sid", false),
            ("[data-x]", true),
            ("[data-y]", false),
            ("[data-x=1]", true),
            ("[ DATA-X = '1' ]", true),
            ("[data-x=\"2\"]", false),
            ("ol , ul#side[data-x].posts", true),
            ("ol,.none", false),
        ] {
            let attributes = [("class", "latest\nposts"), ("id", "side"), ("data-x", "1")];
            assert_eq!(fits(selector, "ul", &attributes), is_fitting, "{selector}");
        }
    }

    #[test]
    fn what_one_tag_cannot_answer_is_refused() {
        for selector in [
            "", "a[", "a b", "a > b", "a,", ",a", "a:hover", "[a^=b]", "[a=b", "[a='b]", "..a", "a.", "#", "[=b]",
            "a + b",
        ] {
            let refusal = Selector::list(selector).unwrap_err();
            assert!(refusal.starts_with("it cannot be read from "), "{selector}: {refusal}");
        }
        assert_eq!(
            Selector::list("main > p").unwrap_err(),
            "it cannot be read from ' > p' on; tag, #id, .class, [attribute], [attribute=value] and lists are read"
        );
    }
}
