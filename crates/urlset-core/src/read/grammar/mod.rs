//! What is inside an entry: its fields, its extensions and what is passed over.

pub mod content;
mod feed;
mod image;
mod news;
mod skip;
mod video;
