//! Bytes steered into every format, charset and layer: the first byte says which beginning is put before the rest, the
//! second how that is encoded, the third how it is packed, with right checksums. What is packed has to read as what is
//! inside, and what is cut as what is whole.

use encoding_rs::Encoding;
use urlset_core::diagnostic::catalogue;

use crate::chunks::Cuts;
use crate::outcome::{ROOMY, TIGHT, read_bytes};
use crate::pack::{brotli, deflate, gzip, zlib, zstd};

const BEGINNINGS: [&str; 12] = [
    "",
    "https://e.com/1\n",
    "User-agent: *\nSitemap: https://e.com/1\n",
    "<rss version='2.0'><channel><item>",
    "<rss version=\"0.92\"><channel><item><link>https://e.com/1</link>",
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'><item>",
    "<feed xmlns='http://www.w3.org/2005/Atom'><entry>",
    "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><link href='https://e.com/1'/>",
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>",
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
     xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'><url><loc>https://e.com/1</loc><v:video>",
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
     xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'><url><loc>https://e.com/1</loc><n:news>",
    "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>",
];

const CHARSETS: [&str; 16] = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1252",
    "us-ascii",
    "windows-1251",
    "iso-8859-8-i",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "big5",
    "euc-kr",
    "x-user-defined",
    "hz-gb-2312",
    "koi8-u",
];

pub fn run(data: &[u8]) {
    let [beginning, charset, packing, rest @ ..] = data else { return };
    let document = [BEGINNINGS[usize::from(*beginning) % BEGINNINGS.len()].as_bytes(), rest].concat();
    let document = encoded(&document, *charset);
    let budget = if packing & 0x80 == 0 { ROOMY } else { TIGHT };
    let sizes = [packing >> 4 & 7, charset >> 4];
    let plain = read_bytes([&document[..]], "", budget);
    assert_eq!(plain, read_bytes(Cuts::new(&document, &sizes), "", budget), "cut");
    let Some((packed, encoding)) = packed(&document, packing & 15) else { return };
    let whole = read_bytes([&packed[..]], encoding, budget);
    assert_eq!(whole, read_bytes(Cuts::new(&packed, &sizes), encoding, budget), "packed and cut");
    // At a bound a layer more makes a difference.
    let is_limited = plain.is_limited() || whole.is_limited();
    let is_mistaken = encoding == "deflate" && may_be_text(&packed);
    // Bytes that are not text may be compressed, as the header says.
    let is_perhaps_packed = encoding == "br, gzip" && plain.is_refused();
    if !is_limited && !is_mistaken && !is_perhaps_packed {
        // That it is packed twice is the one thing that may be found of the packing.
        let (plain, whole) = (plain.without(&catalogue::XML013), whole.without(&catalogue::XML013));
        assert_eq!(plain, whole, "packed");
    }
}

/// Whether what has no mark of its own happens to begin as text does, and may be taken for it.
fn may_be_text(packed: &[u8]) -> bool {
    !packed.iter().take(32).any(u8::is_ascii_control)
}

pub fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    let mut seeds = vec![[&[0, 0, 1], document].concat()];
    // The rest would be many times the corpus: each document takes its turn.
    let turn = document.iter().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte));
    seeds.push([&[0, turn % 32, turn / 32], document].concat());
    seeds.push([&[turn % 12, turn / 12, turn], document].concat());
    seeds
}

/// The document in a charset, where it is text: declared, or by the mark in front.
fn encoded(document: &[u8], charset: u8) -> Vec<u8> {
    let label = CHARSETS[usize::from(charset & 15)];
    let text = String::from_utf8_lossy(document);
    let units = || text.encode_utf16().chain([u16::from(b'\n')]);
    match label {
        "utf-8" => document.to_vec(),
        "utf-16le" => units().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => std::iter::once(0xfeff).chain(units()).flat_map(u16::to_be_bytes).collect(),
        _ => {
            let declaration = format!("<?xml version='1.0' encoding='{label}'?>");
            // With raw bytes for every other, so that what a charset does not have is met, too.
            let body = match Encoding::for_label(label.as_bytes()) {
                Some(charset) if !document.len().is_multiple_of(2) => charset.encode(&text).0.into_owned(),
                _ => document.to_vec(),
            };
            [declaration.as_bytes(), &body].concat()
        }
    }
}

/// The document packed in some way, and the header that it needs.
fn packed(document: &[u8], way: u8) -> Option<(Vec<u8>, &'static str)> {
    let (one, two) = document.split_at(document.len() / 2);
    Some(match way {
        1 => (gzip(document), ""),
        2 => (zlib(document), ""),
        3 => (zstd(document), ""),
        4 => (deflate(document), "deflate"),
        5 => (brotli(document), "br"),
        6 => ([gzip(one), gzip(two)].concat(), ""),
        7 => ([zstd(one), zstd(two)].concat(), "zstd"),
        8 => (gzip(&zstd(document)), ""),
        9 => (zstd(&zlib(document)), ""),
        10 => (brotli(&deflate(&gzip(document))), "gzip, deflate, br"),
        11 => ([gzip(document), vec![0; 100]].concat(), ""),
        12 => ([&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd(document)].concat(), ""),
        // The header names what has been undone.
        13 => (gzip(document), "br, gzip"),
        14 => (document.to_vec(), "br, gzip"),
        _ => return None,
    })
}
