//! Why the parse of a piece stops.

use std::borrow::Cow;

use super::fault::{FaultKind, Problem};
use super::text;
use crate::diagnostic::{Rule, grammar};

/// Why the parse of a piece cannot go on. Small, because every step of the parser returns one or a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    NeedData,
    Problem(Box<Problem>),
    /// It is well-formed, but not built as it should be: recovery finds out what is meant.
    NeedsRecovery,
}

impl Stop {
    pub fn problem(kind: FaultKind, at: usize, rule: &'static Rule, message: impl Into<Cow<'static, str>>) -> Self {
        Stop::Problem(Box::new(Problem { kind, at, rule, message: message.into() }))
    }

    #[cold]
    pub fn malformed(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Stop::problem(FaultKind::Malformed, at, &grammar::XML001, message)
    }

    #[cold]
    pub fn limit(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Stop::problem(FaultKind::Limit, at, &grammar::LIM007, message)
    }

    #[cold]
    pub fn not_a_sitemap(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Stop::problem(FaultKind::NotASitemap, at, &grammar::XML008, message)
    }

    #[cold]
    pub fn text(start: usize, fault: text::TextFault) -> Self {
        let rule = if fault.illegal_character { &grammar::XML007 } else { &grammar::XML001 };
        Stop::problem(FaultKind::Malformed, start + fault.at, rule, fault.message)
    }
}
