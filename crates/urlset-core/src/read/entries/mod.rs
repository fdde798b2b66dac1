//! Entries as data: the values of one, many in a row, how they are written, and who takes them.

pub mod entry;
pub mod entry_run;
pub mod meaning;
pub mod numbers;
pub mod shapes;
pub mod sink;
pub mod slots;
