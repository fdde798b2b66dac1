//! The checks that every reading makes, with or without the linter.
//!
//! They stand between the reader, which knows grammar alone, and the two sinks that both need them: the table and the
//! linter. A document that is merely read reports a wrong namespace, a document over the protocol's limits and a value
//! that has no meaning in the same words as one that is linted, because the same code decides.

mod document;
mod namespaces;
pub mod values;

pub use document::{DocumentChecks, SPLIT};
