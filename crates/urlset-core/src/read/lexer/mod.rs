//! The lexer of everything between `<` and `>`.

pub mod attribute_cache;
pub mod markup;
pub mod name;
pub mod tag;
mod tag_cache;
#[cfg(test)]
mod tests;
pub mod unclosed;

use std::ops::Range;

use crate::diagnostic::{Fix, Note, Safety, grammar};
use crate::limits::Budget;
use crate::read::index::structural_index::StructuralIndex;
use crate::read::namespaces::element::Element;
use crate::read::namespaces::namespace::{CORE, Declared, Namespace, Scopes, guess};
use crate::read::namespaces::unread::Unread;
use crate::read::stop::Stop;
use crate::read::text::{self, Context};
use attribute_cache::AttributeCache;
use name::{name, skip_blanks, split};
use tag::{Attribute, Tag, TagKind};
use tag_cache::TagCache;

/// Up to so many attributes, each is compared with each.
const MAX_PAIRWISE: usize = 8;

/// The lexer of tags, with what it remembers from one to the next.
#[derive(Debug)]
pub struct Tags {
    pub scopes: Scopes,
    /// Of the tag read last.
    pub attributes: Vec<Attribute>,
    cache: TagCache,
    attribute_cache: AttributeCache,
    /// Notes about the names of the piece at hand.
    pub notes: Vec<Note>,
    /// What was passed over in the piece at hand, if the sink looks at it.
    pub unread: Vec<Unread>,
    pub keeps_unread: bool,
    most_attributes: usize,
    most_prefixes: usize,
}

impl Tags {
    pub fn new(budget: &Budget) -> Self {
        Tags {
            scopes: Scopes::default(),
            attributes: Vec::new(),
            cache: TagCache::default(),
            attribute_cache: AttributeCache::default(),
            notes: Vec::new(),
            unread: Vec::new(),
            keeps_unread: false,
            most_attributes: budget.attributes,
            most_prefixes: budget.prefixes,
        }
    }

    /// The tag whose `<` is at `at`, if it is an open tag without attributes that was met before.
    #[inline(always)]
    pub fn known(&mut self, window: &str, at: usize) -> Option<Tag> {
        let tag = self.cache.find(window.as_bytes(), at, self.scopes.generation());
        if tag.is_some() {
            self.attributes.clear();
        }
        tag
    }

    /// The tag whose `<` is at `at`, if it has attributes and is written as one before it; only where no window held
    /// anything special.
    #[inline]
    pub fn alike(&mut self, window: &str, at: usize, index: &StructuralIndex) -> Option<Tag> {
        self.attribute_cache.find(window.as_bytes(), at, index, self.scopes.generation(), &mut self.attributes)
    }

    /// Reads the tag whose `<` is at `at`, whatever it is, and remembers it if it may be met again.
    /// An open tag that declares namespaces leaves their scope pushed.
    #[inline(never)]
    pub fn read(&mut self, window: &str, at: usize) -> Result<Tag, Stop> {
        let before = (self.notes.len(), self.unread.len());
        let tag = self.read_any(window, at)?;
        // A tag with notes is not remembered: they have to be made each time it is read.
        if (self.notes.len(), self.unread.len()) > before {
            return Ok(tag);
        }
        let generation = self.scopes.generation();
        if tag.kind == TagKind::Open && tag.end == tag.name_end + 1 {
            self.cache.remember(window.as_bytes(), &tag, generation);
        } else if !self.attributes.is_empty() {
            self.attribute_cache.remember(window.as_bytes(), &tag, generation, &self.attributes);
        }
        Ok(tag)
    }

