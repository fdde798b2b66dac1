//! Percent-encoding of locs. Source: RFC 3986, section 2.1; RFC 3987, section 3.1.

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
    let mut rest = text;
    while let Some(at) = first_beyond_ascii(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let mut characters = rest[at..].chars();
        while let Some(character) = characters.clone().next().filter(|character| !character.is_ascii()) {
            push_escaped(character, out);
            characters.next();
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

/// Where the first byte is that is not ASCII: eight are looked at at once, as most are.
fn first_beyond_ascii(bytes: &[u8]) -> Option<usize> {
    let eights = bytes.as_chunks::<8>().0;
    let passed = eights.iter().take_while(|eight| eight.is_ascii()).count() * 8;
    let at = bytes[passed..].iter().position(|byte| !byte.is_ascii())?;
    Some(passed + at)
}

/// Appends the percent escapes of a character, in UTF-8.
pub fn push_escaped(character: char, out: &mut String) {
    // By hand: formatting a byte takes ten times as long, and locs in other scripts consist of these.
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
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
