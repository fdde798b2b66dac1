//! Percent-encoding of locs. Source: RFC 3986, section 2.1; RFC 3987, section 3.1.

use wide::u8x16;

/// Appends a path or a query in ASCII, with each escape in upper case and only where it is needed. A `%` that begins no escape
/// is one itself, `%25`.
pub fn push_encoded(text: &str, out: &mut String) {
    if memchr::memchr(b'%', text.as_bytes()).is_none() {
        return push_ascii(text, out);
    }
    let mut pieces = text.split('%');
    push_ascii(pieces.next().unwrap_or_default(), out);
    for piece in pieces {
        // A number can have a sign, and an escape cannot.
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') => {
                out.push(char::from(byte));
                push_ascii(&piece[2..], out);
            }
            Some(_) => {
                out.push('%');
                out.push_str(&piece[..2].to_ascii_uppercase());
                push_ascii(&piece[2..], out);
            }
            None => {
                out.push_str("%25");
                push_ascii(piece, out);
            }
        }
    }
}

fn push_ascii(text: &str, out: &mut String) {
    // As nearly all are.
    if text.is_ascii() {
        return out.push_str(text);
    }
    let mut escaped = [0; room_for(BLOCK)];
    for block in text.as_bytes().chunks(BLOCK) {
        let length = escape(block, &mut escaped);
        out.push_str(str::from_utf8(&escaped[..length]).expect("escapes are ASCII"));
    }
}

/// Bytes of a text that are escaped at once.
const BLOCK: usize = 64;

/// Each byte of a text in UTF-8 as it stands in ASCII, and of how many bytes that is.
const ESCAPES: [[u8; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte {
            0x80.. => [b'%', DIGITS[byte >> 4], DIGITS[byte & 15], 3],
            _ => [byte as u8, 0, 0, 1],
        };
        byte += 1;
    }
    table
};
/// Of each of eight bytes.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
/// What each of these digits is worth, and of any other byte no digit's worth.
const VALUES: [u8; 256] = {
    let mut table = [16; 256];
    let mut value = 0;
    while value < 16 {
        table[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    table
};

/// The room that [`escape`] needs for a text of so many bytes.
pub(super) const fn room_for(bytes: usize) -> usize {
    // What is not ASCII gets three times as long, and whole eights and fours are written.
    3 * bytes + 8
}

/// Writes a text with each character beyond ASCII as percent escapes, and returns how many bytes that takes. What stands
/// behind them is changed, too.
pub(super) fn escape(text: &[u8], out: &mut [u8]) -> usize {
    let (eights, rest) = text.as_chunks::<8>();
    let mut at = 0;
    for eight in eights {
        if eight.is_ascii() {
            out[at..at + 8].copy_from_slice(eight);
            at += 8;
        } else {
            at = escape_each(eight, out, at);
        }
    }
    let Some(last) = text.last_chunk::<8>() else { return escape_each(rest, out, at) };
    // What is left, with nothing behind it.
    let eight = (u64::from_le_bytes(*last) as u128 >> (64 - 8 * rest.len())) as u64;
    if eight & HIGH_BITS != 0 {
        return escape_each(rest, out, at);
    }
    out[at..at + 8].copy_from_slice(&eight.to_le_bytes());
    at + rest.len()
}

/// The same from `at` on, byte by byte: how many each of them takes decides nothing that the processor would have to guess.
#[inline(always)]
fn escape_each(text: &[u8], out: &mut [u8], mut at: usize) -> usize {
    for byte in text {
        let escape = ESCAPES[usize::from(*byte)];
        out[at..at + 4].copy_from_slice(&escape);
        at += usize::from(escape[3]);
    }
    at
}

/// The room that [`unescape`] needs for a text of so many bytes.
pub(super) const fn room_without_escapes(bytes: usize) -> usize {
    // Whole sixteens are written.
    bytes + 16
}

/// Writes a path with escapes of bytes beyond ASCII as these bytes, and returns how many bytes that takes; None if there is
/// an escape that the normal form does not have. What stands behind them is changed, too.
pub(super) fn unescape(path: &[u8], out: &mut [u8]) -> Option<usize> {
    let (mut rest, mut at) = (path, 0);
    loop {
        let sixteen = rest.first_chunk().copied().unwrap_or_else(|| last_of(rest));
        out[at..at + 16].copy_from_slice(&sixteen);
        let escapes = u8x16::new(sixteen).simd_eq(u8x16::splat(b'%')).to_bitmask();
        let length = ((escapes | 1 << 16).trailing_zeros() as usize).min(rest.len());
        (rest, at) = (&rest[length..], at + length);
        // They come in rows, because no character beyond ASCII has just one.
        while let [b'%', high, low, others @ ..] = rest {
            match normal_escape(*high, *low)? {
                byte @ 0x80.. => (out[at], at) = (byte, at + 1),
                _ => {
                    out[at..at + 3].copy_from_slice(&rest[..3]);
                    at += 3;
                }
            }
            rest = others;
        }
        match rest.first() {
            None => return Some(at),
            Some(b'%') => return None,
            Some(_) => {}
        }
    }
}

/// Fewer than sixteen bytes, and zeros.
#[inline(always)]
fn last_of(rest: &[u8]) -> [u8; 16] {
    let mut sixteen = [0; 16];
    sixteen[..rest.len()].copy_from_slice(rest);
    sixteen
}

/// The byte that an escape with these digits stands for, if the normal form has it: they are capital letters, and the byte
/// needs to be escaped.
#[inline(always)]
pub fn normal_escape(high: u8, low: u8) -> Option<u8> {
    let [high, low] = [high, low].map(|digit| VALUES[usize::from(digit)]);
    let byte = high << 4 | low;
    let is_needed = byte >= 0x80 || !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~'));
    ((high | low) < 16 && is_needed).then_some(byte)
}

/// Appends the percent escapes of a character, in UTF-8.
pub fn push_escaped(character: char, out: &mut String) {
    // By hand: formatting a byte takes ten times as long.
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        out.push('%');
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// Return the offset of the first `%` from `from` on that does not begin an escape.
pub fn bad_escape(loc: &str, from: usize) -> Option<usize> {
    let is_digit = |at: usize| loc.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    memchr::memchr_iter(b'%', &loc.as_bytes()[from..])
        .map(|at| from + at)
        .find(|at| !(is_digit(at + 1) && is_digit(at + 2)))
}
