//! One document on its way into a table, by one thread or by two.

mod halves;
mod parser;
#[cfg(test)]
mod tests;

pub use halves::Halves;
pub use parser::Parser;
