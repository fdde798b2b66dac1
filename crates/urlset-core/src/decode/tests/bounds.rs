use super::compression::{gzip, zlib, zstd};
use super::*;
use crate::read::namespace::CORE;

/// Whole and in small pieces: what unpacks to so much takes long to read.
fn read_bomb(bytes: &[u8], header: &str, budget: Budget) -> Seen {
    let whole = read_pieces(std::iter::once(bytes), header, budget);
    assert_eq!(whole, read_pieces(bytes.chunks(7), header, budget));
    let (head, rest) = bytes.split_at(bytes.len().min(100));
    assert_eq!(whole, read_overlapped([head, rest].into_iter(), header, budget), "on two threads");
    whole
}

/// An entry, and then so many MiB of nothing that a compressor makes nothing of.
fn bomb(mebibytes: usize) -> Vec<u8> {
    let nothing = format!("{}<!---->", " ".repeat(1 << 20)).repeat(mebibytes);
    document("é").replace("</urlset>", &format!("{nothing}</urlset>")).into_bytes()
}

/// 17 MiB of the same, as brotli packs it.
const BROTLI: &str = "cbffff3f009c05eede8ec854c35710dee217250f8882d90e69fb6d16f411775d366aa9245c86bcd5e5890b8f2d4f38b4187a\
    4cba0b24eeb2c092e1006d6ec3e1f46442b12947f1fe994691184a1dc533d79f1005875383f964edbb4ffed24980a9413e45\
    28e4052061350d1a658bb53e954b011f9841da3497c7bce9fe9fbfdcfb8703213ff7fe81dba5b6ff7a0500f0ffff0f7e0980\
    382c00d0bdffcbaf0008fc8ed4aacf1c5d2bbcf0d42939baf629639b53021d160084c87f40ae0d";

fn limit_of(seen: Seen) -> String {
    assert_eq!(seen.locs, locs("é"));
    let (kind, .., message) = seen.fault.unwrap();
    assert_eq!(kind, FaultKind::Limit, "{message}");
    message
}

#[test]
fn bombs() {
    let data = bomb(17);
    let brotli: Vec<u8> =
        (0..BROTLI.len()).step_by(2).map(|at| u8::from_str_radix(&BROTLI[at..at + 2], 16).unwrap()).collect();
    for (bytes, header, name) in [
        (gzip(&data), "", "gzip"),
        (zlib(&data), "", "zlib"),
        (zstd(&data), "", "zstd"),
        (brotli, "br", "brotli"),
        (gzip(&gzip(&data)), "", "gzip"),
        (zstd(&gzip(&data)), "", "gzip"),
    ] {
        assert!(bytes.len() * 500 < data.len(), "{name}: {}", bytes.len());
        let message = limit_of(read_bomb(&bytes, header, Budget::DEFAULT));
        assert_eq!(message, format!("the {name} data unpacks to more than 256 times its size"));
        let allowed = Budget { ratio: u64::MAX, decoded_bytes: 2_000_000, ..Budget::DEFAULT };
        let message = limit_of(read_bomb(&bytes, header, allowed));
        assert_eq!(message, format!("the {name} data holds more than 2000000 bytes"));
    }
}

#[test]
fn entries_without_a_loc_are_not_read_without_bound() {
    let (few, many) = ("<url><loc/></url>".repeat(100_000), "<url><loc/></url>".repeat(120_000));
    for (inner, is_over) in [(few, false), (many, true)] {
        let data = document("é").replace("</urlset>", &format!("{inner}</urlset>")).into_bytes();
        let seen = read_pieces(gzip(&data).chunks(777), "", Budget::DEFAULT);
        assert_eq!(seen.locs.len(), 100_003);
        let message = seen.fault.map(|(kind, .., message)| (kind, message));
        let expected = "more than 100000 entries without a loc in one document";
        assert_eq!(message, is_over.then(|| (FaultKind::Limit, expected.to_owned())));
    }
}

