//! One document while it is judged.

use super::terms::Terms;
use crate::checks::DocumentChecks;
use crate::decode::{ContentEncoding, Decoder};
use crate::diagnostic::Findings;
use crate::lint::Linter;
use crate::read::Reader;
use crate::read::sink::{Silent, Sink};
use crate::table::{Child, Children};

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
/// let found = findings.iter().find(|finding| finding.rule.code == "LOC002").unwrap();
/// assert_eq!((found.position.line, found.position.column), (1, 71));
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
