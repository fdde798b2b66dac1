//! What is inside an entry: its fields, and where its extensions begin.
//!
//! The parse of an entry begins only from its opening tag and needs all of it in the window: where the window ends
//! too early it stops with [`Stop::NeedData`] and leaves nothing behind, to be called again with more.

use std::ops::Range;

use fearless_simd::Level;

use crate::diagnostic::removal::element_around;
use crate::diagnostic::{Fix, Note, Safety, grammar};
use crate::limits::Budget;
use crate::read::entries::entry_run::{self, PlainEntry};
use crate::read::entries::shapes::Shapes;
use crate::read::entries::slots::{BASE, EntrySlots, ItemSlots, Slot};
use crate::read::index::structural_index::StructuralIndex;
use crate::read::lexer::Tags;
use crate::read::lexer::markup::{Piece, piece};
use crate::read::lexer::tag::{Attribute, Tag, TagKind, closed};
use crate::read::namespaces::element::{Element, Field};
use crate::read::namespaces::unread::Unread;
use crate::read::stop::Stop;
use crate::read::text::{self, Context};
use crate::xml::strip_range;

/// The parser of entries. `plain` means that no window so far held anything the fast path would overlook.
#[derive(Debug)]
pub struct Content {
    pub tags: Tags,
    /// What was learned of how entries are written.
    pub shapes: Shapes,
    /// The best SIMD that the processor has.
    pub level: Level,
    pub slots: EntrySlots,
    /// Plain entries that were recognised and are to be handed over together.
    pub run: Box<[PlainEntry; entry_run::MAX_RUN]>,
    /// Of the window that is being read.
    pub index: StructuralIndex,
    pub plain: bool,
    /// The window is a recovered piece, whose structure is not questioned again.
    pub is_recovered: bool,
    pub budget: Budget,
    /// Where in the window the piece at hand begins.
    pub piece_start: usize,
    /// Where the tag ends that closed the latest plain leaf.
    pub leaf_end: usize,
    /// Elements inside entries that were passed over, by namespace, and those of the piece at hand among them.
    pub extensions: Vec<(Box<str>, u64)>,
    pub passed_over: Vec<usize>,
    /// Of the window, while a recovered piece is read; else its memory serves the next such piece.
    other_index: StructuralIndex,
    /// Names of the skipped elements that are open, as offsets of the window.
    pub open: Vec<Tag>,
    /// Takes text that is checked but not kept.
    pub waste: String,
}

impl Content {
    pub fn new(budget: Budget) -> Self {
        Content {
            tags: Tags::new(&budget),
            shapes: Shapes::default(),
            level: Level::new(),
            slots: EntrySlots::default(),
            run: Box::new([PlainEntry::default(); entry_run::MAX_RUN]),
            index: StructuralIndex::default(),
            plain: true,
            is_recovered: false,
            budget,
            piece_start: 0,
            leaf_end: 0,
            extensions: Vec::new(),
            passed_over: Vec::new(),
            other_index: StructuralIndex::default(),
            open: Vec::new(),
            waste: String::new(),
        }
    }

    /// Goes on with a recovered piece instead of the window, until `end_recovered`.
    pub fn begin_recovered(&mut self, piece: &str) {
        std::mem::swap(&mut self.index, &mut self.other_index);
        self.plain &= self.index.build(piece);
        self.is_recovered = true;
    }

    /// Goes back to the window.
    pub fn end_recovered(&mut self) {
        std::mem::swap(&mut self.index, &mut self.other_index);
        self.is_recovered = false;
    }

    /// Fills `slots` from the entry that `open` begins and returns where it ends.
    pub fn entry(&mut self, window: &str, open: &Tag) -> Result<usize, Stop> {
        self.slots.clear();
        let end = self.entry_values(window, open)?;
        // What recovery has made is not what the document has.
        let is_plain = self.plain && !self.is_recovered && open.kind == TagKind::Open && !open.scoped;
        let may_have_shape = is_plain
            && match open.element {
                Element::Url => !self.index.has_section_end() && self.passed_over.is_empty(),
                // Its links may be relative to what an attribute says.
                Element::Item => open.end == open.name_end + 1,
                _ => false,
            };
        let is_silent = self.tags.notes.is_empty() && self.tags.unread.is_empty();
        if may_have_shape && is_silent {
            self.learn(window, open);
        }
        Ok(end)
    }

    /// Reads all of an entry, which is well-formed but may hold anything.
    #[inline(never)]
    fn entry_values(&mut self, window: &str, open: &Tag) -> Result<usize, Stop> {
        let end = match open.element {
            Element::Sitemap => self.children(window, open, Self::field_of_sitemap)?,
            Element::Item => {
                let base = self.attribute_slot(window, BASE)?;
                self.slots.item = ItemSlots { bases: [base, Slot::default()], ..ItemSlots::default() };
                return self.children(window, open, Self::field_of_item);
            }
            _ => self.children(window, open, Self::field)?,
        };
        // Without a loc its URL may stand elsewhere, which recovery finds.
        if self.slots.loc().is_present() || self.is_recovered { Ok(end) } else { Err(Stop::NeedsRecovery) }
    }

