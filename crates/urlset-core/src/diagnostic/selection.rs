//! Which rules are reported, and how severe each is.

use super::catalogue::{COUNT, ROB007, RULES};
use super::rule::{Rule, Severity};

/// The rules that are on, and the severity of each.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    /// One bit for each rule.
    on: u128,
    severities: [Severity; COUNT],
}

const _: () = assert!(COUNT <= 128);

impl Default for Selection {
    /// Every rule, each with the severity of its page, but ROB007: it is about who may fetch what, and changes nothing of
    /// what is read.
    fn default() -> Self {
        let mut severities = [Severity::Error; COUNT];
        for rule in RULES {
            severities[rule.index] = rule.severity;
        }
        Selection { on: !(1 << ROB007.index), severities }
    }
}

impl Selection {
    /// The rules of these codes. Codes of rules over a set are ignored, because the core does not judge sets.
    pub fn new<'c>(rules: impl Iterator<Item = (&'c str, Severity)>) -> Self {
        let mut selection = Selection { on: 0, ..Selection::default() };
        for (code, severity) in rules {
            if let Ok(index) = RULES.binary_search_by(|rule| rule.code.cmp(code)) {
                selection.on |= 1 << index;
                selection.severities[index] = severity;
            }
        }
        selection
    }

    /// Whether a rule is on.
    #[inline(always)]
    pub fn takes(&self, rule: &Rule) -> bool {
        self.on >> rule.index & 1 != 0
    }

    pub fn severity(&self, rule: &Rule) -> Severity {
        self.severities[rule.index]
    }
}
