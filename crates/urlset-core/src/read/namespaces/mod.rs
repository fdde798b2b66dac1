//! Prefixes and namespaces, the elements that they name, and those that nobody reads.

pub mod element;
pub mod namespace;
pub mod unread;
