//! What ends the reading of a document early.

use std::borrow::Cow;

use crate::diagnostic::{Finding, Rule};

/// What is wrong with the document; `at` is an offset of the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: FaultKind,
    pub at: usize,
    pub rule: &'static Rule,
    pub message: Cow<'static, str>,
}

impl Problem {
    /// Whether nothing can be read after it.
    pub fn is_fatal(&self) -> bool {
        self.kind != FaultKind::Malformed
    }
}

/// Whose fault it is that reading ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    NotASitemap,
    Malformed,
    /// The text ended before the document did.
    Truncated,
    /// The budget was exceeded.
    Limit,
}

/// The end of reading before the end of the document. What was read before it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    pub finding: Finding,
}
