//! The rules of the grammar: what reading itself reports, with or without the linter, because it had to repair, tolerate
//! or give up something. `read` and `decode` know these rules and no others; a test of the layers proves that.
//!
//! The grammar is that of compression and charsets (XML001, XML002, XML004), of XML and its namespaces, of the elements
//! that make an entry (XML010, XML011), of lists of lines and of robots.txt. LIM007 is the budget of reading.

pub use super::catalogue::{
    LIM007, NS001, NS003, NS004, NS005, ROB002, ROB005, ROB007, TXT001, TXT003, XML001, XML002, XML003, XML004, XML005,
    XML007, XML008, XML009, XML010, XML011,
};
