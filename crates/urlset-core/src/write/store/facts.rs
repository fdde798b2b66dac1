//! What is known of rows once all of them have come, before they are sorted.

use super::rendered_row::RenderedRow;
use crate::value::identity;
use crate::write::layout::NamespacesUsed;

/// Counts over all rows of a store.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub rows: u64,
    /// Bytes of memory that all of them would take.
    pub bytes: u64,
    /// Whether any row has an extra.
    pub has_extras: bool,
    /// Whether any loc is not in its normal form, so that another one may be the same URL.
    pub has_unnormalized: bool,
    /// The namespaces that any row uses.
    pub namespaces: NamespacesUsed,
    majority: Majority,
}

impl Facts {
    /// Add a row that takes so many bytes of memory.
    pub fn add(&mut self, row: &RenderedRow<'_>, bytes: usize) {
        self.rows += 1;
        self.bytes += bytes as u64;
        self.has_extras |= row.extras.iter().any(|extra| extra.is_some());
        self.has_unnormalized |= !identity::is_in_normal_form(row.loc);
        self.namespaces = self.namespaces.and(row.namespaces);
        self.majority.add(row.lastmod.unwrap_or_default());
    }

    /// Return the lastmod of more than half of the rows; if none is that common, it is any other.
    pub fn commonest_lastmod(&self) -> Option<&str> {
        Some(self.majority.candidate.as_str()).filter(|text| !text.is_empty())
    }
}

/// Finds the text that more than half of all texts are, in one pass and with one candidate.
///
/// Source: Boyer and Moore, MJRTY, a fast majority vote algorithm.
#[derive(Debug, Clone, Default)]
struct Majority {
    candidate: String,
    lead: u64,
}

impl Majority {
    fn add(&mut self, text: &str) {
        if self.candidate == text {
            self.lead += 1;
        } else if self.lead == 0 {
            self.candidate.clear();
            self.candidate.push_str(text);
            self.lead = 1;
        } else {
            self.lead -= 1;
        }
    }
}
