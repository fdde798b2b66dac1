//! Fixes, applied over and over: they come to an end, and what they fix is not found again. Safe ones leave the rows as they
//! are, but for the values that were defects.

use urlset_core::checks::DocumentChecks;
use urlset_core::diagnostic::fix::apply;
use urlset_core::diagnostic::{Findings, Safety, Selection};
use urlset_core::lint::{Linter, Settings};
use urlset_core::read::Reader;
use urlset_core::read::sink::TextCopy;
use urlset_core::table::{self, Table};
use urlset_core::value::zone::Zone;
use urlset_core::write::arrow::BatchRows;
use urlset_core::write::names::ColumnNames;

use crate::outcome::{LOCATION, ROOMY};

/// One fix may bring another to light, for each thing that is wrong at one position.
const ROUNDS: usize = 50;
/// Fixes of these change a loc.
const OF_LOCS: [&str; 6] = ["LOC002", "LOC004", "LOC006", "LOC007", "LOC008", "XML007"];

struct Pass {
    locs: Vec<String>,
    text: String,
    applied: Vec<(&'static str, u64)>,
    has_fault: bool,
    /// Codes of findings that a safe fix could remove, in a document that is well-formed.
    left: Vec<&'static str>,
}

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    fixed(text, false);
    fixed(text, true);
}

fn fixed(text: &str, is_unsafe: bool) {
    let first = pass(text, is_unsafe);
    // A document that cannot be read to its end is not fixed.
    if first.has_fault {
        return;
    }
    let mut changed: Vec<&str> = first.applied.iter().map(|(code, _)| *code).collect();
    let mut last = pass(&first.text, is_unsafe);
    for _ in 0..ROUNDS {
        if last.has_fault {
            return assert!(is_unsafe, "fixes broke {text:?}: {:?}", last.text);
        }
        if last.applied.is_empty() {
            break;
        }
        changed.extend(last.applied.iter().map(|(code, _)| *code));
        last = pass(&last.text, is_unsafe);
    }
    assert_eq!(last.applied, [], "fixes of {text:?} come to no end: {:?}", last.text);
    assert_eq!(last.left, Vec::<&str>::new(), "what was fixed is found again: {text:?} became {:?}", last.text);
    if is_unsafe {
        return;
    }
    assert_eq!(first.locs.len(), last.locs.len(), "rows of {text:?} came or went: {:?}", last.text);
    if !changed.iter().any(|code| OF_LOCS.contains(code)) {
        assert_eq!(first.locs, last.locs, "locs of {text:?} have changed");
    }
}

/// Reads a text and makes its fixes once.
fn pass(text: &str, is_unsafe: bool) -> Pass {
    let mut table = Table::new(table::schema(), true);
    table.begin_document(Some(LOCATION));
    let settings = Settings { now: 1_769_904_000_000_000, zone: Some(Zone::fixed("+01:00")), ..Settings::default() };
    let linter = Linter::new(Some(LOCATION), Selection::default(), settings);
    let checks = DocumentChecks::new(None);
    let mut reader = Reader::new(ROOMY, Findings::default().with_fixes());
    let mut sink = ((table, TextCopy::default()), (checks, linter));
    reader.feed(text, &mut sink);
    reader.finish(&mut sink);
    let batches = std::iter::from_fn(|| sink.0.0.take_rest());
    let locs = batches.flat_map(|batch| {
        let rows = BatchRows::new(&batch.record, &ColumnNames::default(), &[]).expect("our own table can be read");
        (0..rows.len()).map(|at| rows.row(at).loc.to_owned()).collect::<Vec<_>>()
    });
    let locs = locs.collect();
    let is_left = |finding: &urlset_core::diagnostic::Finding| {
        finding.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe && !fix.edits.is_empty())
    };
    let is_well_formed = !reader.is_recovered();
    let found = reader.findings();
    let left = found.iter().filter(|finding| is_well_formed && is_left(finding));
    let left = left.map(|finding| finding.rule.code).collect();
    let has_fault = reader.fault().is_some();
    let fixes = reader.into_fixes();
    let (text, applied) = apply(&sink.0.1.text, &fixes, is_unsafe);
    Pass { locs, text, applied, has_fault, left }
}
