//! One document judged by the rules, and the fixes that they offer.
//!
//! `lint` judges entries while a reader reads them; here the whole chain is put together: bytes go in, findings come out.

mod fix;

pub use fix::{Fixed, Refusal, fix};

use crate::checks::DocumentChecks;
use crate::decode::{ContentEncoding, Decoder};
use crate::diagnostic::catalogue::RULES;
use crate::diagnostic::{Findings, Selection};
use crate::limits::{Budget, Limits};
use crate::lint::{Linter, Settings};
use crate::read::Reader;
use crate::read::sink::{Silent, Sink};
use crate::table::{Child, Children};

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

/// One document while it is judged. Bytes are fed in pieces of any size.
///
/// ```
/// use urlset_core::document::{Judgement, Terms};
///
/// let terms = Terms::default();
/// let mut judgement = Judgement::new(&terms, terms.findings(50), Default::default());
/// let xml = r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/tea</loc></url></urlset>"#;
/// judgement.feed(xml.as_bytes(), &mut ());
/// judgement.finish(&mut ());
/// let findings = judgement.reader.findings();
/// assert_eq!((findings[0].rule.code, findings[0].position.column), ("LOC002", 75));
/// ```
pub struct Judgement {
    pub reader: Reader,
    pub decoder: Decoder,
    pub linter: Linter,
    children: Silent<Children>,
    checks: DocumentChecks,
}

impl Judgement {
    /// The document of these terms, that came with this content encoding, before its first byte.
    pub fn new(terms: &Terms, findings: Findings, encoding: ContentEncoding) -> Self {
        let location = terms.location.as_deref();
        Judgement {
            reader: Reader::new(terms.budget, findings).at_location(location),
            decoder: Decoder::new(terms.budget, encoding),
            linter: terms.linter(),
            children: Silent(Children::new(location)),
            checks: terms.checks(),
        }
    }

    /// Takes the next bytes. `also` sees the document too.
    pub fn feed(&mut self, piece: &[u8], also: &mut impl Sink) {
        let mut sink = (&mut self.checks, (&mut self.linter, (&mut self.children, also)));
        self.decoder.feed(piece, &mut self.reader, &mut sink);
    }

    /// Takes the end of the document.
    pub fn finish(&mut self, also: &mut impl Sink) {
        let mut sink = (&mut self.checks, (&mut self.linter, (&mut self.children, also)));
        self.decoder.finish(&mut self.reader, &mut sink);
    }

    /// The children that the document named so far, if it is an index, a feed or a robots.txt.
    pub fn take_children(&mut self) -> Vec<Child> {
        std::mem::take(&mut self.children.0.found)
    }
}
