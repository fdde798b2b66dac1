//! The entries of a document while it grows.

use super::document::OwnedXml;

/// Bytes that are free behind the entries while one is written into them.
pub const ROOM: usize = 1024;

/// Bytes that are cleared at once.
const CLEARED: usize = 64 * ROOM;

/// Bytes kept free before the entries for the beginning of the document, which is known last: it is never longer.
const HEAD: usize = 512;

/// The XML of entries. What is written piece by piece is written into room that is there already, so that most pieces
/// become single stores and not calls.
#[derive(Debug)]
pub struct Body {
    /// The entries, with what is kept free before them and bytes that mean nothing behind them.
    bytes: Vec<u8>,
    /// Where the entries end.
    end: usize,
}

impl Default for Body {
    fn default() -> Body {
        Body { bytes: vec![0; HEAD], end: HEAD }
    }
}

impl Body {
    /// Return the bytes of the entries.
    pub fn len(&self) -> usize {
        self.end - HEAD
    }

    /// Take back what was written behind the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.end = self.end.min(HEAD + len);
    }

    /// Return the entries with what comes before and after them, until the next entry is written.
    pub fn document(&mut self, header: &str, footer: &str) -> &[u8] {
        let begin = HEAD - header.len();
        self.bytes[begin..HEAD].copy_from_slice(header.as_bytes());
        let end = self.end;
        self.push_str(footer);
        self.end = end;
        &self.bytes[begin..end + footer.len()]
    }

    /// Return the same in the memory of the entries.
    pub fn into_document(mut self, header: &str, footer: &str) -> OwnedXml {
        let begin = HEAD - header.len();
        self.document(header, footer);
        self.bytes.truncate(self.end + footer.len());
        OwnedXml::new(self.bytes, begin)
    }

    pub fn push_str(&mut self, text: &str) {
        let end = self.end + text.len();
        if self.bytes.len() < end {
            self.grow(text.len());
        }
        self.bytes[self.end..end].copy_from_slice(text.as_bytes());
        self.end = end;
    }

    /// Return the room behind the entries. What is written there counts once it is [kept](Self::keep).
    #[inline(always)]
    pub fn room(&mut self) -> &mut [u8; ROOM] {
        if self.bytes.len() < self.end + ROOM {
            self.grow(ROOM);
        }
        self.bytes[self.end..].first_chunk_mut().expect("as much was made")
    }

    /// Count so many bytes of the room as written.
    #[inline(always)]
    pub fn keep(&mut self, bytes: usize) {
        self.end += bytes;
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        // Little more than is needed, so that the cache still has it when it is written to.
        self.bytes.resize(self.end + needed + CLEARED, 0);
    }
}

/// A line that is being written into the room of a [`Body`].
#[derive(Debug)]
pub struct Line<'b> {
    room: &'b mut [u8; ROOM],
    len: usize,
}

impl<'b> Line<'b> {
    #[inline(always)]
    pub fn new(room: &'b mut [u8; ROOM]) -> Line<'b> {
        Line { room, len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends bytes whose number is known to the compiler.
    #[inline(always)]
    pub fn push<const N: usize>(&mut self, bytes: &[u8; N]) -> Option<()> {
        self.push_first(bytes, N)
    }

    /// Appends the first `len` bytes of some whose number is known to the compiler.
    #[inline(always)]
    pub fn push_first<const N: usize>(&mut self, bytes: &[u8; N], len: usize) -> Option<()> {
        *self.room.get_mut(self.len..)?.first_chunk_mut()? = *bytes;
        self.len += len;
        Some(())
    }

    /// Appends a text of any length. None: it does not fit.
    #[inline(always)]
    pub fn push_text(&mut self, text: &[u8]) -> Option<()> {
        let room = self.room.get_mut(self.len..self.len + text.len())?;
        if !(copy_ends::<32>(text, room) || copy_ends::<16>(text, room) || copy_ends::<4>(text, room)) {
            room.copy_from_slice(text);
        }
        self.len += text.len();
        Some(())
    }
}

/// Copy a text of `N` to `2 * N` bytes, and return whether it was one. Two copies that may overlap are faster than a call,
/// and than a loop whose end the processor has to guess.
#[inline(always)]
fn copy_ends<const N: usize>(text: &[u8], room: &mut [u8]) -> bool {
    if let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>())
        && let Some(begin) = room.first_chunk_mut()
        && text.len() <= 2 * N
    {
        *begin = *first;
        if let Some(end) = room.last_chunk_mut() {
            *end = *last;
        }
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Kind;
    use crate::write::layout::{NamespacesUsed, footer, header};

    #[test]
    fn the_longest_beginning_fits() {
        let (kind, mut body) = (Kind::Sitemapindex, Body::default());
        body.push_str("<sitemap/>");
        let (header, footer) = (header(kind, NamespacesUsed(u8::MAX), None), footer(kind));
        assert_eq!(body.document(&header, footer), format!("{header}<sitemap/>{footer}").as_bytes());
        assert_eq!(body.len(), 10);
    }

    #[test]
    fn texts_of_any_length_are_copied() {
        let text: Vec<u8> = (0..=u8::MAX).cycle().take(ROOM + 1).collect();
        for length in 0..=ROOM {
            let mut body = Body::default();
            let mut line = Line::new(body.room());
            assert_eq!(line.push_text(&text[..length]), Some(()));
            body.keep(length);
            assert_eq!(body.document("", ""), &text[..length]);
        }
        assert_eq!(Line::new(Body::default().room()).push_text(&text), None);
    }
}
