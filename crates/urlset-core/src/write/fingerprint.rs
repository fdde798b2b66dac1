//! Hashes of rows, as they are given and as they are rendered, and the fingerprint of all of them.

use std::hash::{Hash, Hasher};

use twox_hash::XxHash3_64;

use super::row::Row;

/// Return the hash of a text.
pub fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

/// Combine two hashes; their order counts.
pub fn mixed(one: u64, other: u64) -> u64 {
    (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Return the hash of all that a row of a table says, before anything is made of it. Such a row has neither a kind nor a
/// fault.
pub fn given(row: &Row<'_>) -> u64 {
    let Row { kind: _, loc, lastmod, changefreq, priority, images, videos, alternates, news, extras, fault: _ } = row;
    let mut state = Mixed(0);
    (loc, lastmod, changefreq, priority).hash(&mut state);
    (images, videos, alternates, news, extras).hash(&mut state);
    state.finish()
}

/// Mixes the hashes of texts with numbers. A text is hashed at once, which for one of usual length takes a fraction of what
/// the state of a hash that takes any pieces costs.
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = mixed(self.0, XxHash3_64::oneshot(bytes));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_i32(&mut self, number: i32) {
        self.write_u64(number as u64);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mixed(self.0, number);
    }

    /// Each bit depends on all others, so that rows that exchange a number have another sum. Source: MurmurHash3's last step.
    fn finish(&self) -> u64 {
        let mut state = self.0;
        for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
            state = (state ^ state >> 33).wrapping_mul(factor);
        }
        state ^ state >> 33
    }
}

/// Recognises the same rows in any order: sums of two hashes of each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fingerprint {
    pub rows: u64,
    pub sums: [u64; 2],
}

impl Fingerprint {
    /// Add the hash of a row.
    pub fn add(&mut self, hash: u64) {
        self.rows += 1;
        self.sums[0] = self.sums[0].wrapping_add(hash);
        // A second hash of the same bits: a coincidence in one sum is not one in the other.
        let other = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sums[1] = self.sums[1].wrapping_add(other ^ other >> 29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Video;
    use crate::write::row::{Alternate, Image, Lastmod, Priority};

    #[test]
    fn the_hash_of_a_given_row_depends_on_all_that_it_says() {
        let row = Row { loc: "/a", extras: vec![None, None], ..Row::default() };
        let texts = |index: usize| std::array::from_fn(|at| (at == index).then_some("x"));
        let rows = [
            row.clone(),
            Row { loc: "/b", ..row.clone() },
            Row { lastmod: Some(Lastmod::Text("x")), ..row.clone() },
            Row { changefreq: Some("x"), ..row.clone() },
            Row { changefreq: Some(""), ..row.clone() },
            Row { priority: Some(Priority::Text("x")), ..row.clone() },
            Row { priority: Some(Priority::Number(0.5)), ..row.clone() },
            Row { priority: Some(Priority::Number(0.25)), ..row.clone() },
            Row { lastmod: Some(Lastmod::Instant(1)), ..row.clone() },
            Row { lastmod: Some(Lastmod::Local(1)), ..row.clone() },
            Row { lastmod: Some(Lastmod::Day(1)), ..row.clone() },
            Row { images: vec![Image::default()], ..row.clone() },
            Row { images: vec![Image { loc: "x", ..Image::default() }], ..row.clone() },
            Row { images: vec![Image { title: Some("x"), ..Image::default() }], ..row.clone() },
            Row { videos: vec![Video::default()], ..row.clone() },
            Row { videos: vec![Video { texts: texts(3), ..Video::default() }], ..row.clone() },
            Row { videos: vec![Video { tags: vec![[Some("x")]], ..Video::default() }], ..row.clone() },
            Row { alternates: vec![Alternate { href: "x", ..Alternate::default() }], ..row.clone() },
            Row { news: Some([None; 8]), ..row.clone() },
            Row { news: Some([Some("x"); 8]), ..row.clone() },
            Row { extras: vec![Some("x"), None], ..row.clone() },
            Row { extras: vec![None, Some("x")], ..row.clone() },
        ];
        let hashes: std::collections::HashSet<u64> = rows.iter().map(given).collect();
        assert_eq!(hashes.len(), rows.len());
        assert_eq!(given(&row.clone()), given(&row));
    }

    #[test]
    fn rows_that_exchange_their_lastmods_are_others() {
        let of = |lastmods: [i64; 2]| {
            let mut fingerprint = Fingerprint::default();
            for (loc, lastmod) in ["/a", "/b"].into_iter().zip(lastmods) {
                fingerprint.add(given(&Row { loc, lastmod: Some(Lastmod::Instant(lastmod)), ..Row::default() }));
            }
            fingerprint
        };
        for bit in 0..63 {
            let ([one, other], moved) = ([of([0, 1 << bit]), of([1 << bit, 0])], of([0, 0]));
            assert!(one.sums[0] != other.sums[0] && one.sums[1] != other.sums[1] && one != moved, "{bit}");
        }
    }
}
