//! The fast path: entries that are written as earlier ones were, and how that is learned.

mod learner;
mod lines;
mod odd_value;
mod plain;
mod shaped;
