//! Bytes in the wrappers that a reader has to take off, with right checksums.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    urlset_core::write::gzip(bytes, 1)
}

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a Vec takes all")
}

pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a Vec takes all")
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// Brotli that stores: nobody here compresses with it. Source: RFC 7932, sections 9.1 and 9.2.
pub fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // Bits of the header that are not in `out` yet: a window of 64 KiB is one zero.
    let mut waiting = 1;
    for chunk in bytes.chunks(1 << 16) {
        // Not the last, a length of four nibbles, the length less one, not compressed.
        let block = (chunk.len() as u32 - 1) << 3 | 1 << 19;
        let bits = u32::to_le_bytes(block << waiting);
        out.extend_from_slice(&bits[..3]);
        out.extend_from_slice(chunk);
        waiting = 0;
    }
    // The last, and empty.
    out.push(0b11 << waiting);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{ROOMY, read_bytes};

    #[test]
    fn what_is_packed_unpacks() {
        for text in [String::new(), "https://e.com/1\n".to_owned(), "https://e.com/1\n".repeat(20_000)] {
            let plain = read_bytes([text.as_bytes()], "", ROOMY);
            let packed =
                [(gzip as fn(&[u8]) -> Vec<u8>, ""), (zlib, ""), (zstd, ""), (deflate, "deflate"), (brotli, "br")];
            for (pack, encoding) in packed {
                let bytes = pack(text.as_bytes());
                assert_eq!(plain, read_bytes([bytes.as_slice()], encoding, ROOMY));
            }
        }
    }
}
