//! The entries of a document while it grows.

use super::document::Piece;

/// Bytes that are free behind the entries while one is written into them.
pub const ROOM: usize = 1024;

/// Bytes that are cleared at once.
const CLEARED: usize = 64 * ROOM;

/// Bytes kept free before the entries for the beginning of the document, which is known last: it is never longer.
const HEAD: usize = 512;

/// Bytes of a piece, unless a single text has more. The allocator keeps such a block when it is freed, and gives it out
/// again; a large one it would take from the system, and copy whenever it grows.
const PIECE: usize = 256 * ROOM;

/// The XML of entries. What is written piece by piece is written into room that is there already, so that most pieces
/// become single stores and not calls.
#[derive(Debug)]
pub struct Body {
    /// The pieces before the one at hand, and the bytes of the entries in them.
    full: Vec<Piece>,
    before: usize,
    /// The piece at hand, with what is kept free before it and bytes that mean nothing behind it.
    bytes: Vec<u8>,
    /// Where it ends.
    end: usize,
}

impl Default for Body {
    fn default() -> Body {
        Body { full: Vec::new(), before: 0, bytes: vec![0; HEAD], end: HEAD }
    }
}

impl Body {
    /// Return the bytes of the entries.
    pub fn len(&self) -> usize {
        self.before + self.end - HEAD
    }

    /// Take back what was written behind the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        while len < self.before
            && let Some(piece) = self.full.pop()
        {
            self.before -= piece.len();
            self.bytes = piece.into_bytes();
            self.end = self.bytes.len();
        }
        self.end = self.end.min(HEAD + len - self.before);
    }

    /// Return the piece at hand. Entries of one line that follow each other are in one if it was empty before.
    pub fn piece(&self) -> &[u8] {
        &self.bytes[HEAD..self.end]
    }

    /// Append other entries without a copy of them.
    pub fn append(&mut self, other: Body) {
        self.seal();
        self.before += other.before;
        self.full.extend(other.full);
        (self.bytes, self.end) = (other.bytes, other.end);
    }

    /// Return the entries with what comes before and after them, in the memory in which they were written.
    pub fn into_document(mut self, header: &str, footer: &str) -> Vec<Piece> {
        self.push_str(footer);
        self.seal();
        if let Some(first) = self.full.first_mut() {
            first.prepend(header.as_bytes());
        }
        self.full
    }

    /// Put the piece at hand to those before it.
    fn seal(&mut self) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.truncate(self.end);
        self.before += self.end - HEAD;
        self.full.push(Piece::new(bytes, HEAD));
        self.end = HEAD;
    }

    pub fn push_str(&mut self, text: &str) {
        if self.bytes.len() < self.end + text.len() {
            self.grow(text.len());
        }
        let end = self.end + text.len();
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

    /// Have so many bytes behind the entries, in this piece or in the next one.
    #[cold]
    fn grow(&mut self, needed: usize) {
        if self.end > HEAD && self.end + needed > PIECE {
            self.seal();
            self.bytes = Vec::with_capacity(PIECE.max(HEAD + needed));
        }
        // Little more than is needed, so that the cache still has it when it is written to.
        let end = self.end + needed;
        self.bytes.resize(end.max(PIECE.min(end + CLEARED)), 0);
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
    use crate::tests::Numbers;
    use crate::write::layout::{NamespacesUsed, footer, header};

    #[test]
    fn the_longest_beginning_fits() {
        let (kind, mut body) = (Kind::Sitemapindex, Body::default());
        body.push_str("<sitemap/>");
        assert_eq!((body.len(), body.piece()), (10, &b"<sitemap/>"[..]));
        let (header, footer) = (header(kind, NamespacesUsed(u8::MAX), None), footer(kind));
        let document = body.into_document(&header, footer);
        assert_eq!(document.concat(), format!("{header}<sitemap/>{footer}").as_bytes());
    }

    #[test]
    fn pieces_are_one_text() {
        for seed in 1..200 {
            let mut numbers = Numbers(seed);
            let (mut bodies, mut texts) = ([Body::default(), Body::default()], [String::new(), String::new()]);
            for _ in 0..numbers.below(60) {
                let (at, most) = (numbers.below(2) as usize, [10, 1_000, 2 * PIECE as u64][numbers.below(3) as usize]);
                let (body, text, count) = (&mut bodies[at], &mut texts[at], numbers.below(most) as usize);
                match numbers.below(4) {
                    0 => {
                        text.truncate(text.len().saturating_sub(count));
                        body.truncate(text.len());
                    }
                    1 => {
                        let line = "room".repeat(count.min(ROOM / 4));
                        body.room()[..line.len()].copy_from_slice(line.as_bytes());
                        body.keep(line.len());
                        text.push_str(&line);
                    }
                    _ => {
                        let line: String = ('a'..='z').cycle().take(count).collect();
                        body.push_str(&line);
                        text.push_str(&line);
                    }
                }
                assert_eq!(body.len(), text.len());
            }
            let [mut body, other] = bodies;
            body.append(other);
            assert_eq!(body.len(), texts.concat().len());
            let document = body.into_document("<", ">");
            assert!(document.concat() == format!("<{}>", texts.concat()).as_bytes(), "{seed}");
        }
    }

    #[test]
    fn texts_of_any_length_are_copied() {
        let text: Vec<u8> = (0..=u8::MAX).cycle().take(ROOM + 1).collect();
        for length in 0..=ROOM {
            let mut body = Body::default();
            let mut line = Line::new(body.room());
            assert_eq!(line.push_text(&text[..length]), Some(()));
            body.keep(length);
            assert_eq!(body.piece(), &text[..length]);
        }
        assert_eq!(Line::new(Body::default().room()).push_text(&text), None);
    }
}
