//! Bytes to text: compression is undone layer by layer, then the charset. The bytes decide about each of them.
//!
//! File names and headers are not reliable, but the bytes are. A `Content-Encoding` is needed only for codings that
//! leave no mark in the bytes, and is never believed against them.
//!
//! The parts hand on to each other: a [`stage::Stage`] finds out what its bytes are and becomes either a layer of
//! compression with another stage behind it, or the text, which goes to the [`Reader`](crate::read::Reader). Every
//! decision is made at a position in the bytes, so the split of the bytes makes no difference.

pub mod content_encoding;
pub mod error;

mod body;
mod coding;
mod compression;
mod decoder;
mod foreign;
mod output;
mod overlap;
mod piece;
mod sniff;
mod stage;
mod text;

pub use body::BodyDecoder;
pub use content_encoding::ContentEncoding;
pub use decoder::Decoder;

#[cfg(test)]
mod tests;
