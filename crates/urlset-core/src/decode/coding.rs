//! The content codings: the ways in which a document may be compressed.

/// A way to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Source: RFC 1952.
    Gzip,
    /// Source: RFC 1950. What HTTP calls deflate.
    Zlib,
    /// Source: RFC 1951. What some servers call deflate, although HTTP means zlib by that name.
    Deflate,
    /// Source: RFC 7932.
    Brotli,
    /// Source: RFC 8878.
    Zstd,
}

impl Coding {
    pub const fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Zlib => "zlib",
            Coding::Deflate => "deflate",
            Coding::Brotli => "brotli",
            Coding::Zstd => "zstd",
        }
    }
}
