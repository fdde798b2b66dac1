//! What is passed over: elements that nobody knows, comments, text between elements. All of it has to be well-formed.

use std::ops::Range;

use wide::u8x16;

use super::content::{Content, closed};
use super::element::Element;
use super::misc::{Piece, checked, piece};
use super::name::split;
use super::namespace::{Namespace, guess, is_obsolete};
use super::tag::{Tag, TagKind};
use super::text::{self, Context};
use super::{ElementRules, Stop};
use crate::diagnostic::{Edit, Fix, Note, Safety, catalogue};
use crate::xml::{is_xml_blank, strip_range};

impl Content {
    /// Skips an element that is not read, and counts it by its namespace.
    pub fn pass_over(&mut self, window: &str, tag: &Tag) -> Result<usize, Stop> {
        let (prefix, _) = split(tag.name(window));
        let uri = self.tags.scopes.uri(prefix).unwrap_or(prefix);
        let known = self.extensions.iter().position(|(known, _)| **known == *uri);
        let place = match known {
            Some(place) => place,
            // Past the bound, which only hostile input reaches, they are counted as one.
            None if self.extensions.len() >= self.budget.prefixes => self.extensions.len() - 1,
            None => {
                self.extensions.push((uri.into(), 0));
                self.extensions.len() - 1
            }
        };
        self.passed_over.push(place);
        if let Some(rules) = self.element_rules {
            self.extension(window, tag, rules);
        }
        self.skip(window, tag)
    }

    /// NS006 and XML010: an element of an entry that says nothing to a consumer of sitemaps, once for each namespace and,
    /// in the protocol's own, for each name.
    #[cold]
    fn extension(&mut self, window: &str, tag: &Tag, rules: ElementRules) {
        let name = tag.name(window);
        let uri = self.tags.scopes.uri(split(name).0).unwrap_or_default();
        let written = tag.start..tag.start + 1;
        let note = if is_obsolete(uri) {
            Note::new(&catalogue::NS006, written, format!("`<{name}>` is of an extension that was withdrawn"))
                .with_help("leave it out")
                .once(uri)
        } else if self.tags.scopes.namespace(split(name).0) == Some(Namespace::Core) {
            Note::new(&catalogue::XML010, written, format!("the protocol knows no element `<{name}>` here")).once(name)
        } else if !rules.extensions {
            Note::new(
                &catalogue::NS006,
                written,
                format!("`<{name}>` is of an extension that this consumer does not take"),
            )
            .once(uri)
        } else {
            return;
        };
        self.tags.notes.push(note);
    }

    /// NS006: an element of another namespace right under the root, where a consumer takes none.
    pub fn foreign_child(&mut self, window: &str, tag: &Tag) {
        let name = tag.name(window);
        let Some(rules) = self.element_rules else { return };
        let uri = self.tags.scopes.uri(split(name).0).unwrap_or_default();
        let is_foreign = self.tags.scopes.namespace(split(name).0) != Some(Namespace::Core);
        let written = tag.start..tag.start + 1;
        if is_foreign && (!rules.foreign_children || is_obsolete(uri)) {
            let message = format!("`<{name}>` of another namespace stands right under the root");
            self.tags.notes.push(Note::new(&catalogue::NS006, written, message).once(uri));
        } else if !is_foreign && tag.element == Element::Other {
            let message = format!("the protocol knows no element `<{name}>` here");
            self.tags.notes.push(Note::new(&catalogue::XML010, written, message).once(name));
        }
    }

    /// Gives the note of an element in the wrong case the way to mend it: every such tag of the piece, which is well-formed.
    #[cold]
    pub fn add_renaming(&mut self, window: &str, piece: Range<usize>) {
        let text = &window[piece.clone()];
        let is_wrong = |note: &&mut Note| note.once.as_deref() == Some("case");
        // In a comment or a CDATA section a tag is none.
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
        self.passed_over.clear();
    }

    /// Counts what the piece at hand has passed over, now that it is done with.
    #[inline(always)]
    pub fn settle(&mut self) {
        if !self.passed_over.is_empty() {
            for place in self.passed_over.drain(..) {
                self.extensions[place].1 += 1;
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
        self.open.clear();
        self.open.push(*open);
        let mut at = open.end;
        while let Some(innermost) = self.open.last().copied() {
            at = self.stray_text(window, at)?;
            if let Some(end) = self.piece_end(window, at)? {
                at = end;
                continue;
            }
            let tag = self.tags.read(window, at)?;
            at = tag.end;
            match tag.kind {
                TagKind::Close => {
                    closed(innermost.name(window), window, &tag)?;
                    self.open.pop();
                    if innermost.scoped {
                        self.tags.scopes.pop();
                    }
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
        if let Piece::Cdata(raw) = piece {
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
        // Of a mended piece it was told already that it is not as it should be.
        if self.element_rules.is_some() && !self.is_mended && !is_blank(window.as_bytes(), start..next) {
            self.unexpected_text(window, start..next);
        }
        Ok(next)
    }

    /// XML010. Source: the protocol's schema: its elements hold either elements or text, never both.
    #[cold]
    fn unexpected_text(&mut self, window: &str, between: Range<usize>) {
        let text = strip_range(&window[between.clone()]);
        if !text.is_empty() {
            let message = "text stands between the elements, where nothing reads it";
            let written = between.start + text.start..between.start + text.end;
            self.tags.notes.push(Note::new(&catalogue::XML010, written, message));
        }
    }

    /// Passes the text before the next `<`, which is not kept but has to be well-formed, and says where that is.
    #[inline(always)]
    pub fn stray_text(&mut self, window: &str, at: usize) -> Result<usize, Stop> {
        let stop = self.index.stop(at).ok_or(Stop::NeedData)?;
        // Where no window held anything special, only a reference could be wrong in it.
        if self.plain && window.as_bytes()[stop] == b'<' {
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

/// Whether there are only blanks in a range, which mostly has few bytes or none.
#[inline(always)]
pub fn is_blank(bytes: &[u8], range: Range<usize>) -> bool {
    if range.is_empty() {
        return true;
    }
    match bytes.get(range.start..).and_then(|rest| rest.first_chunk::<16>()) {
        Some(chunk) if range.len() <= 16 => {
            let chunk = u8x16::new(*chunk);
            let others = !chunk.simd_eq(chunk.min(u8x16::splat(b' '))).to_bitmask();
            others.trailing_zeros() as usize >= range.len()
        }
        _ => bytes[range].iter().all(|byte| *byte <= b' '),
    }
}
