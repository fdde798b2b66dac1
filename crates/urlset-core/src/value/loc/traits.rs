//! The traits of the characters of a loc, one bit each.

use wide::{i8x16, u8x16};

/// A control character or a blank.
pub const BLANK: u8 = 1;
pub const PERCENT: u8 = 2;
/// A character that RFC 3986 does not allow, although nobody misreads it: `"<>{}|\^` and the backtick.
pub const ILLEGAL: u8 = 4;
pub const NON_ASCII: u8 = 8;
pub const FRAGMENT: u8 = 16;
/// `@`, which may end user information.
pub const AT: u8 = 32;
pub const AMPERSAND: u8 = 64;
/// A capital letter, or anything else that the name of a plain host must not have.
pub const NO_HOST: u8 = 128;
/// Of a path, where no name of a host matters: the URL Standard may write it in another way than by escapes alone. It may have
/// dot segments, or an apostrophe, which is encoded in a query.
pub const REWRITTEN: u8 = NO_HOST;

const OF_BYTE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            ..=b' ' | 0x7f => BLANK | NO_HOST,
            b'%' => PERCENT | NO_HOST,
            b'"' | b'<' | b'>' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'`' => ILLEGAL | NO_HOST,
            0x80.. => NON_ASCII | NO_HOST,
            b'#' => FRAGMENT | NO_HOST,
            b'@' => AT | NO_HOST,
            b'&' => AMPERSAND | NO_HOST,
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' => 0,
            _ => NO_HOST,
        };
        byte += 1;
    }
    table
};

/// Return the traits of a loc from `path` on, if it has no other than `NON_ASCII` there, and no byte before `path` has one
/// but `NO_HOST`. It is None for some locs of which that is true as well, but for few: the processor looks at 16 bytes at
/// once, with comparisons that a few more characters fail.
#[inline(always)]
pub fn at_once(loc: &[u8], path: usize) -> Option<u8> {
    // Each 16 bytes are compared with those that begin one byte before, too: a dot behind a slash may begin a dot segment.
    if let Some(window) = loc.last_chunk::<{ USUAL + 1 }>()
        && loc.len() - path <= USUAL
        // One by one: a loop of three would be one.
        && let ([first, second, third], []) = window[1..].as_chunks::<16>()
        && let ([before_first, before_second, before_third], _) = window.as_chunks::<16>()
    {
        let [first, second, third] =
            [Look::at(before_first, first), Look::at(before_second, second), Look::at(before_third, third)];
        return first.and(second).and(third).bits();
    }
    let Some(mut look) = Look::at_last(loc, path) else { return Some(of_path(&loc[path..])) };
    for (before, sixteen) in loc[path - 1..].as_chunks::<16>().0.iter().zip(loc[path..].as_chunks::<16>().0) {
        look = look.and(Look::at(before, sixteen));
    }
    look.bits()
}

/// Return the traits of a loc from `path` on, for which [`at_once`] is None.
#[inline(never)]
pub fn of_rest(loc: &[u8], path: usize) -> u8 {
    let Some(look) = Look::at_last(loc, path) else { return of_path(&loc[path..]) };
    // Nearly all have escapes or several parameters, and nothing else.
    let (mut look, mut escapes) = look.past_escapes();
    for (before, sixteen) in loc[path - 1..].as_chunks::<16>().0.iter().zip(loc[path..].as_chunks::<16>().0) {
        let (next, more) = Look::at(before, sixteen).past_escapes();
        (look, escapes) = (look.and(next), [escapes[0] | more[0], escapes[1] | more[1]]);
    }
    let Some(bits) = look.bits() else { return of_path(&loc[path..]) };
    let bit = |mask: u8x16, bit: u8| if mask.any() { bit } else { 0 };
    bits | bit(escapes[0], PERCENT) | bit(escapes[1], AMPERSAND)
}

