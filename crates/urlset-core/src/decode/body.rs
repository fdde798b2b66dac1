//! The content of a message that need not be a sitemap: only what its `Content-Encoding` names is undone.

use super::coding::Coding;
use super::compression::{Buffer, Halt, Layer};
use super::content_encoding::ContentEncoding;
use super::error::DecodeError;
use crate::limits::Budget;

/// Undoes the codings of a body while it arrives. A body without a byte is empty, whatever its header says.
#[derive(Debug)]
pub struct BodyDecoder {
    /// The codings that have no layer yet, because no byte has come: the outermost last.
    encoding: ContentEncoding,
    /// From the outermost to the innermost.
    layers: Vec<Layer>,
    budget: Budget,
}

type Out<'a> = dyn FnMut(&[u8]) -> Result<(), DecodeError> + 'a;

impl BodyDecoder {
    pub fn new(encoding: ContentEncoding, budget: Budget) -> Self {
        BodyDecoder { encoding, layers: Vec::new(), budget }
    }

    /// Takes the next bytes and hands on what they hold. After an error there is nothing more.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), DecodeError> {
        let Some(first) = bytes.first() else { return Ok(()) };
        while let Some(coding) = self.encoding.pop() {
            if self.layers.len() == self.budget.layers {
                return Err(DecodeError::limit(format!("the body has more than {} codings", self.budget.layers)));
            }
            let coding = if self.layers.is_empty() { as_sent(coding, *first) } else { coding };
            self.layers.push(Layer::new(coding, true, self.budget));
        }
        feed(&mut self.layers, bytes, out)
    }

    /// Ends the body and hands on the rest. The error says that it ends too early.
    pub fn finish(&mut self, out: &mut Out<'_>) -> Result<(), DecodeError> {
        finish(&mut self.layers, out)
    }
}

/// What HTTP calls deflate is the format of zlib; some servers send the bare one.
///
/// Source: RFC 9110, section 8.4.1.2. RFC 1950, section 2.2: the low half of the first byte of zlib is 8.
fn as_sent(coding: Coding, first: u8) -> Coding {
    if coding == Coding::Deflate && first & 0x0f == 8 { Coding::Zlib } else { coding }
}

fn feed(layers: &mut [Layer], mut bytes: &[u8], out: &mut Out<'_>) -> Result<(), DecodeError> {
    let Some((layer, inner)) = layers.split_first_mut() else { return out(bytes) };
    layer.feed(&mut bytes, &mut |piece: &mut Buffer| feed(inner, piece.content(), out)).map_err(Halt::of_certain)
}

fn finish(layers: &mut [Layer], out: &mut Out<'_>) -> Result<(), DecodeError> {
    let Some((layer, inner)) = layers.split_first_mut() else { return Ok(()) };
    layer.finish(&mut |piece: &mut Buffer| feed(inner, piece.content(), out)).map_err(Halt::of_certain)?;
    finish(inner, out)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn decoded(header: &str, pieces: &[&[u8]]) -> Result<Vec<u8>, DecodeError> {
        let mut decoder = BodyDecoder::new(ContentEncoding::parse(header).unwrap(), Budget::DEFAULT);
        let mut found = Vec::new();
        let mut out = |piece: &[u8]| {
            found.extend_from_slice(piece);
            Ok(())
        };
        for piece in pieces {
            decoder.feed(piece, &mut out)?;
        }
        decoder.finish(&mut out)?;
        Ok(found)
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_coding_is_undone_however_the_bytes_are_split() {
        let content = b"<html>".repeat(9_000);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&content).unwrap();
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(&content).unwrap();
        let twice = gzip(&gzip(&content));
        let cases = [
            ("", content.clone()),
            ("gzip", gzip(&content)),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", bare.finish().unwrap()),
            ("gzip, gzip", twice),
        ];
        for (header, coded) in cases {
            assert_eq!(decoded(header, &[&coded]).unwrap(), content, "{header}");
            let bytes: Vec<&[u8]> = coded.chunks(1).collect();
            assert_eq!(decoded(header, &bytes).unwrap(), content, "{header}");
        }
    }

    #[test]
    fn no_bytes_are_no_content() {
        assert_eq!(decoded("gzip", &[]).unwrap(), b"");
        assert_eq!(decoded("br", &[b"", b""]).unwrap(), b"");
    }

    #[test]
    fn what_is_cut_or_something_else_is_an_error() {
        let coded = gzip(b"content");
        assert_eq!(decoded("gzip", &[&coded[..coded.len() - 1]]).unwrap_err().message, "the gzip data is cut off");
        assert!(decoded("gzip", &[b"<html>"]).unwrap_err().message.starts_with("the gzip data is corrupt"));
        assert!(decoded("gzip, gzip, gzip, gzip", &[b"x"]).unwrap_err().message.contains("more than 3 codings"));
    }

    #[test]
    fn a_bomb_is_an_error_before_it_is_unpacked() {
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        for _ in 0..64 {
            bomb.write_all(&[0; 1 << 20]).unwrap();
        }
        let error = decoded("gzip", &[&bomb.finish().unwrap()]).unwrap_err();
        assert_eq!(error.message, "the gzip data unpacks to more than 256 times its size");
    }

    /// Nothing, and a long comment: as many bytes of bare streams take a debug build half a minute.
    fn gzip_with_comment() -> Vec<u8> {
        let begin = [0x1f, 0x8b, 8, 16, 0, 0, 0, 0, 0, 255];
        [&begin[..], &[b'x'; 1_000], &[0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat()
    }

    #[test]
    fn streams_without_content_do_not_go_on_for_ever() {
        let empty = [
            ("gzip", gzip_with_comment()),
            ("zstd", vec![0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]), // a skippable frame of nothing
        ];
        for (header, stream) in empty {
            let many = stream.repeat(65_536 / stream.len());
            let mut decoder = BodyDecoder::new(ContentEncoding::parse(header).unwrap(), Budget::DEFAULT);
            let mut taken = 0;
            let error = loop {
                taken += many.len();
                assert!(taken < 20 << 20, "{header}");
                if let Err(error) = decoder.feed(&many, &mut |_| Ok(())) {
                    break error;
                }
            };
            assert!(error.to_string().contains("is nearly empty"), "{error}");
        }
    }
}
