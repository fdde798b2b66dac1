//! Formats that hold no text of a sitemap, by how they begin: what refuses them says what they are.

/// Where a tar archive has its mark. Source: POSIX.1-1988, the ustar interchange format.
const TAR: (usize, &[u8]) = (257, b"ustar");
/// Bytes of the name with which a tar archive begins, which zeros fill up.
const TAR_NAME: usize = 100;

/// Beginnings of bytes, and what these are. Sources: the specification of each format.
const BEGINNINGS: [(&[u8], &str); 25] = [
    (b"BZh", "it is compressed with bzip2, which is not read: sitemaps are compressed with gzip"),
    (b"\xfd7zXZ\0", "it is compressed with xz, which is not read: sitemaps are compressed with gzip"),
    (b"]\0\0", "it is compressed with LZMA, which is not read: sitemaps are compressed with gzip"),
    (b"LZIP", "it is compressed with lzip, which is not read: sitemaps are compressed with gzip"),
    (b"\x1f\x9d", "it is compressed with compress, which is not read: sitemaps are compressed with gzip"),
    (b"\x04\x22\x4d\x18", "it is compressed with LZ4, which is not read: sitemaps are compressed with gzip"),
    (b"PK\x03\x04", "it is a ZIP archive: unpack it and publish what it holds"),
    (b"PK\x05\x06", "it is an empty ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it and publish what it holds"),
    (b"Rar!\x1a\x07", "it is a RAR archive: unpack it and publish what it holds"),
    (b"%PDF-", "it is a PDF document"),
    (b"{\\rtf", "it is an RTF document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is a document of Microsoft Office"),
    (b"\x89PNG\r\n\x1a\n", "it is a PNG image"),
    (b"\xff\xd8\xff", "it is a JPEG image"),
    (b"GIF87a", "it is a GIF image"),
    (b"GIF89a", "it is a GIF image"),
    (b"RIFF", "it is an image, a sound or a video (RIFF)"),
    (b"\0\0\x01\0", "it is an icon"),
    (b"wOF", "it is a font"),
    (b"SQLite format 3\0", "it is an SQLite database"),
    (b"PAR1", "it is a Parquet file"),
    (b"ARROW1", "it is an Arrow file"),
    (b"\xff\xfe\0\0", "it is in UTF-32, which is not read: write UTF-8"),
    (b"\0\0\xfe\xff", "it is in UTF-32, which is not read: write UTF-8"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// More bytes are needed to decide.
    Unclear,
    /// None of those below, as far as the bytes show.
    Other,
    /// This, in the words of a refusal.
    Foreign(&'static str),
}

/// What bytes are that are not compressed.
pub fn format(first: &[u8], at_end: bool) -> Format {
    if let Some((_, what)) = BEGINNINGS.iter().find(|(mark, _)| first.starts_with(mark)) {
        return Format::Foreign(what);
    }
    let (at, mark) = TAR;
    if first.get(at..at + mark.len()) == Some(mark) {
        return Format::Foreign("it is a tar archive: unpack it and publish what it holds");
    }
    let is_cut = BEGINNINGS.iter().any(|(mark, _)| mark.starts_with(first)) || may_be_tar(first);
    if is_cut && !at_end { Format::Unclear } else { Format::Other }
}

/// Whether more bytes could make this a tar archive: it begins with a name, and zeros behind that.
fn may_be_tar(first: &[u8]) -> bool {
    let name = &first[..first.len().min(TAR_NAME)];
    let is_named = match name.iter().position(|byte| *byte == 0) {
        Some(length) => length > 0,
        None => first.len() < TAR_NAME,
    };
    first.len() < TAR.0 + TAR.1.len() && is_named && name.first() != Some(&b'<')
}

#[cfg(test)]
mod tests {
    use super::{BEGINNINGS, Format, format};

    fn tar() -> Vec<u8> {
        let mut bytes = b"sitemap.xml".to_vec();
        bytes.resize(257, 0);
        [bytes, b"ustar\x0000".to_vec()].concat()
    }

    #[test]
    fn what_bytes_are() {
        for (mark, what) in BEGINNINGS {
            assert_eq!(format(&[mark, b"and more"].concat(), false), Format::Foreign(what));
            assert_eq!(format(&mark[..mark.len() - 1], true), Format::Other);
        }
        assert!(matches!(format(&tar(), false), Format::Foreign(what) if what.contains("tar archive")));
        for text in ["<urlset", "<", "https://a.example/", "", "\u{feff}<?xml", "Pages", "User-agent: *"] {
            assert_eq!(format(text.as_bytes(), true), Format::Other, "{text}");
        }
        assert_eq!(format(b"<urlset", false), Format::Other);
    }

    #[test]
    fn a_decision_stands_whatever_follows() {
        let text = "https://a.example/page\n".repeat(20).into_bytes();
        let marks = BEGINNINGS.iter().map(|(mark, _)| [*mark, &[b'x'; 300]].concat());
        for whole in marks.chain([tar(), text]) {
            for cut in 0..whole.len() {
                let found = format(&whole[..cut], false);
                assert!(found == Format::Unclear || found == format(&whole, true), "{whole:?} at {cut}: {found:?}");
            }
        }
    }
}
