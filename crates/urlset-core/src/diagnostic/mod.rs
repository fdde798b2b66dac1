//! The ground floor: what a rule, a note, a finding and a fix are, and where something is in a document.
//!
//! Every other room reports by these types, so this one knows nothing of reading, linting or writing.

pub mod catalogue;
pub mod finding;
pub mod fix;
pub mod grammar;
pub mod note;
pub mod notebook;
pub mod position;
pub mod removal;
pub mod rule;
pub mod selection;
pub mod wording;

pub use finding::{Finding, Findings};
pub use fix::{Edit, Fix, Safety};
pub use note::Note;
pub use notebook::Notebook;
pub use position::Position;
pub use rule::{Rule, Severity};
pub use selection::Selection;
