//! One document on its way into a table, by one thread or by two.

mod parallel_split;
mod parser;
#[cfg(test)]
mod tests;

pub use parallel_split::ParallelSplit;
pub use parser::Parser;
