//! What reading a document takes that is counted and not timed: blocks of memory, and bytes that are looked at.
//!
//!     cargo bench -p urlset-core --bench counts -- benches/data/plain-50000.xml
//!
//! It prints a line of JSON for a tiny document and for each file: the blocks that were allocated to read it into the full
//! table, the bytes of these, the most that were held at once, and the bytes that the parser looked at, of which those
//! that it had to look at again are counted again. A run gives the same counts as the one before.

#![expect(clippy::print_stdout, reason = "that is where they are read")]

use std::path::Path;
use std::{env, fs, hint, io};

use urlset_core::checks::DocumentChecks;
use urlset_core::decode::{ContentEncoding, Decoder};
use urlset_core::diagnostic::Findings;
use urlset_core::limits::Budget;
use urlset_core::read::Reader;
use urlset_core::table::{Table, schema};

/// Bytes of a piece: what is read from a file at once.
const PIECE: usize = 1 << 18;
const TINY: &[u8] = b"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
    <url><loc>https://example.com/</loc><lastmod>2026-01-01</lastmod></url>\n</urlset>\n";

/// Reads a document into the table. Returns how many entries it has, and how many bytes were looked at.
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

fn count(name: &str, document: &[u8]) {
    // What is made once for all documents is there already.
    let (entries, looked_at) = read(document);
    let counted = allocation_counter::measure(|| _ = hint::black_box(read(document)));
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
    count("tiny", TINY);
    // Cargo hands over an option of its own.
    for path in env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        count(name.split('-').next().unwrap_or_default(), &fs::read(&path)?);
    }
    Ok(())
}
