//! What the headers of a response say about its bytes.

/// A way to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Source: RFC 1952.
    Gzip,
    /// Source: RFC 1950. What HTTP calls deflate.
    Zlib,
    /// Source: RFC 1951. What some servers call deflate, though it is not.
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

/// The codings that a `Content-Encoding` names, in the order in which they were applied.
///
/// Clients undo them and leave the header as it was, so each may be there or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint(Vec<Coding>);

impl Hint {
    /// Reads the value of the header; what is no content coding that can be undone is the error.
    ///
    /// Source: RFC 9110, section 8.4: a list of tokens, whose letter case does not matter; `x-gzip` is `gzip`.
    pub fn parse(header: &str) -> Result<Self, String> {
        let mut codings = Vec::new();
        for token in header.split(',').map(str::trim).filter(|token| !token.is_empty()) {
            match token.to_ascii_lowercase().as_str() {
                "identity" => {}
                "gzip" | "x-gzip" => codings.push(Coding::Gzip),
                "deflate" => codings.push(Coding::Deflate),
                "br" => codings.push(Coding::Brotli),
                "zstd" => codings.push(Coding::Zstd),
                _ => {
                    return Err(format!(
                        "content_encoding names {token:?}; known are gzip, x-gzip, deflate, br, zstd and identity"
                    ));
                }
            }
        }
        Ok(Hint(codings))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The coding applied last, which would be the outermost.
    pub fn pop(&mut self) -> Option<Coding> {
        self.0.pop()
    }

    /// The outermost layer was found to be `coding`: what the hint names outside of it has been undone already, and
    /// where it does not name it at all, the layer is the document's own and the whole hint was.
    pub fn found(&mut self, coding: Coding) {
        let named = if coding == Coding::Zlib { Coding::Deflate } else { coding };
        while self.0.pop().is_some_and(|outer| outer != named) {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Coding, Hint};

    #[test]
    fn headers() {
        let parsed = |header: &str| Hint::parse(header).map(|hint| hint.0);
        assert_eq!(parsed(""), Ok(vec![]));
        assert_eq!(parsed(" X-GZip ,, br,identity"), Ok(vec![Coding::Gzip, Coding::Brotli]));
        assert_eq!(parsed("deflate, zstd"), Ok(vec![Coding::Deflate, Coding::Zstd]));
        assert!(parsed("gzip, compress").is_err_and(|message| message.contains("\"compress\"")));
    }

    #[test]
    fn what_was_undone_is_forgotten() {
        let after = |header: &str, coding: Coding| {
            let mut hint = Hint::parse(header).unwrap();
            hint.found(coding);
            hint.0
        };
        assert_eq!(after("br, gzip", Coding::Gzip), [Coding::Brotli]);
        assert_eq!(after("br, deflate, gzip", Coding::Zlib), [Coding::Brotli]);
        assert_eq!(after("br", Coding::Gzip), []);
    }
}
