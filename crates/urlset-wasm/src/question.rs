//! What a document is to be judged by, as the page asks it.

use std::collections::BTreeMap;

use serde::Deserialize;
use urlset_core::diagnostic::{Selection, Severity};
use urlset_core::document::Terms;
use urlset_core::limits::{Budget, Limits};
use urlset_core::lint::Settings;

/// The fields that `urlset lint` hands to the core, by the same names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The severity of each enabled rule, by code.
    rules: BTreeMap<String, String>,
    /// The URL of the document, or else its name.
    location: Option<String>,
    /// Microseconds since the epoch.
    pub now: i64,
    loc_chars: usize,
    loc_bytes: Option<usize>,
    tag_bytes: Option<usize>,
    /// Most entries of a document, and most bytes.
    document_entries: u64,
    document_bytes: u64,
    feeds: bool,
    indexes: bool,
    extensions: bool,
    foreign_children: bool,
    /// How many findings of one rule are kept.
    pub fold: u32,
    /// Whether the unsafe fixes are made too.
    #[serde(default)]
    pub is_unsafe: bool,
}

impl Question {
    pub fn parse(json: &[u8]) -> Result<Question, String> {
        let question: Question = serde_json::from_slice(json).map_err(|error| format!("the question: {error}"))?;
        match question.rules.values().find(|severity| Severity::named(severity).is_none()) {
            Some(unknown) => Err(format!("{unknown:?} is not a severity")),
            None => Ok(question),
        }
    }

    pub fn terms(&self) -> Terms {
        let rules = self.rules.iter();
        let rules = rules.filter_map(|(code, severity)| Some((code.as_str(), Severity::named(severity)?)));
        let limits = Limits { entries: self.document_entries, bytes: self.document_bytes };
        Terms {
            selection: Selection::new(rules),
            location: self.location.clone(),
            settings: Settings {
                now: self.now,
                zone: None,
                loc_chars: self.loc_chars,
                loc_bytes: self.loc_bytes,
                tag_bytes: self.tag_bytes,
                indexes: self.indexes,
                extensions: self.extensions,
                foreign_children: self.foreign_children,
                limits,
                proven_hosts: Vec::new(),
            },
            feeds: self.feeds,
            limits: Some(limits),
            budget: Budget::DEFAULT,
        }
    }
}
