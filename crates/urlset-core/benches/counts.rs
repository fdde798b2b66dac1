//! What reading and linting a document takes that is counted and not timed: blocks of memory, and bytes that are looked at.
//!
//!     cargo bench -p urlset-core --bench counts -- benches/data/plain-50000.xml
//!     cargo bench -p urlset-core --bench counts -- --lint benches/data/plain-50000.xml
//!
//! It prints a line of JSON for a tiny document and for each file: the blocks that were allocated to read it into the full
//! table, or to lint it, the bytes of these, the most that were held at once, and the bytes that the parser looked at, of
//! which those that it had to look at again are counted again. A run gives the same counts as the one before.

#![expect(clippy::print_stdout, reason = "that is where they are read")]

use std::path::Path;
use std::{env, fs, hint, io};

use urlset_core::checks::DocumentChecks;
use urlset_core::decode::{ContentEncoding, Decoder};
use urlset_core::diagnostic::catalogue::RULES;
use urlset_core::diagnostic::{Findings, Selection};
use urlset_core::document::{Judgement, Terms};
use urlset_core::limits::Budget;
use urlset_core::read::Reader;
use urlset_core::table::{Table, schema};

/// Bytes of a piece: what is read from a file at once.
const PIECE: usize = 1 << 18;
const TINY: &[u8] = b"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
    <url><loc>https://example.com/</loc><lastmod>2026-01-01</lastmod></url>\n</urlset>\n";

/// Goes through a document. Returns how many entries it has, and how many bytes were looked at.
type Run = fn(&[u8]) -> (u64, u64);

/// The rules that the profile `protocol` leaves out.
const NOT_OF_PROTOCOL: [&str; 24] = [
    "ALT008", "ALT010", "FRQ002", "FRQ003", "IDX004", "IDX009", "IDX010", "IMG003", "IMG005", "LIM006", "LOC007",
    "LOC015", "LOC017", "LOC018", "MOD006", "MOD011", "NWS006", "PRI004", "ROB007", "TXT004", "VID009", "VID012",
    "XML012", "XML014",
];

/// Judges a document by the rules of the profile `protocol`.
fn lint(document: &[u8]) -> (u64, u64) {
    let rules = RULES.iter().filter(|rule| !NOT_OF_PROTOCOL.contains(&rule.code));
    let selection = Selection::new(rules.map(|rule| (rule.code, rule.severity)));
    let terms = Terms { selection, ..Terms::default() };
    let mut judgement = Judgement::new(&terms, terms.findings(50), ContentEncoding::default());
    for piece in document.chunks(PIECE) {
        judgement.feed(piece, &mut ());
    }
    judgement.finish(&mut ());
    drop(hint::black_box(judgement.reader.findings()));
    (judgement.linter.entries(), judgement.reader.work())
}

/// Reads a document into the table.
fn read(document: &[u8]) -> (u64, u64) {
    let budget = Budget::DEFAULT;
    let mut reader = Reader::new(budget, Findings::default());
    let mut decoder = Decoder::new(budget, ContentEncoding::default());
    let mut checks = DocumentChecks::new(None);
    let mut table = Table::new(schema(), true);
    table.begin_document(None);
    for piece in document.chunks(PIECE) {
        decoder.feed(piece, &mut reader, &mut (&mut checks, &mut table));
        drop(hint::black_box(table.take_full()));
    }
    decoder.finish(&mut reader, &mut (&mut checks, &mut table));
    drop(hint::black_box(table.take_rest()));
    (checks.entries(), reader.work())
}

fn count(run: Run, name: &str, document: &[u8]) {
    // What is made once for all documents is there already.
    let (entries, looked_at) = run(document);
    let counted = allocation_counter::measure(|| _ = hint::black_box(run(document)));
    println!(
        "{{\"input\": \"{name}\", \"entries\": {entries}, \"bytes\": {}, \"allocations\": {}, \"allocated_bytes\": {}, \
         \"peak_bytes\": {}, \"looked_at\": {looked_at}}}",
        document.len(),
        counted.count_total,
        counted.bytes_total,
        counted.bytes_max,
    );
}

fn main() -> io::Result<()> {
    let run: Run = if env::args().any(|argument| argument == "--lint") { lint } else { read };
    count(run, "tiny", TINY);
    // Cargo hands over an option of its own.
    for path in env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        count(run, name.split('-').next().unwrap_or_default(), &fs::read(&path)?);
    }
    Ok(())
}
