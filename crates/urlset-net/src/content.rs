//! The content of an answer that is taken as a whole: its first bytes, without their compression.

use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use urlset_core::decode::error::DecodeError;
use urlset_core::decode::{BodyDecoder, ContentEncoding};
use urlset_core::limits::Budget;

use crate::fault::{Fault, FaultKind};

/// Collects the first bytes of the content.
pub struct Content {
    decoder: Option<BodyDecoder>,
    found: Vec<u8>,
    most: usize,
}

impl Content {
    /// The fault is a coding that nobody knows.
    pub fn new(coding: &str, most: usize) -> Result<Self, Fault> {
        let encoding = ContentEncoding::parse(coding).map_err(|unknown| {
            let name: String = unknown.token.chars().take(60).collect();
            let message =
                format!("its body has the Content-Encoding '{}', which was not asked for", name.escape_debug());
            Fault::new(FaultKind::Coding, message)
        })?;
        let decoder = (!encoding.is_empty()).then(|| BodyDecoder::new(encoding, Budget::DEFAULT));
        Ok(Content { decoder, found: Vec::new(), most })
    }

    /// Takes the next bytes. Returns whether more than enough has come.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<bool, Fault> {
        let (found, most) = (&mut self.found, self.most);
        match &mut self.decoder {
            None => drop(keep(found, most, bytes)),
            Some(decoder) => {
                let fed = decoder.feed(bytes, &mut |piece| keep(found, most, piece));
                if found.len() <= most {
                    fed.map_err(broken)?;
                }
            }
        }
        Ok(self.found.len() > self.most)
    }

    /// Ends the body. Returns its content, and whether there is more.
    pub fn finish(mut self) -> Result<(Vec<u8>, bool), Fault> {
        if self.found.len() <= self.most
            && let Some(decoder) = &mut self.decoder
        {
            let (found, most) = (&mut self.found, self.most);
            let ended = decoder.finish(&mut |piece| keep(found, most, piece));
            if found.len() <= most {
                ended.map_err(broken)?;
            }
        }
        let is_cut = self.found.len() > self.most;
        self.found.truncate(self.most);
        Ok((self.found, is_cut))
    }
}

/// How the content of an answer is compressed, as its headers say.
pub fn content_coding(headers: &HeaderMap) -> String {
    let named = headers.get_all(CONTENT_ENCODING).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    named.collect::<Vec<_>>().join(",")
}

/// Keeps what is wanted, and one byte more: it shows that there is more. An error ends the work when there is enough.
fn keep(found: &mut Vec<u8>, most: usize, piece: &[u8]) -> Result<(), DecodeError> {
    let room = most.saturating_add(1) - found.len();
    found.extend_from_slice(&piece[..piece.len().min(room)]);
    if found.len() > most { Err(DecodeError::limit(String::new())) } else { Ok(()) }
}

fn broken(error: DecodeError) -> Fault {
    Fault::new(FaultKind::Coding, format!("its body cannot be decompressed ({error})"))
}
