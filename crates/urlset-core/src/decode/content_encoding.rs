//! What the `Content-Encoding` header of a response says about its bytes.

use super::coding::Coding;
use super::error::UnknownCoding;

/// The codings that a `Content-Encoding` names, in the order in which they were applied.
///
/// HTTP clients undo codings and leave the header as it was, so each of them may still be there or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentEncoding(Vec<Coding>);

impl ContentEncoding {
    /// Reads the value of the header. The error is a token that names no known content coding.
    ///
    /// Source: RFC 9110, section 8.4: a list of tokens, whose letter case does not matter; `x-gzip` is `gzip`.
    pub fn parse(header: &str) -> Result<Self, UnknownCoding> {
        let mut codings = Vec::new();
        for token in header.split(',').map(str::trim).filter(|token| !token.is_empty()) {
            match token.to_ascii_lowercase().as_str() {
                "identity" => {}
                "gzip" | "x-gzip" => codings.push(Coding::Gzip),
                "deflate" => codings.push(Coding::Deflate),
                "br" => codings.push(Coding::Brotli),
                "zstd" => codings.push(Coding::Zstd),
                _ => return Err(UnknownCoding { token: token.to_owned() }),
            }
        }
        Ok(ContentEncoding(codings))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the coding that was applied last, which would be the outermost.
    pub fn pop(&mut self) -> Option<Coding> {
        self.0.pop()
    }

    /// Records that the outermost layer is `coding`. What the header names outside of it was undone already. If the
    /// header does not name it at all, the layer is the document's own and everything that is named was undone.
    pub fn found(&mut self, coding: Coding) {
        let named = if coding == Coding::Zlib { Coding::Deflate } else { coding };
        while self.0.pop().is_some_and(|outer| outer != named) {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Coding, ContentEncoding};

    #[test]
    fn headers() {
        let parsed = |header: &str| ContentEncoding::parse(header).map(|encoding| encoding.0);
        assert_eq!(parsed(""), Ok(vec![]));
        assert_eq!(parsed(" X-GZip ,, br,identity"), Ok(vec![Coding::Gzip, Coding::Brotli]));
        assert_eq!(parsed("deflate, zstd"), Ok(vec![Coding::Deflate, Coding::Zstd]));
        assert!(parsed("gzip, compress").is_err_and(|error| error.to_string().contains("\"compress\"")));
    }

    #[test]
    fn what_was_undone_is_forgotten() {
        let after = |header: &str, coding: Coding| {
            let mut encoding = ContentEncoding::parse(header).unwrap();
            encoding.found(coding);
            encoding.0
        };
        assert_eq!(after("br, gzip", Coding::Gzip), [Coding::Brotli]);
        assert_eq!(after("br, deflate, gzip", Coding::Zlib), [Coding::Brotli]);
        assert_eq!(after("br", Coding::Gzip), []);
    }
}
