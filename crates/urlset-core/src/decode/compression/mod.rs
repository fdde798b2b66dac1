//! Undoing one layer of compression.

mod brotli;
mod budgeted_buffer;
mod decompressor;
mod inflate;
mod layer;
mod step;
mod zstd;

pub use budgeted_buffer::Buffer;
pub use layer::{Halt, Layer};
