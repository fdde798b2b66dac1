//! Text to entries. The reader knows grammar and recovery only: it reports what is not well-formed, what it repaired and
//! what it tolerated. What else may be wrong with a document is judged by the sinks that it hands everything to.

pub mod element;
pub mod entry;
pub mod namespace;
pub mod numbers;
pub mod sink;
pub mod slots;
pub mod stretch;
pub mod text;
pub mod unread;

mod attribute_cache;
mod content;
mod declaration;
mod document;
mod epilog;
mod fault;
mod feed;
mod fork;
mod image;
mod kind;
mod lesson;
mod lexer;
mod lines;
mod markup;
mod name;
mod news;
mod odd_value;
mod opening;
mod plain;
mod prolog;
mod reader;
mod recover;
mod refusal;
mod root;
mod root_names;
mod shaped;
mod shapes;
mod skip;
mod stop;
mod structural_index;
mod tag;
mod tag_cache;
#[cfg(test)]
mod tests;
mod video;
mod window;

pub use fault::{Fault, FaultKind};
pub use kind::Kind;
pub use reader::Reader;
pub use tag::Attribute;
