//! One start tag, with those of its attributes that mean something here.

/// Bytes of a value that are kept.
const MAX_VALUE: usize = 16 << 10;

/// An attribute that means something here, or one that a selector names, by its place among those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    Href,
    Rel,
    Name,
    Property,
    Content,
    HttpEquiv,
    Src,
    DataSrc,
    Type,
    Hreflang,
    Lang,
    Id,
    Itemprop,
    Datetime,
    Hidden,
    AriaHidden,
    Alt,
    Role,
    Media,
    Class,
    OfSelector(usize),
}

impl Attribute {
    /// The attribute of this name, unless only selectors may name it.
    fn of(name: &[u8]) -> Option<Attribute> {
        Some(match name {
            b"href" => Attribute::Href,
            b"rel" => Attribute::Rel,
            b"name" => Attribute::Name,
            b"property" => Attribute::Property,
            b"content" => Attribute::Content,
            b"http-equiv" => Attribute::HttpEquiv,
            b"src" => Attribute::Src,
            b"data-src" => Attribute::DataSrc,
            b"type" => Attribute::Type,
            b"hreflang" => Attribute::Hreflang,
            b"lang" => Attribute::Lang,
            b"id" => Attribute::Id,
            b"itemprop" => Attribute::Itemprop,
            b"datetime" => Attribute::Datetime,
            b"hidden" => Attribute::Hidden,
            b"aria-hidden" => Attribute::AriaHidden,
            b"alt" => Attribute::Alt,
            b"role" => Attribute::Role,
            b"media" => Attribute::Media,
            b"class" => Attribute::Class,
            _ => return None,
        })
    }
}

/// A start tag while it is read. Its texts are kept for the next tag, so that a page allocates few of them.
#[derive(Debug, Default)]
pub struct Tag {
    pub name: Vec<u8>,
    /// Further attributes that are kept, because a selector names them.
    more: Vec<Vec<u8>>,
    /// Which attributes it has; the value of each is at the same place.
    found: Vec<Attribute>,
    values: Vec<Vec<u8>>,
    /// The attribute whose value comes next.
    current: Option<usize>,
}

impl Tag {
    /// Return a tag that keeps further attributes.
    pub fn with<'a>(names: impl Iterator<Item = &'a [u8]>) -> Tag {
        let more = names.filter(|name| Attribute::of(name).is_none()).map(<[u8]>::to_vec).collect();
        Tag { more, ..Tag::default() }
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
        let Some(attribute) = self.known(name).filter(|known| !self.found.contains(known)) else { return };
        let place = self.found.len();
        self.found.push(attribute);
        if self.values.len() <= place {
            self.values.push(Vec::new());
        }
        self.values[place].clear();
        self.current = Some(place);
    }

    pub fn value(&mut self, value: &[u8]) {
        if let Some(place) = self.current.take() {
            self.values[place].extend_from_slice(&value[..value.len().min(MAX_VALUE)]);
        }
    }

    pub fn get(&self, wanted: Attribute) -> Option<&[u8]> {
        let place = self.found.iter().position(|found| *found == wanted)?;
        Some(&self.values[place])
    }

    /// The value of an attribute that a selector names.
    pub fn named(&self, name: &[u8]) -> Option<&[u8]> {
        self.get(self.known(name)?)
    }

    fn known(&self, name: &[u8]) -> Option<Attribute> {
        let of_selector = || self.more.iter().position(|more| more == name).map(Attribute::OfSelector);
        Attribute::of(name).or_else(of_selector)
    }

    /// The value of an attribute as text; None if it is absent or blank.
    pub fn text(&self, wanted: Attribute) -> Option<String> {
        let value = self.get(wanted)?.trim_ascii();
        (!value.is_empty()).then(|| String::from_utf8_lossy(value).into_owned())
    }

    /// Whether the value of an attribute has a word, in any case.
    pub fn has_word(&self, wanted: Attribute, word: &[u8]) -> bool {
        let value = self.get(wanted).unwrap_or_default();
        value.split(u8::is_ascii_whitespace).any(|each| each.eq_ignore_ascii_case(word))
    }
}
