//! Text to entries. The reader knows grammar and recovery only: it reports what is not well-formed, what it repaired and
//! what it tolerated. What else may be wrong with a document is judged by the sinks that it hands everything to.

pub mod text;

mod document;
mod entries;
mod fast_path;
mod fault;
mod fork;
mod grammar;
mod index;
mod kind;
mod lexer;
mod namespaces;
mod reader;
mod recover;
mod stop;
#[cfg(test)]
mod tests;

pub use entries::{entry, entry_run, numbers, sink, slots};
pub use namespaces::{element, namespace, unread};

pub use fault::{Fault, FaultKind};
pub use kind::Kind;
pub use lexer::tag::Attribute;
pub use reader::Reader;
