#![doc = include_str!("../README.md")]
//!
//! # How data flows
//!
//! No file, socket or clock is touched here. Data flows one way: `decode` makes text of bytes, `read` makes entries
//! of text, and a [`read::sink::Sink`] takes them: `table` as Arrow columns, `lint` to judge them. `parse` is all of that
//! for a table, and [`document`] for the findings and fixes of a document. `write` goes back. `page` says what stands in an HTML page, and
//! `crawl` what becomes of its links.

#![forbid(unsafe_code)]

pub mod checks;
mod compact;
pub mod crawl;
pub mod decode;
pub mod diagnostic;
pub mod diff;
pub mod document;
pub mod json_lines;
pub mod judge;
pub mod limits;
pub mod lint;
pub mod media;
pub mod page;
pub mod parse;
pub mod read;
pub mod robots;
pub mod table;
pub mod value;
pub mod write;
pub mod xml;

#[cfg(test)]
mod tests;
