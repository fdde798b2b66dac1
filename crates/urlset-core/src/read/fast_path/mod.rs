//! The fast path: entries that are written as earlier ones were, and how that is learned.

mod item_learner;
mod items;
mod learner;
mod lines;
mod odd_value;
mod plain;
mod segment_chain;
mod shaped;
