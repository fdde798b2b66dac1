//! The traits of the characters of a loc, one bit each.

use wide::i8x16;

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

/// Whether a loc has no traits from `path` on, as no byte before it has one but `NO_HOST`. It is false for some
/// locs of which that is true, but for few: the processor looks at 16 bytes at once, with comparisons that a few more
/// characters fail.
#[inline(always)]
pub fn are_plainly_none(loc: &[u8], path: usize) -> bool {
    are_plainly::<0>(loc, path)
}

/// Return the traits of a loc from `path` on, for which [`are_plainly_none`] is false.
#[inline(never)]
pub fn of_rest(loc: &[u8], path: usize) -> u8 {
    // Nearly all that have one are in another script, or else would have been plain.
    if are_plainly::<NON_ASCII>(loc, path) { NON_ASCII } else { of_path(&loc[path..]) }
}

/// The same as [`are_plainly_none`], but for this trait, which is `NON_ASCII` or none.
#[inline(always)]
fn are_plainly<const TRAIT: u8>(loc: &[u8], path: usize) -> bool {
    // Each 16 bytes are compared with those that begin one byte before, too: a dot behind a slash may begin a dot segment.
    if let Some(window) = loc.last_chunk::<{ USUAL + 1 }>()
        && loc.len() - path <= USUAL
        // One by one: a loop of three would be one.
        && let ([first, second, third], []) = window[1..].as_chunks::<16>()
        && let ([before_first, before_second, before_third], _) = window.as_chunks::<16>()
    {
        return (odd_of::<TRAIT>(before_first, first)
            | odd_of::<TRAIT>(before_second, second)
            | odd_of::<TRAIT>(before_third, third))
        .none();
    }
    if let (Some(window), Some(before)) = (loc.last_chunk::<17>(), path.checked_sub(1))
        && let (Some(before_last), Some(last)) = (window.first_chunk::<16>(), window.last_chunk::<16>())
    {
        let mut odd = odd_of::<TRAIT>(before_last, last);
        for (before, sixteen) in loc[before..].as_chunks::<16>().0.iter().zip(loc[path..].as_chunks::<16>().0) {
            odd |= odd_of::<TRAIT>(before, sixteen);
        }
        return odd.none();
    }
    of_path(&loc[path..]) | TRAIT == TRAIT
}

/// Paths of no more bytes are looked at without a loop, whose end the processor would guess wrong: as many bytes of the
/// loc, some of which stand before the path.
pub const USUAL: usize = 48;

/// A mask of the bytes that may have a trait but `NO_HOST` and this one, or may begin a dot segment. `before` is one byte
/// before them.
#[inline(always)]
fn odd_of<const TRAIT: u8>(before: &[u8; 16], sixteen: &[u8; 16]) -> i8x16 {
    let bytes = i8x16::new(sixteen.map(|byte| byte as i8));
    let before = i8x16::new(before.map(|byte| byte as i8));
    let all = |byte: u8| i8x16::splat(byte as i8);
    let no_capital = bytes & all(!0x20);
    // Controls, blanks, `!"#$%&'` and what is not ASCII, which is negative; `<` and `>`; `@` and the backtick; `[\]^{|}~`
    // and 0x7f; a dot behind a slash.
    let mut low = bytes.simd_lt(all(0x28));
    if TRAIT == NON_ASCII {
        low &= !bytes.simd_lt(all(0));
    }
    low | (bytes & all(!2)).simd_eq(all(b'<'))
        | no_capital.simd_eq(all(b'@'))
        | (no_capital.simd_gt(all(b'Z')) & !bytes.simd_eq(all(b'_')))
        | (bytes.simd_eq(all(b'.')) & before.simd_eq(all(b'/')))
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
