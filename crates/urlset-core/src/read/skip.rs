//! What is passed over: elements that nobody knows, comments, text between elements. All of it has to be well-formed.

use super::Stop;
use super::content::{Content, closed};
use super::misc::{Piece, checked, piece};
use super::name::split;
use super::tag::{Tag, TagKind};
use super::text::{self, Context};

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
        self.skip(window, tag)
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
