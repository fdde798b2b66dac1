//! Entries to bytes: checked, escaped, and measured before they are added.
//!
//! What is refused here is what the rules of `lint` call an error, in the same words. What is written, our own reader
//! reads back unchanged. Each entry stands on one line, so that a diff of two documents is a diff of entries.

pub mod arrow;
pub mod assemble;
pub mod document;
pub mod encoder;
pub mod error;
pub mod fingerprint;
pub mod layout;
pub mod names;
pub mod pack;
pub mod parallel_split;
pub mod render;
pub mod row;
pub mod store;

mod body;
mod columns;
mod element;
mod entry;
mod extensions;
mod fields;
mod gzip;
mod judged;
mod usual;
mod values;
mod verify;

pub use document::Finished;
pub use encoder::{Encoder, Pushed};
pub use error::{Difference, Refusal, TableError};
pub use gzip::gzip;
pub use row::{Alternate, Image, Lastmod, Priority, Row, as_written};
pub use values::{OnBadValue, ValuePolicy};
pub use verify::{Verified, verify};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod usual_tests;