    fn read_any(&mut self, window: &str, at: usize) -> Result<Tag, Stop> {
        let bytes = window.as_bytes();
        let closing = *bytes.get(at + 1).ok_or(Stop::NeedData)? == b'/';
        let name_start = at + 1 + usize::from(closing);
        let name_end = name(window, name_start, "a tag's name")?;
        self.attributes.clear();
        let kind = if closing { TagKind::Close } else { TagKind::Open };
        let mut tag = Tag::new(kind, Element::Other, at, name_start..name_end, name_end);
        loop {
            let next = skip_blanks(bytes, tag.end);
            match *bytes.get(next).ok_or(Stop::NeedData)? {
                b'>' => {
                    tag.end = next + 1;
                    break;
                }
                b'/' if !closing => {
                    match bytes.get(next + 1).ok_or(Stop::NeedData)? {
                        b'>' => tag.kind = TagKind::Empty,
                        _ => {
                            return Err(Stop::malformed(next, "a `/` inside a tag that does not end it"));
                        }
                    }
                    tag.end = next + 2;
                    break;
                }
                _ if closing => {
                    return Err(Stop::malformed(next, "a closing tag holds more than its name"));
                }
                _ if next == tag.end => {
                    return Err(Stop::malformed(
                        next,
                        "a blank is missing before an attribute, or the name has a character that names cannot have",
                    ));
                }
                _ => tag.end = self.attribute(window, next)?,
            }
        }
        if !closing {
            self.resolve(window, &mut tag)?;
        }
        Ok(tag)
    }

    /// Reads `name="value"` at `at` and returns where it ends.
    fn attribute(&mut self, window: &str, at: usize) -> Result<usize, Stop> {
        let bytes = window.as_bytes();
        if self.attributes.len() == self.most_attributes {
            return Err(Stop::limit(at, format!("more than {} attributes on one tag", self.most_attributes)));
        }
        let name_end = name(window, at, "an attribute's name")?;
        let equals = skip_blanks(bytes, name_end);
        if *bytes.get(equals).ok_or(Stop::NeedData)? != b'=' {
            return Err(Stop::malformed(equals, "an attribute without `=` and a value"));
        }
        let quote_at = skip_blanks(bytes, equals + 1);
        let quote = *bytes.get(quote_at).ok_or(Stop::NeedData)?;
        if quote != b'"' && quote != b'\'' {
            return Err(Stop::malformed(quote_at, "an attribute's value without quotes"));
        }
        let value_start = quote_at + 1;
        let Some(length) = memchr::memchr(quote, &bytes[value_start..]) else {
            // Source: XML 1.0, production 10: no `<` in a value. Whatever else comes, this one is not well-formed.
            return Err(match memchr::memchr(b'<', &bytes[value_start..]) {
                Some(less) => Stop::malformed(value_start + less, "`<` in an attribute's value: write `&lt;`"),
                None => Stop::NeedData,
            });
        };
        let value_end = value_start + length;
        self.attributes.push(Attribute {
            name: at..name_end,
            value: value_start..value_end,
            is_plain: text::is_simple(&bytes[value_start..value_end]),
        });
        Ok(value_end + 1)
    }

