//! The limits of the protocol, each with its source, and the budget: our own limits.

/// Entries a single urlset or sitemapindex may hold. Source: sitemaps.org protocol, "Sitemap file" and index sections.
pub const ENTRIES_PER_DOCUMENT: u64 = 50_000;

/// Bytes of one document before compression: 50 MiB, not 50,000,000. Source: sitemaps.org protocol (2016 wording).
pub const BYTES_PER_DOCUMENT: u64 = 52_428_800;

/// A loc must be shorter than this many characters after entities are decoded.
/// Source: sitemaps.org protocol, `<loc>`: "less than 2,048 characters"; the schema's maxLength is one higher.
pub const LOC_CHARS: usize = 2_048;

/// Characters of the form of a URL by which pages are compared. It may be longer than a loc, by what is encoded.
pub const PAGE_FORM_CHARS: usize = 2_048;

/// Images that one entry may carry. Source: Google Search Central, image sitemaps.
pub const IMAGES_PER_ENTRY: usize = 1_000;

/// Articles that one document may carry. Source: Google Search Central, news sitemaps.
pub const NEWS_PER_DOCUMENT: u64 = 1_000;

/// What a document should keep to: one that does not is read anyway, and reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub entries: u64,
    /// Before any compression.
    pub bytes: u64,
}

impl Limits {
    pub const PROTOCOL: Limits = Limits { entries: ENTRIES_PER_DOCUMENT, bytes: BYTES_PER_DOCUMENT };
}

/// What reading one document may cost; no input can exceed these numbers. All are far
/// above anything a sitemap needs, so that meeting one means the input is broken or hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of the document as they came, before any decompression.
    pub wire_bytes: u64,
    /// Bytes that come out of any one layer of compression, and of the text in the end.
    pub decoded_bytes: u64,
    /// How many times as long a layer's output may be as its input, once it is past [`RATIO_FREE_BYTES`].
    pub ratio: u64,
    /// Layers of compression inside each other.
    pub layers: usize,
    /// Bytes that one entry, comment or other undivided piece of markup may take before we give up on it.
    pub piece_bytes: usize,
    /// Bytes of text of one element, of one attribute, or of one line of a text list.
    pub text_bytes: usize,
    /// Elements open inside each other.
    pub depth: usize,
    /// Attributes on one tag.
    pub attributes: usize,
    /// Declarations of namespaces in force at once.
    pub prefixes: usize,
    /// Images of one entry; the same for videos, alternates and each list inside a video.
    pub items_per_entry: usize,
    /// Entries of one document.
    pub entries: u64,
    /// Findings kept with text and position; later ones are only counted.
    pub findings: usize,
}

/// Output of a layer that no ratio is asked of: a small document may be of one letter.
pub const RATIO_FREE_BYTES: u64 = 16 << 20;

/// Bytes of one layer of compression that may hold nothing, beyond twice the bytes of its content. A decoder may hold
/// back a window of zstd, 8 MiB, before anything comes out of it.
pub const PADDING_BYTES: u64 = 16 << 20;

impl Budget {
    pub const DEFAULT: Budget = Budget {
        wire_bytes: 4 << 30,
        decoded_bytes: 16 << 30,
        ratio: 256,
        layers: 3,
        piece_bytes: 8 << 20,
        text_bytes: 1 << 20,
        depth: 128,
        attributes: 512,
        prefixes: 256,
        items_per_entry: 10_000,
        entries: 100_000_000,
        findings: 1_000,
    };
}

impl Default for Budget {
    fn default() -> Self {
        Budget::DEFAULT
    }
}

/// Entries of one document that may be without a loc. A template that leaves out every loc makes as many as a document may
/// have; more of them are not worth a row, and cost far more than the bytes that hold them.
pub const EMPTY_ENTRIES: u64 = 2 * ENTRIES_PER_DOCUMENT;

/// Sitemaps that one index or robots.txt may name, ten times as many as the protocol allows: all of them are held, because
/// they wait to be read.
pub const SITEMAPS: u64 = 10 * ENTRIES_PER_DOCUMENT;

/// The window that a zstd frame may ask for, which is memory it makes us hold.
/// Source: RFC 9659, section 3: no more than 8 MB where zstd is a content coding.
pub const ZSTD_WINDOW_BYTES: u64 = 8 << 20;
