//! What is skipped: unknown elements, comments, text between elements. All of it has to be well-formed.

use std::ops::Range;

use super::content::Content;
use crate::diagnostic::{Edit, Fix, Note, Safety, grammar};
use crate::read::index::window::is_blank;
use crate::read::lexer::markup::{Piece, checked, piece};
use crate::read::lexer::name::split;
use crate::read::lexer::tag::{Tag, TagKind, closed};
use crate::read::namespaces::element::Element;
use crate::read::namespaces::namespace::{Namespace, guess};
use crate::read::namespaces::unread::{Stranger, Unread};
use crate::read::stop::Stop;
use crate::read::text::{self, Context};
use crate::xml::{is_xml_blank, strip_range};

impl Content {
    /// Skips an element that is not read, and counts it by its namespace. One that has a meaning elsewhere is reported.
    pub fn pass_over(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        if tag.element.is_of_sitemaps() {
            self.note_misplaced(window, tag);
        }
        self.pass_over_extension(window, tag)
    }

    /// Reports an element that means something, though not here.
    #[cold]
    pub fn note_misplaced(&mut self, window: &str, tag: &Tag) {
        let message = format!("`<{}>` has no meaning here: it is skipped", tag.name(window));
        self.tags.notes.push(Note::new(&grammar::XML011, tag.start..tag.name_end, message));
    }

    /// Skips a further element where one is all there can be, and reports it: the first counts.
    #[cold]
    pub fn skip_repeated(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        let message = format!("a second `<{}>` where one is allowed: the first counts", tag.name(window));
        self.tags.notes.push(Note::new(&grammar::XML011, tag.start..tag.name_end, message));
        self.skip(window, tag)
    }

    /// The same of an element of an extension that is not known.
    pub fn pass_over_extension(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        self.count_extension(window, tag);
        if self.tags.keeps_unread {
            let stranger = self.stranger(window, tag);
            self.tags.unread.push(Unread::Element(stranger));
        }
        self.skip(window, tag)
    }

    /// Counts an element that is passed over, once its piece is done with.
    pub fn count_extension(&mut self, window: &str, tag: &Tag) {
        let place = self.place_of_extension(window, tag);
        self.passed_over.push(place);
    }

    /// The place of the namespace of an element among those that are counted, which stays the same.
    pub fn place_of_extension(&mut self, window: &str, tag: &Tag) -> usize {
        let (prefix, _) = split(tag.name(window));
        let uri = self.tags.scopes.uri(prefix).unwrap_or(prefix);
        place_of(uri, &mut self.extensions, self.budget.prefixes)
    }

    /// Counts the elements that were passed over in the text that follows.
    pub fn count_extensions(&mut self, later: &[(Box<str>, u64)]) {
        for (uri, count) in later {
            let index = place_of(uri, &mut self.extensions, self.budget.prefixes);
            self.extensions[index].1 += count;
        }
    }

    /// Keeps a child of the root that is not an entry for the sink, if that looks at it.
    pub fn note_child_of_root(&mut self, window: &str, tag: &Tag) {
        if self.tags.keeps_unread {
            let stranger = self.stranger(window, tag);
            self.tags.unread.push(Unread::ChildOfRoot(stranger));
        }
    }

    #[cold]
    fn stranger(&self, window: &str, tag: &Tag) -> Stranger {
        let prefix = split(tag.name(window)).0;
        Stranger {
            at: tag.start,
            name: tag.name_start..tag.name_end,
            uri: self.tags.scopes.uri(prefix).unwrap_or_default().to_owned(),
            is_core: self.tags.scopes.namespace(prefix) == Some(Namespace::Core),
            is_known: tag.element.is_of_sitemaps(),
        }
    }

    /// Gives the note of an element in the wrong case its fix: it renames every such tag of the piece, which is well-formed.
    #[cold]
    pub fn add_renaming(&mut self, window: &str, piece: Range<usize>) {
        let text = &window[piece.clone()];
        let is_wrong = |note: &&mut Note| note.once.as_deref() == Some("case");
        // Inside a comment or a CDATA section, markup is not a tag.
        if text.contains("<!") || text.contains("<?") {
            return;
        }
        let Some(note) = self.tags.notes.iter_mut().find(is_wrong) else { return };
        let mut edits = Vec::new();
        for at in memchr::memchr_iter(b'<', text.as_bytes()) {
            let start = at + 1 + usize::from(text.as_bytes().get(at + 1) == Some(&b'/'));
            let is_end = |byte: &u8| is_xml_blank(*byte) || matches!(byte, b'>' | b'/');
            let Some(length) = text.as_bytes()[start..].iter().position(is_end) else { continue };
            let (prefix, local) = split(&text[start..start + length]);
            let namespace = self.tags.scopes.namespace(prefix).unwrap_or_else(|| guess(prefix));
            if !Element::of(namespace, local).1 {
                let end = (piece.start + start + length) as u64;
                edits.push(Edit { range: end - local.len() as u64..end, text: local.to_ascii_lowercase() });
            }
        }
        note.fix = Some(Box::new(Fix { safety: Safety::Safe, edits }));
    }

    /// Forgets what the piece at hand has left behind, for it is to be read again.
    pub fn forget(&mut self) {
        self.tags.notes.clear();
        self.tags.unread.clear();
        self.passed_over.clear();
    }

