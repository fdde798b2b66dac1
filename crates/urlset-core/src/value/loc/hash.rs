//! Hashes of locs, by which the locs of one document are compared. They are stored nowhere.
//!
//! What is hashed is the normal form in its shortest spelling: what is not ASCII stands in it as it is, and not as escapes.
//! So most IRIs are hashed as they are written.
//!
//! They begin with a seed that changes from document to document. Else somebody could write a document whose locs all have
//! hashes with the same lower bits, which would be looked for in one list.

use std::hash::{BuildHasher, RandomState};

use super::escapes::{room_without_escapes, unescape};
use super::traits::USUAL;

/// Those of wyhash. None of them is text in UTF-8, so that no text can make a product zero.
const KEYS: [u64; 3] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3];

/// A number that nobody can foresee.
pub fn seed() -> u64 {
    RandomState::new().hash_one(())
}

/// Where the path of a loc begins: the slash after a host is the first one behind `http://` or `https://`, and an `h`.
pub fn path_of(loc: &[u8]) -> Option<usize> {
    Some(8 + memchr::memchr(b'/', loc.get(8..)?)?)
}

/// The hash of a loc in its normal form.
pub fn hash(seed: u64, normal: &str) -> u64 {
    let (origin, path) = hash_of_origin(seed, normal);
    let hash = match memchr::memchr(b'%', &normal.as_bytes()[path..]) {
        Some(_) => hash_of_escaped(origin, normal.as_bytes(), path, &mut Vec::new()),
        None => None,
    };
    hash.unwrap_or_else(|| hash_behind(origin, normal.as_bytes(), path))
}

/// The hash of a loc that has no normal form.
pub fn hash_as_written(seed: u64, loc: &str) -> u64 {
    let (origin, path) = hash_of_origin(seed, loc);
    hash_behind(origin, loc.as_bytes(), path)
}

/// The hash of what is before the path of a loc, and where that begins.
fn hash_of_origin(seed: u64, loc: &str) -> (u64, usize) {
    let path = path_of(loc.as_bytes()).unwrap_or(loc.len());
    (hash_of(seed, &loc.as_bytes()[..path]), path)
}

/// The hash of a loc with escapes behind a plain origin, if these are all as in the normal form. What else is in the path is
/// as it is there, or not ASCII. There is `room` for its shortest spelling.
pub fn hash_of_escaped(origin: u64, loc: &[u8], path: usize, room: &mut Vec<u8>) -> Option<u64> {
    let needed = room_without_escapes(loc.len());
    if room.len() < needed {
        room.resize(needed, 0);
    }
    room[..path].copy_from_slice(&loc[..path]);
    let length = unescape(&loc[path..], &mut room[path..])?;
    Some(hash_behind(origin, &room[..path + length], path))
}

/// The hash of a loc in its shortest spelling of which a path begins at `path`; that of all that is before it is `origin`.
#[inline(always)]
pub fn hash_behind(origin: u64, loc: &[u8], path: usize) -> u64 {
    let length = loc.len() - path;
    let mixed = match loc.last_chunk::<USUAL>() {
        // What stands before the path is taken twice, which does no harm and needs no loop.
        Some(usual) if length <= USUAL => mix_all(origin, usual),
        _ => mix_any(origin, &loc[path..]),
    };
    folded(mixed ^ KEYS[1], length as u64 ^ KEYS[2])
}

/// The hash of what stands before a path.
pub fn hash_of(seed: u64, bytes: &[u8]) -> u64 {
    folded(mix_any(seed, bytes) ^ KEYS[1], bytes.len() as u64 ^ KEYS[2])
}

/// Mixes whole sixteens into a hash.
#[inline(always)]
fn mix_all(mut hash: u64, bytes: &[u8]) -> u64 {
    for sixteen in bytes.as_chunks::<16>().0 {
        hash = mix(hash, sixteen);
    }
    hash
}

/// Mixes any number of bytes into a hash.
fn mix_any(hash: u64, bytes: &[u8]) -> u64 {
    let hash = mix_all(hash, bytes);
    let rest = bytes.as_chunks::<16>().1;
    let mut sixteen = [0; 16];
    sixteen[..rest.len()].copy_from_slice(rest);
    mix(hash, &sixteen)
}

/// The step of wyhash, which Wang Yi has put in the public domain: two halves are multiplied, and the halves of the product united.
#[inline(always)]
fn mix(hash: u64, sixteen: &[u8; 16]) -> u64 {
    let text = u128::from_le_bytes(*sixteen);
    folded(text as u64 ^ KEYS[0], (text >> 64) as u64 ^ hash)
}

#[inline(always)]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}
