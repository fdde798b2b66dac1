//! What is wrong with a value, in the words that `lint` and whatever writes share.

use crate::diagnostic::{Rule, Safety};

/// Something that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub rule: &'static Rule,
    pub message: String,
    pub help: Option<String>,
    /// What can be written in place of the value, and whether that changes more than the defect.
    pub instead: Option<(Safety, String)>,
}

impl Fault {
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Fault {
        Fault { rule, message: message.into(), help: None, instead: None }
    }

    pub(super) fn with_help(self, help: impl Into<String>) -> Fault {
        Fault { help: Some(help.into()), ..self }
    }

    pub(super) fn with_instead(self, safety: Safety, text: impl Into<String>) -> Fault {
        Fault { instead: Some((safety, text.into())), ..self }
    }
}
