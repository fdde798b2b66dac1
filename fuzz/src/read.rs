//! Any bytes, whole.

use crate::outcome::{ROOMY, read_bytes, read_text};
use crate::positions;

pub fn run(data: &[u8]) {
    let outcome = read_bytes([data], "", ROOMY);
    let Ok(text) = std::str::from_utf8(data) else { return };
    let text = text.trim_start_matches('\u{feff}');
    let direct = read_text([text], ROOMY);
    positions::check(text, &direct);
    // The decoder refuses some documents by their first bytes, and the reader others by their text, each in its own words.
    let is_refused = outcome.is_refused() && direct.is_refused();
    if is_plain(data) && !is_refused {
        assert_eq!(outcome, direct, "plain text needs no decoding");
    }
}

/// Whether nothing about the text can make a decoder take it for anything but UTF-8.
fn is_plain(data: &[u8]) -> bool {
    // zlib, a skippable frame of zstd and formats that are refused by name may begin with letters.
    let is_packed = data.first() == Some(&b'x') || data.get(1..4) == Some(b"*M\x18") || data.starts_with(b"BZh");
    let has_charset = data.windows(8).any(|word| word == b"encoding");
    !is_packed && !has_charset && !data.contains(&0) && !data.starts_with("\u{feff}".as_bytes())
}