    /// Walks the children of `open`, hands each child's tag to `child`, and returns where `open` has closed.
    pub fn children(
        &mut self,
        window: &str,
        open: &Tag,
        mut child: impl FnMut(&mut Self, &str, &Tag) -> Result<usize, Stop>,
    ) -> Result<usize, Stop> {
        let mut at = open.end;
        if open.kind == TagKind::Open {
            loop {
                at = self.text_inside(window, at)?;
                if let Some(end) = open.closed_at(window, at) {
                    at = end;
                    break;
                }
                if let Some(end) = self.piece_end(window, at)? {
                    at = end;
                    continue;
                }
                // Two paths to the same end, because a tag that comes from one of two calls is copied through memory,
                // and that alone takes a fifth of the time.
                if let Some(tag) = self.tags.known(window, at) {
                    at = child(self, window, &tag)?;
                    continue;
                }
                if self.plain
                    && let Some(tag) = self.tags.alike(window, at, &self.index)
                {
                    at = child(self, window, &tag)?;
                    continue;
                }
                let tag = self.tags.read(window, at)?;
                if tag.kind == TagKind::Close {
                    at = closed(open.name(window), window, &tag)?;
                    break;
                }
                at = child(self, window, &tag)?;
            }
        }
        if open.scoped {
            self.tags.scopes.pop();
        }
        Ok(at)
    }

    /// One child of an entry. The first of a repeated child counts.
    #[inline(always)]
    fn field(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        if let Some(field) = tag.element.field() {
            if let Some((text, after)) = self.plain_leaf(window, tag) {
                if !self.keep(field, stripped(window, text)) {
                    self.repeated(window, tag)?;
                }
                return Ok(after);
            }
            let (slot, after) = self.leaf_in_pieces(window, tag)?;
            if !self.keep(field, slot) {
                self.repeated(window, tag)?;
            }
            return Ok(after);
        }
        match tag.element {
            Element::Image => self.image(window, tag),
            Element::Video => self.video(window, tag),
            Element::News => self.news(window, tag),
            Element::Link => self.link(window, tag),
            // An entry inside an entry: that one was never closed.
            Element::Url | Element::Sitemap if !self.is_recovered => Err(Stop::NeedsRecovery),
            _ => self.pass_over(window, tag),
        }
    }

    /// One child of a `<sitemap>`, which has a loc and a lastmod; whatever else stands there is skipped.
    fn field_of_sitemap(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        match tag.element {
            Element::Loc | Element::Lastmod | Element::Url | Element::Sitemap => self.field(window, tag),
            Element::Changefreq | Element::Priority => self.extra(window, tag),
            _ => self.pass_over(window, tag),
        }
    }

    /// A field that an entry of an index cannot have.
    fn extra(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        self.count_extension(window, tag);
        let end = self.skip(window, tag)?;
        if self.tags.keeps_unread {
            let (name, written) = (tag.name_start..tag.name_end, tag.start..end);
            self.tags.unread.push(Unread::FieldOfIndex { name, written });
        }
        Ok(end)
    }

    /// Keeps the value of a core field, unless it has one already: then it returns false.
    #[inline(always)]
    fn keep(&mut self, field: Field, slot: Slot) -> bool {
        let field = &mut self.slots.fields[field as usize];
        let is_first = !field.is_present();
        if is_first {
            *field = slot;
        }
        is_first
    }

    /// A second loc begins another entry, which recovery creates; of any other field the first counts.
    #[cold]
    fn repeated(&mut self, window: &str, tag: &Tag) -> Result<(), Stop> {
        if tag.element == Element::Loc && !self.is_recovered {
            return Err(Stop::NeedsRecovery);
        }
        let range = tag.start..tag.name_end;
        let note = Note::new(&grammar::XML011, range, "a field that the entry has already: the first counts");
        self.tags.notes.push(match element_around(window, tag.end..tag.end) {
            Some(range) => note.with_fix(Fix::replace(Safety::Unsafe, range, "")),
            None => note,
        });
        Ok(())
    }

    /// Checks that no text of the entry is longer than the budget allows.
    #[inline(always)]
    pub fn check_texts(&self, start: usize, end: usize) -> Result<(), Stop> {
        let most = self.budget.text_bytes;
        if end - start <= most || self.slots.longest() <= most {
            return Ok(());
        }
        Err(Stop::limit(start, format!("a text of {} bytes; the configured limit is {most}", self.slots.longest())))
    }

    pub fn check_items(&self, tag: &Tag, count: usize, what: &str) -> Result<(), Stop> {
        if count < self.budget.items_per_entry {
            return Ok(());
        }
        Err(Stop::limit(tag.start, format!("more than {count} {what} in one entry")))
    }

