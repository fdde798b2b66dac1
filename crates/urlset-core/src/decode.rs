//! Bytes as they were found to UTF-8 text: gzip told by its first bytes, byte order mark, UTF-8 checked once.
//!
//! The name of a file and the headers it came with say nothing reliable about this; its bytes do.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use crate::lint::catalogue::{self, Rule};
use crate::read::entry::Sink;
use crate::read::{FaultKind, Reader};

/// Source: RFC 1952, section 2.3.1.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: char = '\u{feff}';
/// What is read at once: small enough to stay in a core's own cache between the passes over it.
const PIECE: usize = 128 * 1024;

/// What is wrong with the bytes of a document, as a fault of its reader says it.
type Wrong = (FaultKind, &'static Rule, String);

#[derive(Debug)]
enum Layer {
    /// Fewer bytes than it takes to tell.
    Unknown(Vec<u8>),
    Plain,
    Gzip(Box<Gunzip>),
}

/// The bytes of one document on their way into its [`Reader`].
#[derive(Debug)]
pub struct Decoder {
    layer: Layer,
    text: Utf8,
    wire_bytes: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder { layer: Layer::Unknown(Vec::new()), text: Utf8::default(), wire_bytes: 0 }
    }
}

impl Decoder {
    /// Bytes fed so far, before any decompression.
    pub fn wire_bytes(&self) -> u64 {
        self.wire_bytes
    }

    /// Takes the next bytes, of any number. What is wrong with them becomes the reader's fault.
    pub fn feed(&mut self, bytes: &[u8], reader: &mut Reader, sink: &mut impl Sink) {
        self.wire_bytes += bytes.len() as u64;
        for piece in bytes.chunks(PIECE) {
            if reader.fault().is_some() {
                return;
            }
            if let Err((kind, rule, message)) = self.layer(piece, reader, sink) {
                reader.refuse(kind, rule, message, sink);
            }
        }
    }

    /// Says that the bytes have ended.
    pub fn finish(&mut self, reader: &mut Reader, sink: &mut impl Sink) {
        let ended = match &mut self.layer {
            Layer::Unknown(first) => self.text.feed(first, reader, sink),
            Layer::Plain => Ok(()),
            Layer::Gzip(gunzip) => gunzip.finish(),
        };
        if let Err((kind, rule, message)) = ended.and_then(|()| self.text.finish()) {
            reader.refuse(kind, rule, message, sink);
        }
        reader.finish(sink);
    }

    fn layer(&mut self, piece: &[u8], reader: &mut Reader, sink: &mut impl Sink) -> Result<(), Wrong> {
        if let Layer::Unknown(first) = &mut self.layer {
            first.extend_from_slice(piece);
            if first.len() < GZIP_MAGIC.len() {
                return Ok(());
            }
            let first = std::mem::take(first);
            self.layer = if first.starts_with(&GZIP_MAGIC) { Layer::Gzip(Box::default()) } else { Layer::Plain };
            return self.layer(&first, reader, sink);
        }
        match &mut self.layer {
            Layer::Gzip(gunzip) => gunzip.feed(piece, |bytes| self.text.feed(bytes, reader, sink)),
            _ => self.text.feed(piece, reader, sink),
        }
    }
}

/// Checks that bytes are UTF-8 and takes the byte order mark away.
#[derive(Debug, Default)]
struct Utf8 {
    /// The beginning of a character whose other bytes have not come yet; three bytes at most.
    partial: Vec<u8>,
    begun: bool,
}

impl Utf8 {
    fn feed(&mut self, mut bytes: &[u8], reader: &mut Reader, sink: &mut impl Sink) -> Result<(), Wrong> {
        while !self.partial.is_empty() && !bytes.is_empty() {
            self.partial.push(bytes[0]);
            bytes = &bytes[1..];
            let character = std::mem::take(&mut self.partial);
            self.partial = self.valid(&character, reader, sink)?.to_vec();
        }
        if self.partial.is_empty() {
            self.partial = self.valid(bytes, reader, sink)?.to_vec();
        }
        Ok(())
    }

    /// Hands on what is valid and returns the bytes of a character that is not complete yet.
    fn valid<'b>(&mut self, bytes: &'b [u8], reader: &mut Reader, sink: &mut impl Sink) -> Result<&'b [u8], Wrong> {
        // The basic check is the fast one; only where it fails does the place matter.
        if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
            self.hand_on(text, reader, sink);
            return Ok(&[]);
        }
        let Err(error) = simdutf8::compat::from_utf8(bytes) else {
            return Ok(&[]);
        };
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        if let Ok(text) = simdutf8::basic::from_utf8(valid) {
            self.hand_on(text, reader, sink);
        }
        match error.error_len() {
            None => Ok(rest),
            Some(_) if rest.starts_with(&[0xff, 0xfe]) || rest.starts_with(&[0xfe, 0xff]) => {
                Err(not_utf8("the document is UTF-16"))
            }
            Some(_) => Err(not_utf8(&format!("the byte 0x{:02X} here is not UTF-8", rest[0]))),
        }
    }

    fn hand_on(&mut self, mut text: &str, reader: &mut Reader, sink: &mut impl Sink) {
        if !self.begun && !text.is_empty() {
            self.begun = true;
            text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        }
        reader.feed(text, sink);
    }

    fn finish(&self) -> Result<(), Wrong> {
        if self.partial.is_empty() { Ok(()) } else { Err(not_utf8("the document ends inside a character")) }
    }
}

fn not_utf8(what: &str) -> Wrong {
    (FaultKind::Malformed, &catalogue::XML002, format!("{what}; a sitemap has to be UTF-8"))
}

/// Gzip, member after member, with memory for one piece of either side.
#[derive(Debug)]
struct Gunzip {
    member: Option<GzDecoder<Waiting>>,
    /// Every member so far has ended with its checksum.
    whole: bool,
    buffer: Vec<u8>,
}

impl Default for Gunzip {
    fn default() -> Self {
        Gunzip { member: None, whole: false, buffer: vec![0; PIECE] }
    }
}

impl Gunzip {
    fn feed(&mut self, bytes: &[u8], mut hand_on: impl FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Wrong> {
        match &mut self.member {
            Some(member) => member.get_mut().extend(bytes),
            None => self.member = Some(GzDecoder::new(Waiting::new(bytes))),
        }
        while let Some(member) = &mut self.member {
            match member.read(&mut self.buffer) {
                Ok(0) => {
                    // This member is whole; another may follow it.
                    let rest = std::mem::take(member.get_mut());
                    self.whole = rest.is_empty();
                    self.member = (!rest.is_empty()).then(|| GzDecoder::new(rest));
                }
                Ok(length) => {
                    self.whole = false;
                    hand_on(&self.buffer[..length])?;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.whole = false;
                    break;
                }
                Err(error) => return Err(broken_gzip(&error.to_string())),
            }
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), Wrong> {
        if self.whole {
            Ok(())
        } else {
            Err((FaultKind::Truncated, &catalogue::XML001, "the gzip data is cut off".into()))
        }
    }
}

fn broken_gzip(what: &str) -> Wrong {
    (FaultKind::Malformed, &catalogue::XML001, format!("the gzip data is broken: {what}"))
}

/// Input that has not all come yet: at its end it says "not now" instead of "no more".
#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    at: usize,
}

impl Waiting {
    fn new(bytes: &[u8]) -> Self {
        Waiting { bytes: bytes.to_vec(), at: 0 }
    }

    fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }
}

impl Read for Waiting {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(out)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Waiting {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_empty() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(&self.bytes[self.at..]) }
    }

    fn consume(&mut self, length: usize) {
        self.at += length;
    }
}
