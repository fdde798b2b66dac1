use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(data: &[u8]) -> Vec<u8> {
    compress_to_vec(data, CompressionLevel::Fastest)
}

/// Uncompressed meta-blocks (RFC 7932, section 9.2) in a window of 64 KiB, and an empty last one.
fn brotli(data: &[u8]) -> Vec<u8> {
    if data.is_empty() {
        return vec![6];
    }
    let mut stream = Vec::new();
    for (at, block) in data.chunks(60_000).enumerate() {
        let shift = u32::from(at == 0);
        let header = (1 << 19 | (block.len() as u32 - 1) << 3) << shift;
        stream.extend_from_slice(&header.to_le_bytes()[..3]);
        stream.extend_from_slice(block);
    }
    stream.push(3);
    stream
}

fn with(bytes: &[u8], header: &str) -> Seen {
    read_with(bytes, header, Budget::DEFAULT)
}

/// A document long enough for several buffers and blocks, in which nothing repeats for long.
fn long() -> String {
    let mut seed = 1_u64;
    let text: String = (0..12_000)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("<url><loc>http://a.example/{:x}é</loc></url>\n", seed >> 20)
        })
        .collect();
    document("3").replace("</urlset>", &format!("{text}</urlset>"))
}

#[test]
fn every_coding() {
    let text = document("é");
    let data = text.as_bytes();
    assert_fine(&with(data, ""), "é");
    for (bytes, header) in [
        (gzip(data), ""),
        (zlib(data), ""),
        (zstd(data), ""),
        (brotli(data), "br"),
        (deflate(data), "deflate"),
        (zlib(data), "deflate"),
        (gzip(&zstd(&zlib(data))), ""),
        (zstd(&brotli(&gzip(data))), "gzip, br, zstd"),
        (brotli(&brotli(data)), "br, br"),
    ] {
        assert_fine(&with(&bytes, header), "é");
    }
}

#[test]
fn headers_are_not_believed_against_bytes() {
    let text = document("é");
    let data = text.as_bytes();
    for header in ["gzip", "br", "deflate", "zstd", "gzip, br, deflate", "identity"] {
        assert_fine(&with(data, header), "é");
        assert_fine(&with(&gzip(data), header), "é");
        assert_fine(&with(&zstd(data), header), "é");
        assert_fine(&with(&zlib(data), header), "é");
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(with(&utf16, header).locs, locs("é"));
    }
    // What fails before it gives anything is taken as it is, whether or not it is text.
    let binary = [b"\x01\x02<odd>".as_slice(), data].concat();
    assert_eq!(with(&binary, "br"), with(&binary, ""));
    assert_eq!(with(b"x\x9c marks the spot", ""), with(b"x\x9c marks the spot", "zstd"));
    assert_eq!(with(b"", "br").fault.unwrap().3, "it is empty");
    assert_eq!(with(&brotli(b""), "br").fault.unwrap().3, "it is empty");
}

#[test]
fn long_documents_in_every_coding() {
    let text = long();
    let data = text.as_bytes();
    let whole = read_pieces(std::iter::once(data), "", Budget::DEFAULT);
    assert_eq!((whole.locs.len(), &whole.fault), (12_003, &None));
    for (bytes, header) in
        [(gzip(data), ""), (zlib(data), ""), (zstd(data), ""), (brotli(data), "br"), (deflate(data), "deflate")]
    {
        assert!(with(&bytes, header) == whole, "{header}");
    }
}

#[test]
fn streams_after_each_other() {
    let text = document("é");
    let (start, end) = text.as_bytes().split_at(text.find('é').unwrap() + 1);
    let skippable = b"\x5a\x2a\x4d\x18\x05\0\0\0hello";
    let nothing = b"\x50\x2a\x4d\x18\0\0\0\0";
    for bytes in [
        [gzip(b""), gzip(start), gzip(b""), gzip(end)].concat(),
        [gzip(start), vec![0; 512], gzip(end), vec![0; 1024]].concat(),
        [zstd(start), zstd(end)].concat(),
        [skippable.to_vec(), zstd(start), nothing.to_vec(), zstd(b""), zstd(end), skippable.to_vec()].concat(),
    ] {
        assert_fine(&with(&bytes, ""), "é");
    }
}

#[test]
fn what_follows_the_last_stream() {
    let text = document("é");
    let data = text.as_bytes();
    for (bytes, header, name) in [
        (gzip(data), "", "gzip"),
        (zstd(data), "", "zstd"),
        (zlib(data), "", "zlib"),
        (brotli(data), "br", "brotli"),
        (deflate(data), "deflate", "deflate"),
    ] {
        assert_fine(&with(&[bytes.as_slice(), &[0; 100]].concat(), header), "é");
        for junk in [b"<!-- cached -->".as_slice(), b"\0\0\0junk", b"\x1f\x1f", b"\x28\xb5\x28"] {
            let seen = with(&[bytes.as_slice(), junk].concat(), header);
            assert_eq!((&seen.locs, &seen.fault, seen.is_recovered), (&locs("é"), &None, true), "{name}");
            let message = format!("bytes after the end of the {name} data");
            assert_eq!(seen.findings, [("XML001", 6, 1, message)]);
        }
    }
    let inner = gzip(&[gzip(data).as_slice(), b"junk"].concat());
    assert_eq!(with(&inner, "").codes(), [("XML001", 6, 1)]);
}

