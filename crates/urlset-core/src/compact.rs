//! Bytes that are written by this process and read by it alone, so their form has no version: numbers take as many bytes
//! as they need, and texts leave out what they share with the one before.

/// Bytes of the largest number, of which each holds seven bits.
const MAX_DIGITS: usize = 10;

/// Add a number, seven bits in a byte, the lowest first. The eighth bit says that more follow.
#[inline]
pub fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Take a number from the beginning of `bytes`; None if it does not end there.
#[inline]
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    match bytes.split_first() {
        // Most numbers are a byte.
        Some((&byte, rest)) if byte & 0x80 == 0 => {
            *bytes = rest;
            Some(byte.into())
        }
        _ => take_long_number(bytes),
    }
}

fn take_long_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(MAX_DIGITS).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

/// Return how many bytes two texts begin with alike.
#[inline]
pub fn shared(one: &[u8], other: &[u8]) -> usize {
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let whole = 8 * words.take_while(|(one, other)| one == other).count();
    whole + one[whole..].iter().zip(&other[whole..]).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, u64::MAX >> bit]);
        for number in numbers {
            let mut bytes = Vec::new();
            push_number(number, &mut bytes);
            for cut in 0..bytes.len() {
                assert_eq!(take_number(&mut &bytes[..cut]), None, "{number} of {cut} bytes");
            }
            bytes.push(0xff);
            let mut rest = &bytes[..];
            assert_eq!((take_number(&mut rest), rest), (Some(number), &[0xff][..]));
        }
        assert_eq!(take_number(&mut &[0xff; 20][..]), None);
    }

    #[test]
    fn texts_share_what_they_begin_with() {
        let text = "https://shop.example/tea";
        for length in 0..text.len() {
            let other = format!("{}~{text}", &text[..length]);
            assert_eq!(shared(text.as_bytes(), other.as_bytes()), length);
            assert_eq!(shared(&text.as_bytes()[..length], text.as_bytes()), length);
        }
    }
}