    /// The text of an element, whichever way it has to be read, and where the element ends.
    pub fn leaf(&mut self, window: &str, tag: &Tag) -> Result<(Slot, usize), Stop> {
        match self.plain_leaf(window, tag) {
            Some((text, after)) => Ok((stripped(window, text), after)),
            None => self.leaf_in_pieces(window, tag),
        }
    }

    /// Where the text of an element begins and ends, if it is nothing but plain text: no reference, nothing special,
    /// its closing tag right behind. The search for the next markup goes on from just after that tag's `<`.
    #[inline(always)]
    pub fn plain_leaf(&mut self, window: &str, open: &Tag) -> Option<(Range<usize>, usize)> {
        if !self.plain || open.kind != TagKind::Open {
            return None;
        }
        // Searched from the tag's beginning, not from its end, and handed back likewise: the offsets of markup are then
        // found one from the other, and the processor need not wait for what is written in the tags between them. A
        // tag holds no `<`; an `&` in an attribute is not the closing tag, and is left to the slower path.
        let end = self.index.stop(open.start + 1)?;
        open.closed_at(window, end)?;
        if self.index.has_section_end_in(window.as_bytes(), open.end..end) {
            return None;
        }
        if open.scoped {
            self.tags.scopes.pop();
        }
        self.leaf_end = end + open.name_end - open.name_start + "</>".len();
        Some((open.end..end, end + 1))
    }

    /// The text of an element: its own, CDATA included, without that of comments and child elements.
    #[inline(never)]
    pub fn leaf_in_pieces(&mut self, window: &str, open: &Tag) -> Result<(Slot, usize), Stop> {
        let start = self.slots.scratch.len();
        let mut at = open.end;
        let mut written_end = at;
        if open.kind == TagKind::Open {
            loop {
                let end = self.index.less(window.as_bytes(), at).ok_or(Stop::NeedData)?;
                text::decode(&window[at..end], Context::Content, &mut self.slots.scratch)
                    .map_err(|fault| Stop::text(at, fault))?;
                if let Some((piece, end)) = piece(window, end)? {
                    if let Piece::Cdata(raw) = piece {
                        text::decode(&window[raw.clone()], Context::Cdata, &mut self.slots.scratch)
                            .map_err(|fault| Stop::text(raw.start, fault))?;
                    }
                    at = end;
                    continue;
                }
                written_end = end;
                let tag = self.tags.read(window, end)?;
                if tag.kind == TagKind::Close {
                    at = closed(open.name(window), window, &tag)?;
                    break;
                }
                if open.element.field().is_some() && !self.is_recovered {
                    return Err(Stop::NeedsRecovery);
                }
                at = self.pass_over(window, &tag)?;
            }
        }
        if open.scoped {
            self.tags.scopes.pop();
        }
        Ok((stripped_scratch(&self.slots.scratch, start, window, open.end..written_end), at))
    }
}

/// Whether there may be blanks around a value. Nearly no value is padded: two looks decide.
#[inline(always)]
pub fn is_padded(window: &[u8], range: Range<usize>) -> bool {
    let bytes = &window[range];
    bytes.first().is_some_and(|byte| *byte <= b' ') || bytes.last().is_some_and(|byte| *byte <= b' ')
}

/// The value that is in a range of the window.
#[inline(always)]
pub fn stripped(window: &str, range: Range<usize>) -> Slot {
    if !is_padded(window.as_bytes(), range.clone()) {
        return Slot::window(range.start, range.end);
    }
    let text = strip_range(&window[range.clone()]);
    Slot::window(range.start + text.start, range.start + text.end)
}

/// The value of an attribute.
#[inline]
pub fn attribute_slot(window: &str, attribute: &Attribute, scratch: &mut String) -> Result<Slot, Stop> {
    let value = attribute.value.clone();
    if attribute.is_plain {
        return Ok(stripped(window, value));
    }
    let raw = &window[value.clone()];
    let start = scratch.len();
    text::decode(raw, Context::Attribute, scratch).map_err(|fault| Stop::text(value.start, fault))?;
    Ok(stripped_scratch(scratch, start, window, value))
}

/// The value that the scratch has from `start` on. Where it is written, the blanks around it are left out too, so that
/// its position is the same whichever way it was read.
pub fn stripped_scratch(scratch: &str, start: usize, window: &str, written: Range<usize>) -> Slot {
    if !is_padded(scratch.as_bytes(), start..scratch.len()) && !is_padded(window.as_bytes(), written.clone()) {
        return Slot::scratch(start, scratch.len(), written);
    }
    let text = strip_range(&scratch[start..]);
    let inner = strip_range(&window[written.clone()]);
    let written = written.start + inner.start..written.start + inner.end;
    Slot::scratch(start + text.start, start + text.end, written)
}