/// Paths of no more bytes are looked at without a loop, whose end the processor would guess wrong: as many bytes of the
/// loc, some of which stand before the path.
pub const USUAL: usize = 48;

/// What 16 bytes show, or several times 16.
#[derive(Clone, Copy)]
struct Look {
    /// The least byte at each of the places. Controls, blanks and `!"#$%&'` are less than all others.
    least: u8x16,
    /// Negative where one is not ASCII.
    signs: i8x16,
    /// A mask of the bytes that are more, but have a trait or may begin a dot segment.
    odd: i8x16,
}

impl Look {
    /// `before` is one byte before the others.
    #[inline(always)]
    fn at(before: &[u8; 16], sixteen: &[u8; 16]) -> Look {
        let bytes = i8x16::new(sixteen.map(|byte| byte as i8));
        let before = i8x16::new(before.map(|byte| byte as i8));
        let all = |byte: u8| i8x16::splat(byte as i8);
        let no_capital = bytes & all(!0x20);
        // `<` and `>`; `@` and the backtick; `[\]^{|}~` and 0x7f; a dot behind a slash. What is not ASCII is negative.
        let odd = (bytes & all(!2)).simd_eq(all(b'<'))
            | no_capital.simd_eq(all(b'@'))
            | (no_capital.simd_gt(all(b'Z')) & !bytes.simd_eq(all(b'_')))
            | (bytes.simd_eq(all(b'.')) & before.simd_eq(all(b'/')));
        Look { least: u8x16::new(*sixteen), signs: bytes, odd }
    }

    /// At the last 16 bytes, if there are as many, and a byte before the path.
    #[inline(always)]
    fn at_last(loc: &[u8], path: usize) -> Option<Look> {
        let window = loc.last_chunk::<17>().filter(|_| path > 0)?;
        Some(Look::at(window.first_chunk()?, window.last_chunk()?))
    }

    #[inline(always)]
    fn and(self, other: Look) -> Look {
        Look { least: self.least.min(other.least), signs: self.signs | other.signs, odd: self.odd | other.odd }
    }

    /// The look at 16 bytes as if there were no `%` and no `&`, and where these are.
    #[inline(always)]
    fn past_escapes(self) -> (Look, [u8x16; 2]) {
        let escapes = [b'%', b'&'].map(|byte| self.least.simd_eq(u8x16::splat(byte)));
        (Look { least: self.least | escapes[0] | escapes[1], ..self }, escapes)
    }

    /// The traits, if there is no other than `NON_ASCII`.
    #[inline(always)]
    fn bits(self) -> Option<u8> {
        let low = self.least.min(u8x16::splat(0x27)).simd_eq(self.least);
        match (low.any() || self.odd.any(), self.signs.any()) {
            (false, false) => Some(0),
            (false, true) => Some(NON_ASCII),
            (true, _) => None,
        }
    }
}

/// Whether a segment of a path may begin with a dot. A search for both bytes together takes longer to begin than to end.
#[inline(always)]
pub fn begins_dotted(path: &[u8]) -> bool {
    memchr::memchr_iter(b'.', path).any(|at| at > 0 && path[at - 1] == b'/')
}

/// Return the traits of a path and of what follows it.
#[inline(always)]
pub fn of_path(path: &[u8]) -> u8 {
    let is_rewritten = memchr::memchr(b'\'', path).is_some() || begins_dotted(path);
    of(path) & !NO_HOST | if is_rewritten { REWRITTEN } else { 0 }
}

/// Return the traits of a text.
#[inline(always)]
pub fn of(bytes: &[u8]) -> u8 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let rest = rest.iter().fold(0, |bits, byte| bits | OF_BYTE[usize::from(*byte)]);
    eights.iter().fold(rest, |bits, eight| {
        let bit = |at: usize| OF_BYTE[usize::from(eight[at])];
        bits | ((bit(0) | bit(1)) | (bit(2) | bit(3))) | ((bit(4) | bit(5)) | (bit(6) | bit(7)))
    })
}
