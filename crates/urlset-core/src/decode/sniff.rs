//! What bytes are, by how they begin.

use super::coding::Coding;
use super::content_encoding::ContentEncoding;

/// This many bytes distinguish text from compressed data: a compressor hardly ever writes so many bytes of text in a row.
const ENOUGH: usize = 32;

/// Source: RFC 1952, section 2.3.1.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Source: RFC 8878, section 3.1.1.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Source: RFC 8878, section 3.1.2: the first byte is any of 0x50 to 0x5f.
const ZSTD_SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// More bytes are needed to decide.
    Unclear,
    /// Not compressed, as far as the bytes themselves show.
    Text,
    Coded(Coding),
    /// Possibly compressed. If it turns out not to be, the bytes are something else.
    Perhaps(Coding),
}

/// Return what the bytes are by their own mark. `encoding` forgets what this shows to be undone.
pub fn by_mark(first: &[u8], at_end: bool, encoding: &mut ContentEncoding) -> Found {
    let found = match mark(first) {
        Found::Unclear if at_end => Found::Text,
        found => found,
    };
    if let Found::Coded(coding) | Found::Perhaps(coding) = found {
        encoding.found(coding);
    }
    found
}

/// Return what bytes without a mark are: text if they clearly are, or else what the header says. Takes from `encoding`
/// what was considered.
pub fn by_encoding(first: &[u8], at_end: bool, encoding: &mut ContentEncoding) -> Found {
    if encoding.is_empty() {
        return Found::Text;
    }
    if first.len() < ENOUGH && !at_end {
        return Found::Unclear;
    }
    if is_text(first) {
        return Found::Text;
    }
    while let Some(coding) = encoding.pop() {
        // The other codings have marks, and these bytes have none.
        if matches!(coding, Coding::Brotli | Coding::Deflate) {
            return Found::Perhaps(coding);
        }
    }
    Found::Text
}

fn mark(first: &[u8]) -> Found {
    for coding in [Coding::Gzip, Coding::Zstd] {
        let found = again(first, coding);
        if found != Found::Text {
            return found;
        }
    }
    match first {
        [0x78] => Found::Unclear,
        // Source: RFC 1950, section 2.2: a window of 32 KiB, a check, and no dictionary. Text may begin like this, too.
        [0x78, flags, ..] if flags & 0x20 == 0 && (0x7800 | u32::from(*flags)).is_multiple_of(31) => {
            Found::Perhaps(Coding::Zlib)
        }
        _ => Found::Text,
    }
}

/// Whether `first` begins another stream of gzip or zstd; `Text` if it does not. Other codings have no recognisable
/// beginning.
pub fn again(first: &[u8], coding: Coding) -> Found {
    let begins = |magic: &[u8]| magic.starts_with(first) || first.starts_with(magic);
    let (is_it, length) = match coding {
        Coding::Gzip => (begins(&GZIP), GZIP.len()),
        Coding::Zstd => {
            let skippable = first.first().is_none_or(|byte| (0x50..=0x5f).contains(byte));
            let rest = first.get(1..).unwrap_or_default();
            let skippable = skippable && (ZSTD_SKIPPABLE.starts_with(rest) || rest.starts_with(&ZSTD_SKIPPABLE));
            (skippable || begins(&ZSTD), ZSTD.len())
        }
        Coding::Zlib | Coding::Deflate | Coding::Brotli => (false, 0),
    };
    match is_it {
        false => Found::Text,
        true if first.len() < length => Found::Unclear,
        true => Found::Coded(coding),
    }
}

/// Whether bytes that begin like this are clearly text: without controls, and UTF-8 or mostly ASCII; or UTF-16 of
/// characters that text begins with.
pub fn is_text(first: &[u8]) -> bool {
    let first = &first[..first.len().min(ENOUGH)];
    let utf16 = match first {
        [0xff, 0xfe, low, 0, ..] | [low, 0, _, 0, ..] => is_text_byte(*low),
        [0xfe, 0xff, 0, low, ..] | [0, low, 0, _, ..] => is_text_byte(*low),
        _ => false,
    };
    let cut_off = |error: std::str::Utf8Error| error.error_len().is_none();
    let is_utf8 = std::str::from_utf8(first).map_or_else(cut_off, |_| true);
    let is_mostly_ascii = first.iter().filter(|byte| byte.is_ascii()).count() * 4 >= first.len() * 3;
    utf16 || ((is_utf8 || is_mostly_ascii) && first.iter().all(|byte| is_text_byte(*byte)))
}

fn is_text_byte(byte: u8) -> bool {
    !matches!(byte, 0..=8 | 0x0b | 0x0c | 0x0e..=0x1f | 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first: &[u8], at_end: bool, header: &str) -> Found {
        let mut encoding = ContentEncoding::parse(header).unwrap();
        match by_mark(first, at_end, &mut encoding) {
            Found::Text => by_encoding(first, at_end, &mut encoding),
            found => found,
        }
    }

    fn decided(first: &[u8], header: &str) -> Found {
        found(first, true, header)
    }

    #[test]
    fn marks_are_believed_and_headers_only_without_one() {
        use Coding::{Brotli, Deflate, Gzip, Zlib, Zstd};
        use Found::{Coded, Perhaps, Text};
        for (first, header, expected) in [
            (b"\x1f\x8b\x08".as_slice(), "", Coded(Gzip)),
            (b"\x1f\x8b\x08", "br", Coded(Gzip)),
            (b"\x28\xb5\x2f\xfd", "gzip", Coded(Zstd)),
            (b"\x5f\x2a\x4d\x18", "", Coded(Zstd)),
            (b"\x78\x9c", "", Perhaps(Zlib)),
            (b"x marks the spot", "deflate", Text),
            (b"<urlset", "br", Text),
            (b"\xef\xbb\xbf<urlset", "br", Text),
            (b"# Plan g\xe9n\xe9ral du site", "br", Text),
            (b"\xff\xfe<\0u\0", "deflate", Text),
            (b"\0<\0u\0", "deflate", Text),
            (b"\x1b\x10\x00", "br", Perhaps(Brotli)),
            (b"\x1b\x10\x00", "", Text),
            (b"\x1b\x10\x00", "br, gzip", Perhaps(Brotli)),
            (b"\x1b\x10\x00", "gzip", Text),
            (b"\xed\x90\x00", "deflate", Perhaps(Deflate)),
            (b"", "br", Text),
            (b"\x1f", "", Text),
        ] {
            assert_eq!(decided(first, header), expected, "{first:?} {header}");
        }
    }

    #[test]
    fn a_decision_stands_whatever_follows() {
        for (whole, header) in [
            (b"\x28\xb5\x2f\xfd\x00".as_slice(), ""),
            (b"PPPP", ""),
            (b"x\x9cab", ""),
            (b"<urlset", ""),
            (b"\x1b\x10\x00and more than thirty-two bytes that follow", "br"),
            (b"some text of more than thirty-two bytes", "br"),
        ] {
            let last = decided(whole, header);
            for cut in 0..whole.len() {
                let found = found(&whole[..cut], false, header);
                assert!(found == Found::Unclear || found == last, "{whole:?} at {cut}: {found:?}");
            }
        }
    }
}
