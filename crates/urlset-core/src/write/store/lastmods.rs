//! What is known of the lastmods of a set before any document is made.

use super::facts::Facts;
use super::rendered_row::RenderedRow;

/// Counts over the lastmods of all rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lastmods {
    /// How many rows have a lastmod.
    pub dated: u64,
    /// The latest lastmod, in microseconds since the epoch.
    pub latest: Option<i64>,
    /// How many lastmods are later than the moment that was asked about, and the first loc of these.
    pub later: u64,
    pub example: Option<String>,
    /// A lastmod that more than half of the rows may have, and how many do.
    pub commonest: Option<(String, u64)>,
}

impl Lastmods {
    /// No rows yet, of all that the facts are about.
    pub fn new(facts: &Facts) -> Lastmods {
        Lastmods { commonest: facts.commonest_lastmod().map(|text| (text.to_owned(), 0)), ..Lastmods::default() }
    }

    /// Add a row. `later` is a moment in microseconds since the epoch.
    pub fn add(&mut self, row: &RenderedRow<'_>, later: i64) {
        let Some(lastmod) = row.lastmod else { return };
        self.dated += 1;
        if let Some((commonest, count)) = &mut self.commonest {
            *count += u64::from(commonest == lastmod);
        }
        let instant = row.instant();
        self.latest = self.latest.max(instant);
        if instant > Some(later) {
            self.later += 1;
            self.example.get_or_insert_with(|| row.loc.to_owned());
        }
    }
}
