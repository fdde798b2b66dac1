//! The grammars of single values, one a file, each below the sentence of the protocol that it obeys.

pub mod changefreq;
pub mod feed_date;
pub mod hreflang;
pub mod lastmod;
pub mod loc;
pub mod priority;
pub mod relative;
pub mod repair;

/// Blank as XML means it (XML 1.0, production 3 `S`), which is narrower than Unicode's.
#[inline]
pub const fn is_xml_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The same as characters.
pub const XML_BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Where in `text` its value stands, the XML blanks at both ends left out.
#[inline]
pub fn strip_range(text: &str) -> std::ops::Range<usize> {
    let end = text.trim_end_matches(XML_BLANKS).len();
    end - text[..end].trim_start_matches(XML_BLANKS).len()..end
}