    /// Counts what the piece at hand has passed over, now that it is done with.
    #[inline(always)]
    pub fn settle(&mut self) {
        if !self.passed_over.is_empty() {
            for index in self.passed_over.drain(..) {
                self.extensions[index].1 += 1;
            }
        }
    }

    /// Checks that an element is well-formed to its end, and keeps nothing of it.
    pub fn skip(&mut self, window: &str, open: &Tag) -> Result<usize, Stop> {
        if open.kind == TagKind::Empty {
            if open.scoped {
                self.tags.scopes.pop();
            }
            return Ok(open.end);
        }
        // Nearly every one holds a text.
        if self.plain_leaf(window, open).is_some() {
            return Ok(self.leaf_end);
        }
        self.open.clear();
        self.open.push(*open);
        let mut at = open.end;
        while let Some(innermost) = self.open.last().copied() {
            at = self.stray_text(window, at)?;
            if let Some(end) = self.piece_end(window, at)? {
                at = end;
                continue;
            }
            if let Some(end) = innermost.closed_at(window, at) {
                at = end;
                self.close_skipped(&innermost);
                continue;
            }
            let tag = match self.tags.known(window, at) {
                Some(tag) => tag,
                None => self.tags.read(window, at)?,
            };
            at = tag.end;
            match tag.kind {
                TagKind::Close => {
                    closed(innermost.name(window), window, &tag)?;
                    self.close_skipped(&innermost);
                }
                TagKind::Empty if tag.scoped => self.tags.scopes.pop(),
                TagKind::Empty => {}
                TagKind::Open if self.open.len() >= self.budget.depth => {
                    let message = format!("more than {} elements open inside each other", self.budget.depth);
                    return Err(Stop::limit(tag.start, message));
                }
                TagKind::Open => self.open.push(tag),
            }
        }
        Ok(at)
    }

    /// The innermost of the skipped elements has closed.
    fn close_skipped(&mut self, innermost: &Tag) {
        self.open.pop();
        if innermost.scoped {
            self.tags.scopes.pop();
        }
    }

    /// Where the comment, instruction or CDATA section at `at` ends, if it is one; nothing of it is kept.
    #[inline(always)]
    pub fn piece_end(&self, window: &str, at: usize) -> Result<Option<usize>, Stop> {
        match window.as_bytes().get(at + 1) {
            Some(b'!' | b'?') | None => self.special_piece_end(window, at),
            Some(_) => Ok(None),
        }
    }

    #[inline(never)]
    fn special_piece_end(&self, window: &str, at: usize) -> Result<Option<usize>, Stop> {
        let Some((piece, end)) = piece(window, at)? else {
            return Ok(None);
        };
        // Where no window held anything special, a section holds nothing that would be wrong.
        if let Piece::Cdata(raw) = piece
            && !self.plain
        {
            checked(window, raw)?;
        }
        Ok(Some(end))
    }

    /// Passes the text between the elements of an entry, where only blanks are to stand.
    #[inline(always)]
    pub fn text_inside(&mut self, window: &str, at: usize) -> Result<usize, Stop> {
        // Behind a plain leaf the search has gone on inside of its closing tag.
        let is_in_tag = window.as_bytes()[at - 1] == b'<';
        self.text_between(window, at, if is_in_tag { self.leaf_end } else { at })
    }

    /// Passes the text before the next `<`, where from `start` on only blanks are to stand.
    #[inline(always)]
    pub fn text_between(&mut self, window: &str, at: usize, start: usize) -> Result<usize, Stop> {
        let next = self.stray_text(window, at)?;
        // Recovery has reported already what is wrong with the text of a recovered piece.
        if self.tags.keeps_unread && !self.is_recovered && !is_blank(window.as_bytes(), start..next) {
            self.unexpected_text(window, start..next);
        }
        Ok(next)
    }

    #[cold]
    fn unexpected_text(&mut self, window: &str, between: Range<usize>) {
        let text = strip_range(&window[between.clone()]);
        if !text.is_empty() {
            self.tags.unread.push(Unread::Text(between.start + text.start..between.start + text.end));
        }
    }

    /// Passes the text before the next `<`, which is not kept but has to be well-formed, and returns where that is.
    #[inline(always)]
    pub fn stray_text(&mut self, window: &str, at: usize) -> Result<usize, Stop> {
        let stop = self.index.stop(at).ok_or(Stop::NeedData)?;
        // Where no window held anything special, only a reference or `]]>` could be wrong in it.
        let bytes = window.as_bytes();
        if self.plain && bytes[stop] == b'<' && !self.index.has_section_end_in(bytes, at..stop) {
            return Ok(stop);
        }
        self.special_text(window, at)
    }

    #[inline(never)]
    fn special_text(&mut self, window: &str, at: usize) -> Result<usize, Stop> {
        let end = self.index.less(window.as_bytes(), at).ok_or(Stop::NeedData)?;
        self.waste.clear();
        text::decode(&window[at..end], Context::Content, &mut self.waste).map_err(|fault| Stop::text(at, fault))?;
        Ok(end)
    }
}

/// The place of a namespace among those that are counted.
fn place_of(uri: &str, counted: &mut Vec<(Box<str>, u64)>, most: usize) -> usize {
    match counted.iter().position(|(known, _)| **known == *uri) {
        Some(place) => place,
        // Only hostile input has more namespaces: those are counted as one.
        None if counted.len() >= most => counted.len() - 1,
        None => {
            counted.push((uri.into(), 0));
            counted.len() - 1
        }
    }
}
