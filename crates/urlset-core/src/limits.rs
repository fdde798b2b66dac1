//! Every number of the protocol and every bound of ours, each with its source.

/// Entries a single urlset or sitemapindex may hold. Source: sitemaps.org protocol, "Sitemap file" and index sections.
pub const ENTRIES_PER_DOCUMENT: u64 = 50_000;

/// Bytes of one document before compression: 50 MiB, not 50,000,000. Source: sitemaps.org protocol (2016 wording).
pub const BYTES_PER_DOCUMENT: u64 = 52_428_800;

/// A loc must be shorter than this many characters after entities are decoded.
/// Source: sitemaps.org protocol, `<loc>`: "less than 2,048 characters"; the schema's maxLength is one higher.
pub const LOC_CHARS: usize = 2_048;

/// Images that one entry may carry. Source: Google Search Central, image sitemaps.
pub const IMAGES_PER_ENTRY: usize = 1_000;

/// What one run of ours may hold or follow; input can drive none of these past the number. All are far above
/// anything a sitemap needs, so that meeting one means the input is broken or hostile.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Bytes that one entry, comment or other undivided piece of markup may take before we give up on it.
    pub piece_bytes: usize,
    /// Elements open inside each other.
    pub depth: usize,
    /// Attributes on one tag.
    pub attributes: usize,
    /// Images of one entry; the same for alternates.
    pub items_per_entry: usize,
    /// Findings kept with text and position; later ones are only counted.
    pub findings: usize,
}

impl Budget {
    pub const DEFAULT: Budget =
        Budget { piece_bytes: 8 << 20, depth: 128, attributes: 512, items_per_entry: 10_000, findings: 1_000 };
}

impl Default for Budget {
    fn default() -> Self {
        Budget::DEFAULT
    }
}
