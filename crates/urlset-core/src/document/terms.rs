//! What a document is judged by.

use crate::checks::DocumentChecks;
use crate::diagnostic::catalogue::RULES;
use crate::diagnostic::{Findings, Selection};
use crate::limits::{Budget, Limits};
use crate::lint::{Linter, Settings};

/// What a document is judged by: the rules, the consumer, and what the caller knows of it.
#[derive(Debug, Clone)]
pub struct Terms {
    pub selection: Selection,
    /// The URL of the document, or else its path.
    pub location: Option<String>,
    pub settings: Settings,
    /// Whether the consumer reads feeds.
    pub feeds: bool,
    /// What the check of the size goes by; None checks no size.
    pub limits: Option<Limits>,
    pub budget: Budget,
}

impl Default for Terms {
    /// Every rule that the protocol's profile has, and the protocol's limits.
    fn default() -> Self {
        Terms {
            selection: Selection::default(),
            location: None,
            settings: Settings::default(),
            feeds: true,
            limits: Some(Limits::PROTOCOL),
            budget: Budget::DEFAULT,
        }
    }
}

impl Terms {
    /// Findings of which at most `fold` are kept of each rule, so that one rule cannot push out another.
    pub fn findings(&self, fold: u32) -> Findings {
        let most = RULES.len().saturating_mul(fold as usize);
        Findings::new(self.selection, most).with_most_of_rule(fold)
    }

    /// The checks that every reading makes.
    pub fn checks(&self) -> DocumentChecks {
        DocumentChecks::new(self.limits).with_feeds(self.feeds)
    }

    /// The rules.
    pub fn linter(&self) -> Linter {
        Linter::new(self.location.as_deref(), self.selection, self.settings.clone())
    }
}