    /// Declares what the tag declares, then resolves its name. A violation of Namespaces in XML is noted and repaired,
    /// because it hides no other markup.
    fn resolve(&mut self, window: &str, tag: &mut Tag) -> Result<(), Stop> {
        for at in 0..self.attributes.len() {
            let Attribute { name, value, is_plain } = self.attributes[at].clone();
            let raw = &window[value.clone()];
            let declared = window[name.clone()].strip_prefix("xmlns");
            let prefix = declared.and_then(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix(':') });
            if prefix.is_none() && is_plain {
                continue;
            }
            let mut uri = String::new();
            text::decode(raw, Context::Attribute, &mut uri).map_err(|fault| Stop::text(value.start, fault))?;
            let Some(prefix) = prefix else { continue };
            if self.scopes.bindings() >= self.most_prefixes {
                let message = format!("more than {} declarations of namespaces in force", self.most_prefixes);
                return Err(Stop::limit(name.start, message));
            }
            if !tag.scoped {
                tag.scoped = true;
                self.scopes.push();
            }
            match self.scopes.declare(prefix, &uri) {
                Ok(Declared::Right) => {}
                Ok(Declared::Nearly(namespace)) => self.notes.push(nearly(namespace, uri, value)),
                Err(message) => self.notes.push(Note::repair(&grammar::XML001, name.start, message)),
            }
        }
        let (prefix, local) = split(tag.name(window));
        let namespace = match self.scopes.namespace(prefix) {
            Some(namespace) => namespace,
            None => self.undeclared(tag.name_start, prefix),
        };
        let (element, exactly) = Element::of(namespace, local);
        tag.element = element;
        if !exactly {
            let message = format!("`{local}` is written in the wrong case");
            let range = tag.start..tag.name_end;
            // The tags of a root are reported where it is opened and closed.
            if !matches!(element, Element::Urlset | Element::Sitemapindex) {
                self.notes.push(Note::new(&grammar::XML011, range, message).once("case"));
            }
        }
        if namespace == Namespace::Core && element != Element::Other && self.scopes.is_outside_core(prefix) {
            let own = self.attributes.iter().find(|attribute| &window[attribute.name.clone()] == "xmlns");
            let range = own.map_or(tag.name_start..tag.name_end, |attribute| attribute.value.clone());
            let message = format!("`<{}>` is in no namespace, unlike its root", tag.name(window));
            let note = Note::new(&grammar::NS001, range.clone(), message).once("child");
            self.notes.push(match own {
                Some(_) => note.with_fix(Fix::replace(Safety::Safe, range, CORE)),
                None => note,
            });
        }
        self.check_duplicates(window);
        if self.keeps_unread && namespace == Namespace::Core && element != Element::Other {
            self.unexpected_attributes(window, tag);
        }
        Ok(())
    }

    /// Keeps the attributes that have no meaning. Those of another namespace, such as `xsi:schemaLocation`, have one.
    fn unexpected_attributes(&mut self, window: &str, tag: &Tag) {
        let Tags { attributes, unread, .. } = self;
        for attribute in attributes {
            let name = &window[attribute.name.clone()];
            if name != "xmlns" && !name.contains(':') {
                unread.push(Unread::Attribute { name: attribute.name.clone(), tag: tag.name_start..tag.name_end });
            }
        }
    }

    /// Notes a prefix that was never declared and returns what it nearly always stands for.
    fn undeclared(&mut self, at: usize, prefix: &str) -> Namespace {
        let message = format!("the prefix {prefix} is not declared");
        let note = Note::repair(&grammar::NS005, at, message).once(prefix);
        let namespace = guess(prefix);
        self.notes.push(match namespace.uri() {
            Some(uri) => note.with_fix(Fix::declare(prefix, uri)),
            None => note,
        });
        namespace
    }

    /// No attribute twice, neither by name nor by namespace and local name: the first of them counts.
    fn check_duplicates(&mut self, window: &str) {
        if self.attributes.is_empty() || self.attributes.len() <= MAX_PAIRWISE && self.are_plainly_different(window) {
            return;
        }
        let mut names = Vec::with_capacity(self.attributes.len());
        for at in 0..self.attributes.len() {
            let Range { start, end } = self.attributes[at].name;
            let (prefix, local) = split(&window[start..end]);
            let space = match prefix {
                // An attribute without a prefix is in no namespace, whatever the default one is.
                "" => "",
                "xmlns" => "xmlns",
                _ => match self.scopes.uri(prefix) {
                    Some(uri) => uri,
                    None => {
                        self.undeclared(start, prefix);
                        prefix
                    }
                },
            };
            names.push((local.to_owned(), space.to_owned(), start));
        }
        names.sort_unstable();
        for pair in names.windows(2).filter(|pair| (&pair[0].0, &pair[0].1) == (&pair[1].0, &pair[1].1)) {
            let message = format!("the attribute {} stands twice on one tag", pair[1].0);
            self.notes.push(Note::repair(&grammar::XML001, pair[1].2, message));
        }
    }
}

impl Tags {
    /// Whether a few attributes have no prefixes, so that comparing their names is enough, and are all different.
    fn are_plainly_different(&self, window: &str) -> bool {
        let name = |attribute: &Attribute| &window.as_bytes()[attribute.name.clone()];
        self.attributes.iter().enumerate().all(|(at, attribute)| {
            let own = name(attribute);
            !own.contains(&b':') && self.attributes[..at].iter().all(|other| name(other) != own)
        })
    }
}

/// The note of a namespace that is a known one except for a slip.
fn nearly(namespace: Namespace, uri: String, written: Range<usize>) -> Note {
    let rule = if namespace == Namespace::Core { &grammar::NS003 } else { &grammar::NS004 };
    let message = format!("the namespace {uri:?} is not the one that is meant");
    let note = Note::new(rule, written.clone(), message).once(uri);
    match namespace.uri() {
        Some(right) => note.with_help(format!("use {right}")).with_fix(Fix::replace(Safety::Safe, written, right)),
        None => note,
    }
}