#[test]
fn cut_anywhere_gives_what_came_before() {
    let text = document("é");
    let data = text.as_bytes();
    for (bytes, header) in [
        (gzip(data), ""),
        (zstd(data), ""),
        (zlib(data), ""),
        (gzip(&zstd(data)), ""),
        (brotli(data), "br"),
        (gzip(&gzip(data)), ""),
    ] {
        for cut in 10..bytes.len() {
            let seen = with(&bytes[..cut], header);
            let (kind, .., message) = seen.fault.unwrap();
            assert!(kind == FaultKind::Truncated && message.ends_with("data is cut off"), "{header} {cut} {message}");
            // No letter of which half came is called wrong, and no entry is half.
            assert_eq!((&seen.findings, seen.is_recovered), (&vec![], false), "{header} {cut}");
            assert!(locs("é").starts_with(&seen.locs));
        }
    }
}

#[test]
fn a_cut_loses_little_of_a_long_document() {
    let text = long();
    let data = text.as_bytes();
    for (bytes, header) in [(gzip(data), ""), (zstd(data), ""), (brotli(data), "br"), (gzip(&zstd(data)), "")] {
        // A block of zstd is 128 KiB, and there is nothing of it before it is whole.
        let seen = with(&bytes[..bytes.len() - 10], header);
        assert!(seen.locs.len() > 8_000, "{}", seen.locs.len());
    }
}

#[test]
fn broken_data() {
    let text = long();
    let data = text.as_bytes();
    for (mut bytes, header, name) in [
        (gzip(data), "", "gzip"),
        (zlib(data), "", "zlib"),
        (zstd(data), "", "zstd"),
        (gzip(&zstd(data)), "", "gzip"),
        (zstd(&gzip(data)), "", "zstd"),
    ] {
        // The checksum.
        let last = bytes.len() - 5;
        bytes[last + 2] ^= 1;
        let seen = read_pieces(std::iter::once(bytes.as_slice()), header, Budget::DEFAULT);
        let (kind, .., message) = seen.fault.as_ref().unwrap();
        assert!(message.starts_with(&format!("the {name} data is corrupt")), "{message}");
        assert_eq!((*kind, seen.locs.len()), (FaultKind::Malformed, 12_003), "{name}");
        // Anything in the middle.
        for at in 1..14 {
            let mut bytes = bytes.clone();
            let offset = bytes.len() * at / 14;
            bytes[offset] ^= 0x55;
            let whole = read_pieces(std::iter::once(bytes.as_slice()), header, Budget::DEFAULT);
            let cut = read_pieces(Cuts { rest: &bytes, most: 20_000, seed: at as u64 }, header, Budget::DEFAULT);
            assert!(whole == cut, "{name} at {offset}: {:?} {:?}", whole.fault, cut.fault);
            assert!(whole.fault.is_some());
            let (head, rest) = bytes.split_at(offset / 2);
            let overlapped = read_overlapped([head, rest].into_iter(), header, Budget::DEFAULT);
            assert!(whole == overlapped, "{name} at {offset}: {:?} {:?}", whole.fault, overlapped.fault);
        }
    }
}

#[test]
fn broken_brotli_after_output() {
    let text = document("é");
    let mut bytes = brotli(text.as_bytes());
    *bytes.last_mut().unwrap() = 0x1c;
    bytes.extend_from_slice(&[0xff; 40]);
    let seen = with(&bytes, "br");
    let (kind, .., message) = seen.fault.unwrap();
    assert_eq!((kind, message.as_str()), (FaultKind::Malformed, "the brotli data is corrupt"));
    assert_eq!(seen.locs, locs("é"));
}

/// What is wrong with the text comes before what is wrong with its compression further on, whichever thread was faster.
#[test]
fn an_error_of_the_text_comes_first_on_two_threads_too() {
    let mut bytes = gzip(long().as_bytes());
    let damaged = bytes.len() * 9 / 10;
    bytes[damaged] ^= 0x55;
    for (budget, kind) in [
        (Budget { decoded_bytes: 300_000, ..Budget::DEFAULT }, FaultKind::Limit),
        (Budget { entries: 5_000, ..Budget::DEFAULT }, FaultKind::Limit),
        (Budget::DEFAULT, FaultKind::Malformed),
    ] {
        let whole = read_pieces(std::iter::once(bytes.as_slice()), "", budget);
        assert_eq!(whole.fault.as_ref().map(|fault| fault.0), Some(kind), "{budget:?}");
        let (head, rest) = bytes.split_at(1_000);
        for _ in 0..20 {
            assert!(whole == read_overlapped([head, rest].into_iter(), "", budget), "{budget:?}");
        }
    }
}
