//! What a rule is, and how severe a finding of it.

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Info,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }

    pub fn named(name: &str) -> Option<Severity> {
        [Severity::Error, Severity::Warning, Severity::Info].into_iter().find(|severity| severity.name() == name)
    }
}

/// A rule's code, name and usual severity; its page has the rest.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    pub code: &'static str,
    pub name: &'static str,
    pub severity: Severity,
    /// Its index in [`super::catalogue::RULES`].
    pub index: usize,
}
