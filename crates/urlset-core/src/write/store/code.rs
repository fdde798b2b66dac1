//! Offset-value codes: sorted keys are compared by one number each (T. Do and G. Graefe, "Robust and Efficient Sorting with
//! Offset-Value Coding", 2022, <https://arxiv.org/abs/2209.08420>).
//!
//! The key of a record is blocks of four bytes: its shard, and then its loc with zeros behind it. The code of a key says how it
//! differs from another one that is not greater: in which block first, and what it has there. Of two keys with codes relative
//! to the same third one, that with the lesser code is the lesser key, and the code of the other one is then relative to it as
//! well. So only keys with equal codes have to be looked at.

use super::row::Record;

/// Bytes of a block.
const BLOCK: usize = 4;

/// How a key differs from one that is not greater: the later, the lesser the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(u64);

impl Code {
    /// Greater than the code of any key.
    pub const END: Code = Code(u64::MAX);
    /// The code of the least key.
    pub const START: Code = Code(0);

    /// The code of a record, relative to a key that is not greater. `shared` is how many bytes their locs begin with alike, and
    /// `shard` is the shard of the other one.
    #[inline]
    pub fn of(record: Record<'_>, shard: u32, shared: usize) -> Code {
        if record.shard != shard {
            return Code::at(0, record.shard);
        }
        let block = shared / BLOCK;
        let bytes = record.loc.get(block * BLOCK..).unwrap_or_default();
        Code::at(block as u32 + 1, word(bytes))
    }

    /// How many bytes the locs of two keys begin with alike that have this code relative to the same key; less if a loc ends.
    pub fn shared(self) -> usize {
        (u32::MAX - 1 - (self.0 >> 32) as u32) as usize * BLOCK
    }

    /// No loc has as many bytes as there are numbers of blocks; see `MAX_RECORD_BYTES` in `run.rs`.
    fn at(block: u32, value: u32) -> Code {
        Code(u64::from(u32::MAX - 1 - block) << 32 | u64::from(value))
    }
}

/// Return the first four bytes as a number of the same order; zeros follow a shorter text.
#[inline]
fn word(bytes: &[u8]) -> u32 {
    match bytes.first_chunk::<BLOCK>() {
        Some(word) => u32::from_be_bytes(*word),
        None => bytes.iter().enumerate().fold(0, |word, (at, byte)| word | u32::from(*byte) << (24 - 8 * at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::shared;

    const KEYS: [(u32, &str); 12] = [
        (0, ""),
        (0, "a"),
        (0, "abcd"),
        (0, "abcde"),
        (0, "abcdef"),
        (0, "abcdefgh"),
        (0, "abcdefghi"),
        (0, "abce"),
        (0, "b"),
        (1, ""),
        (1, "a"),
        (u32::MAX, "a"),
    ];

    fn code(base: (u32, &str), key: (u32, &str)) -> Code {
        let record = Record { shard: key.0, loc: key.1.as_bytes(), rest: &[] };
        Code::of(record, base.0, shared(base.1.as_bytes(), record.loc))
    }

    #[test]
    fn codes_have_the_order_of_their_keys() {
        assert!(KEYS.is_sorted());
        for (at, base) in KEYS.into_iter().enumerate() {
            for (place, one) in KEYS.into_iter().enumerate().skip(at) {
                for other in &KEYS[place..] {
                    let (lesser, greater) = (code(base, one), code(base, *other));
                    assert!(lesser <= greater && greater < Code::END, "{base:?} {one:?} {other:?}");
                    if lesser != greater {
                        assert_eq!(greater, code(one, *other), "{base:?} {one:?} {other:?}");
                    } else if one.0 == other.0 {
                        let known = greater.shared().min(one.1.len()).min(other.1.len());
                        assert_eq!(one.1[..known], other.1[..known], "{base:?} {one:?} {other:?}");
                    }
                }
            }
        }
    }
}
