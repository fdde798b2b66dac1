//! Sorting texts by eight bytes at a time.
//!
//! Locs of one site begin alike, and a comparison of two of them looks at memory in two places far apart. So the next eight
//! bytes of each are fetched once and compared as numbers, and only those that agree in them are looked at again.

use super::held::{FETCHED, HeldRecords};
use crate::compact::shared;

/// Eight bytes of a text as a number, and the place of that text.
type Key = (u64, u32);

/// Texts that are sorted by comparing whatever is left of them.
const MAX_COMPARED: usize = 16;
/// Bytes of a key.
const WIDTH: usize = 8;

/// Return the places of the rows in the order of their shards and of their locs' bytes; those of equal locs in the order of the
/// places.
///
/// No loc contains U+0000, which XML does not allow either.
pub fn sorted(rows: &HeldRecords) -> Vec<u32> {
    let (count, text) = (rows.len(), |place: u32| rows.loc(place as usize));
    let mut keys: Vec<Key> = (0..count).map(|place| (rows.shard(place).into(), place as u32)).collect();
    keys.sort_unstable();
    // The ranges that agree in what was looked at, and how far that was.
    let mut waiting = Vec::new();
    let mut at = 0;
    for shard in keys.chunk_by(|one, other| one.0 == other.0) {
        waiting.push((at, at + shard.len(), common_length(shard.iter().map(|key| text(key.1)))));
        at += shard.len();
    }
    while let Some((begin, end, depth)) = waiting.pop() {
        let range = &mut keys[begin..end];
        if range.len() <= MAX_COMPARED {
            range.sort_unstable_by(|one, other| {
                (tail(text(one.1), depth), one.1).cmp(&(tail(text(other.1), depth), other.1))
            });
            continue;
        }
        for keys in range.chunks_mut(FETCHED) {
            rows.fetch(keys.iter().map(|key| key.1));
            for key in keys {
                key.0 = word(tail(text(key.1), depth));
            }
        }
        range.sort_unstable();
        let mut at = begin;
        for alike in range.chunk_by(|one, other| one.0 == other.0) {
            // A text that has ended here has a zero in the last byte.
            if alike.len() > 1 && alike[0].0 & 0xff != 0 {
                waiting.push((at, at + alike.len(), depth + WIDTH));
            }
            at += alike.len();
        }
    }
    keys.into_iter().map(|(_, place)| place).collect()
}

/// Return how many bytes all texts begin with alike.
fn common_length<'t>(mut texts: impl Iterator<Item = &'t [u8]>) -> usize {
    let first = texts.next().unwrap_or_default();
    texts.fold(first.len(), |length, text| shared(&first[..length], text))
}

fn tail(text: &[u8], depth: usize) -> &[u8] {
    text.get(depth..).unwrap_or_default()
}

/// Return the first eight bytes as a number of the same order; zeros follow a shorter text.
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<WIDTH>() {
        Some(word) => u64::from_be_bytes(*word),
        None => bytes.iter().enumerate().fold(0, |word, (at, byte)| word | u64::from(*byte) << (56 - 8 * at)),
    }
}