#[test]
fn sitemaps_are_not_held_without_bound() {
    for (number, is_over) in [(500_000, false), (500_001, true)] {
        let sitemaps = "<sitemap><loc>https://e.com/</loc></sitemap>".repeat(number);
        let data = format!("<sitemapindex xmlns=\"{CORE}\">{sitemaps}</sitemapindex>").into_bytes();
        let seen = read_pieces(gzip(&data).chunks(7_777), "", Budget { ratio: u64::MAX, ..Budget::DEFAULT });
        assert_eq!(seen.locs.len(), 500_000);
        let message = seen.fault.map(|(kind, .., message)| (kind, message));
        let expected = "more than 500000 sitemaps in one document";
        assert_eq!(message, is_over.then(|| (FaultKind::Limit, expected.to_owned())));
    }
}

#[test]
fn numbers_are_met_exactly() {
    let data = document("é").into_bytes();
    let length = data.len() as u64;
    for (bytes, name) in [(data.clone(), ""), (gzip(&data), "gzip"), (zstd(&data), "zstd"), (zlib(&data), "zlib")] {
        let exact = Budget { decoded_bytes: length, ..Budget::DEFAULT };
        assert_fine(&read_with(&bytes, "", exact), "é");
        let less = Budget { decoded_bytes: length - 1, ..Budget::DEFAULT };
        let message = limit_of(read_with(&bytes, "", less));
        let what = if name.is_empty() { "the text is longer than" } else { "data holds more than" };
        assert!(message.contains(&format!("{what} {} bytes", length - 1)), "{message}");

        let wire = bytes.len() as u64;
        assert_fine(&read_with(&bytes, "", Budget { wire_bytes: wire, ..Budget::DEFAULT }), "é");
        let seen = read_with(&bytes, "", Budget { wire_bytes: wire - 1, ..Budget::DEFAULT });
        let (kind, .., message) = seen.fault.unwrap();
        assert_eq!((kind, message), (FaultKind::Limit, format!("the document is longer than {} bytes", wire - 1)));
    }
}

#[test]
fn text_may_be_longer_than_its_bytes() {
    let text = document(&"日".repeat(400));
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let most = text.len() as u64;
    assert_eq!(read_with(&bytes, "", Budget { decoded_bytes: most, ..Budget::DEFAULT }).fault, None);
    // The bound lies inside a letter.
    let seen = read_with(&bytes, "", Budget { decoded_bytes: 800, ..Budget::DEFAULT });
    assert_eq!(seen.locs.len(), 2);
    assert_eq!(seen.fault.unwrap().3, "the text is longer than 800 bytes");
}

#[test]
fn layers() {
    let mut bytes = document("é").into_bytes();
    for depth in 0..=Budget::DEFAULT.layers {
        assert_fine(&read(&bytes), "é");
        bytes = if depth % 2 == 0 { gzip(&bytes) } else { zstd(&bytes) };
    }
    let (kind, line, column, message) = read(&bytes).fault.unwrap();
    assert_eq!((kind, line, column), (FaultKind::Limit, 1, 1));
    assert_eq!(message, "the document has more than 3 layers of compression");
}

#[test]
fn windows_of_zstd() {
    // 2^23 bytes, which RFC 9659 allows, and the next larger one.
    for (window, is_allowed) in [(13 << 3, true), (13 << 3 | 1, false)] {
        let text = document("é");
        let header = [0x28, 0xb5, 0x2f, 0xfd, 0, window];
        let block = (text.len() as u32) << 3 | 1;
        let bytes = [&header, &block.to_le_bytes()[..3], text.as_bytes()].concat();
        let seen = read(&bytes);
        if is_allowed {
            assert_fine(&seen, "é");
        } else {
            let (kind, .., message) = seen.fault.unwrap();
            assert_eq!(kind, FaultKind::Limit);
            assert_eq!(message, "the zstd data asks for a window of 9437184 bytes, more than 8388608");
        }
    }
}

#[test]
fn nothing_after_a_fault_is_reported() {
    let bytes = b"<urlset><url><loc>https://a.example/</loc></url><!-- \xff \xff \xff -->".as_slice();
    let budget = Budget { text_bytes: 10, findings: 1, ..Budget::DEFAULT };
    let seen = read_with(bytes, "", budget);
    assert_eq!((seen.fault.unwrap().0, seen.is_recovered), (FaultKind::Limit, false));
}
