//! What ends a piece, or the reading of a document, early.

use super::text;
use crate::diagnostic::{Finding, Rule, catalogue};

/// Why the parse of a piece cannot go on. Small, because every step of the parser returns one or a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    NeedData,
    Problem(Box<Problem>),
    /// It is well-formed, but not built as it should be: the mender sees what is meant.
    Odd,
}

/// What is wrong with the document; `at` is an offset of the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: FaultKind,
    pub at: usize,
    pub rule: &'static Rule,
    pub message: String,
}

impl Problem {
    /// Whether nothing can be read on after it.
    pub fn is_fatal(&self) -> bool {
        self.kind != FaultKind::Malformed
    }
}

impl Stop {
    pub fn problem(kind: FaultKind, at: usize, rule: &'static Rule, message: impl Into<String>) -> Self {
        Stop::Problem(Box::new(Problem { kind, at, rule, message: message.into() }))
    }

    #[cold]
    pub fn malformed(at: usize, message: impl Into<String>) -> Self {
        Stop::problem(FaultKind::Malformed, at, &catalogue::XML001, message)
    }

    #[cold]
    pub fn limit(at: usize, message: impl Into<String>) -> Self {
        Stop::problem(FaultKind::Limit, at, &catalogue::LIM007, message)
    }

    #[cold]
    pub fn not_a_sitemap(at: usize, message: impl Into<String>) -> Self {
        Stop::problem(FaultKind::NotASitemap, at, &catalogue::XML008, message)
    }

    #[cold]
    pub fn text(start: usize, fault: text::Fault) -> Self {
        let rule = if fault.illegal_character { &catalogue::XML007 } else { &catalogue::XML001 };
        Stop::problem(FaultKind::Malformed, start + fault.at, rule, fault.message)
    }
}

/// Whose fault it is that reading ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    NotASitemap,
    Malformed,
    /// The text ended before the document did.
    Truncated,
    /// A bound of ours was met.
    Limit,
}

/// The end of reading before the end of the document. What was read before it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    pub finding: Finding,
}
