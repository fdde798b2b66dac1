//! All that reading one document gives, in a form that compares, and what holds of it whatever was read.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, RecordBatch};
use urlset_core::checks::DocumentChecks;
use urlset_core::decode::ContentEncoding;
use urlset_core::decode::Decoder;
use urlset_core::diagnostic::{Finding, Findings, Rule, Selection};
use urlset_core::limits::{Budget, Limits};
use urlset_core::lint::{Linter, Settings};
use urlset_core::read::{Fault, FaultKind, Kind, Reader};
use urlset_core::table::{self, Table};

/// Where documents are read from, so that relative locs are resolved and foreign hosts are reported.
pub const LOCATION: &str = "https://e.com/dir/sitemap.xml";

/// What a document may have, but for the bounds that only make a run slow.
pub const ROOMY: Budget = Budget { wire_bytes: 4 << 20, decoded_bytes: 1 << 20, ..Budget::DEFAULT };

/// Bounds that a short input can meet.
pub const TIGHT: Budget = Budget {
    wire_bytes: 8_000,
    decoded_bytes: 10_000,
    ratio: 256,
    layers: 1,
    piece_bytes: 1_000,
    text_bytes: 200,
    depth: 6,
    attributes: 5,
    prefixes: 5,
    items_per_entry: 3,
    entries: 20,
    findings: 8,
};

#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub kind: Option<Kind>,
    pub rows: Vec<RecordBatch>,
    /// Which of the rows are `<sitemap>`.
    pub sitemaps: Vec<Vec<bool>>,
    pub findings: Vec<Finding>,
    pub counts: BTreeMap<&'static str, u64>,
    pub fault: Option<Fault>,
    pub is_recovered: bool,
    pub extensions: Vec<(String, u64)>,
    /// Of the text; how much of it was fed after a fault depends on how it was cut.
    pub bytes: Option<u64>,
}

impl Outcome {
    pub fn is_limited(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Limit)
    }

    pub fn is_refused(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::NotASitemap)
    }

    /// The same without the findings of a rule.
    pub fn without(mut self, rule: &Rule) -> Outcome {
        self.findings.retain(|finding| finding.rule != rule);
        self.counts.remove(rule.code);
        self
    }
}

/// One document being read: into a table, past the rules.
pub struct Reading {
    reader: Reader,
    sink: (DocumentChecks, (Table, Linter)),
    budget: Budget,
}

impl Reading {
    fn new(budget: Budget) -> Self {
        let mut table = Table::new(table::schema(), true);
        table.begin_document(Some(LOCATION));
        let limits = if budget == TIGHT { Limits { entries: 5, bytes: 2_000 } } else { Limits::PROTOCOL };
        let linter = Linter::new(Some(LOCATION), Selection::default(), Settings { limits, ..Settings::default() });
        let reader = Reader::new(budget, Findings::new(Selection::default(), budget.findings));
        Reading { reader, sink: (DocumentChecks::new(Some(limits)), (table, linter)), budget }
    }

    fn end(self) -> Outcome {
        let (checks, (mut table, linter)) = self.sink;
        let entries = checks.entries();
        assert_eq!(entries, linter.entries(), "the checks and the rules see the same entries");
        let batches: Vec<_> = std::iter::from_fn(|| table.take_rest()).collect();
        let reader = &self.reader;
        let fault = reader.fault().cloned();
        let outcome = Outcome {
            kind: reader.kind(),
            rows: batches.iter().map(|batch| batch.record.clone()).collect(),
            sitemaps: batches.iter().map(|batch| batch.sitemaps.to_vec()).collect(),
            findings: reader.findings(),
            counts: reader.counts().clone(),
            is_recovered: reader.is_recovered(),
            extensions: reader.extensions().map(|(uri, count)| (uri.to_owned(), count)).collect(),
            bytes: fault.is_none().then(|| reader.bytes()),
            fault,
        };
        let read = outcome.rows.iter().map(|rows| rows.num_rows() as u64).sum::<u64>();
        assert_eq!(entries, read, "an entry is a row");
        check(&outcome, reader, &self.budget);
        outcome
    }
}

/// Reads bytes in pieces, as a response with the header `encoding` has them.
pub fn read_bytes<'b>(pieces: impl IntoIterator<Item = &'b [u8]>, encoding: &str, budget: Budget) -> Outcome {
    let mut decoder = Decoder::new(budget, ContentEncoding::parse(encoding).expect("a header that is known"));
    let mut reading = Reading::new(budget);
    for piece in pieces {
        decoder.feed(piece, &mut reading.reader, &mut reading.sink);
    }
    decoder.finish(&mut reading.reader, &mut reading.sink);
    let bytes = reading.reader.bytes();
    assert!(bytes <= budget.decoded_bytes, "{bytes} bytes of text are too many");
    reading.end()
}

/// Reads text in pieces, no decoder before it.
pub fn read_text<'t>(pieces: impl IntoIterator<Item = &'t str>, budget: Budget) -> Outcome {
    let mut reading = Reading::new(budget);
    for piece in pieces {
        reading.reader.feed(piece, &mut reading.sink);
    }
    reading.reader.finish(&mut reading.sink);
    reading.end()
}

/// What holds of every reading, whatever was read and however it was cut.
fn check(outcome: &Outcome, reader: &Reader, budget: &Budget) {
    let (bytes, fed, work) = (reader.bytes(), reader.fed(), reader.work());
    assert!(work <= 4 * fed + 8_192, "{work} bytes were looked at to read {fed}");
    assert!(bytes <= fed, "{bytes} bytes were read of {fed}");

    assert!(outcome.fault.is_some() || outcome.kind.is_some(), "a document that was read is of a kind");
    if let Some(fault) = &outcome.fault {
        assert!(fault.finding.position.offset <= bytes, "{fault:?} lies behind the text");
        if fault.kind == FaultKind::NotASitemap {
            assert!(outcome.rows.is_empty(), "a document that is not a sitemap has no entries");
        }
    }

    assert!(outcome.findings.len() <= budget.findings, "more findings were kept than are allowed");
    assert!(
        outcome.findings.is_sorted_by_key(|finding| finding.position.offset),
        "findings come in the order of their positions"
    );
    let mut kept = BTreeMap::<&str, u64>::new();
    for finding in &outcome.findings {
        assert!(finding.position.offset <= bytes, "{finding:?} lies behind the text");
        *kept.entry(finding.rule.code).or_default() += 1;
    }
    assert!(kept.iter().all(|(code, kept)| outcome.counts[code] >= *kept), "findings are kept and not counted");
    let total = outcome.counts.values().sum::<u64>();
    if outcome.fault.is_none() {
        assert_eq!(outcome.findings.len() as u64, total.min(budget.findings as u64), "the first findings are kept");
    }

    let mut last = 1;
    for record in &outcome.rows {
        let lines = record.column_by_name("line").expect("a column").as_primitive::<UInt32Type>();
        assert_eq!(lines.null_count(), 0, "every row has a line");
        for line in lines.values() {
            assert!(last <= *line, "an entry on line {line} comes after one on line {last}");
            last = *line;
        }
    }
}
