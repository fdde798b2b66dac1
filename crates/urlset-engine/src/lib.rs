//! What runs files and threads for `urlset-core`: the inputs of documents, scans of many documents at once, rows that
//! spill to disk, and the file of a manifest. It knows no Python: whoever embeds it hands in sources of bytes and checks for interruption.

#![forbid(unsafe_code)]

pub mod held_batches;
pub mod input;
pub mod interrupt;
pub mod manifest;
pub mod memory;
pub mod partition;
pub mod pipe;
pub mod reading;
pub mod sampling;
pub mod scan;
pub mod spill_store;

mod pool;
mod run_thread;
