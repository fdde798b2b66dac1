//! One start tag, with those of its attributes that mean something here.

/// The attributes that are kept.
const KEPT: [&[u8]; 19] = [
    b"href",
    b"rel",
    b"name",
    b"property",
    b"content",
    b"http-equiv",
    b"src",
    b"data-src",
    b"type",
    b"hreflang",
    b"lang",
    b"id",
    b"itemprop",
    b"datetime",
    b"hidden",
    b"aria-hidden",
    b"alt",
    b"role",
    b"media",
];
/// Bytes of a value that are kept.
const MOST: usize = 16 << 10;

/// A start tag while it is read. Its texts are kept for the next tag, so that a page allocates few of them.
#[derive(Debug, Default)]
pub struct Tag {
    pub name: Vec<u8>,
    /// Further attributes that are kept.
    more: Vec<Vec<u8>>,
    /// Which attributes it has, as positions in `KEPT` and behind it in `more`; the value of each is at the same place.
    found: Vec<usize>,
    values: Vec<Vec<u8>>,
    /// The attribute whose value comes next.
    current: Option<usize>,
}

impl Tag {
    /// Return a tag that keeps further attributes.
    pub fn with<'a>(names: impl Iterator<Item = &'a [u8]>) -> Tag {
        Tag { more: names.filter(|name| !KEPT.contains(name)).map(<[u8]>::to_vec).collect(), ..Tag::default() }
    }

    pub fn begin(&mut self, name: &[u8]) {
        self.name.clear();
        self.name.extend_from_slice(name);
        self.found.clear();
        self.current = None;
    }

    /// Begin an attribute. Of two with one name, the first counts.
    pub fn attribute(&mut self, name: &[u8]) {
        self.current = None;
        let Some(at) = self.position(name) else { return };
        if self.found.contains(&at) {
            return;
        }
        let place = self.found.len();
        self.found.push(at);
        if self.values.len() <= place {
            self.values.push(Vec::new());
        }
        self.values[place].clear();
        self.current = Some(place);
    }

    pub fn value(&mut self, value: &[u8]) {
        if let Some(place) = self.current.take() {
            self.values[place].extend_from_slice(&value[..value.len().min(MOST)]);
        }
    }

    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        let wanted = self.position(name)?;
        let place = self.found.iter().position(|at| *at == wanted)?;
        Some(&self.values[place])
    }

    /// The position of the name of an attribute that is kept.
    fn position(&self, name: &[u8]) -> Option<usize> {
        let at = KEPT.iter().position(|kept| *kept == name);
        at.or_else(|| self.more.iter().position(|kept| kept == name).map(|at| at + KEPT.len()))
    }

    /// The value of an attribute as text; None if it is absent or blank.
    pub fn text(&self, name: &[u8]) -> Option<String> {
        let value = self.get(name)?.trim_ascii();
        (!value.is_empty()).then(|| String::from_utf8_lossy(value).into_owned())
    }

    /// Whether the value of an attribute has a word, in any case.
    pub fn has_word(&self, name: &[u8], word: &[u8]) -> bool {
        let value = self.get(name).unwrap_or_default();
        value.split(u8::is_ascii_whitespace).any(|each| each.eq_ignore_ascii_case(word))
    }
}
