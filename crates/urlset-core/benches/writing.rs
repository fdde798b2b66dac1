//! What writing a document from a table takes that is counted and not timed.
//!
//!     cargo bench -p urlset-core --bench writing -- benches/data/plain-50000.xml
//!
//! Each file is read into the full table, and its rows are written again as often as `--times` says, once if it does not.
//! It prints a line of JSON for each file: the entries, the bytes that were written, and the seconds of the best time. A
//! run that writes them once more takes the instructions of writing them once.

#![expect(clippy::print_stdout, reason = "that is where they are read")]

use std::path::Path;
use std::time::Instant;
use std::{env, fs, hint, io};

use arrow_array::RecordBatch;
use urlset_core::decode::{ContentEncoding, Decoder};
use urlset_core::diagnostic::Findings;
use urlset_core::limits::Budget;
use urlset_core::read::{Kind, Reader};
use urlset_core::table::{Table, schema};
use urlset_core::write::Encoder;
use urlset_core::write::arrow::BatchRows;
use urlset_core::write::names::ColumnNames;

fn read(document: &[u8]) -> Vec<RecordBatch> {
    let budget = Budget::DEFAULT;
    let mut reader = Reader::new(budget, Findings::default());
    let mut decoder = Decoder::new(budget, ContentEncoding::default());
    let mut table = Table::new(schema(), true);
    let mut batches = Vec::new();
    table.begin_document(None);
    for piece in document.chunks(1 << 18) {
        decoder.feed(piece, &mut reader, &mut table);
        batches.extend(table.take_full());
    }
    decoder.finish(&mut reader, &mut table);
    batches.extend(table.take_rest());
    batches.into_iter().map(|batch| batch.record).collect()
}

/// Writes the rows of tables. Returns how many there are, and how many bytes they take. A row that is refused ends it.
fn write(batches: &[RecordBatch], encoder: &mut Encoder) -> (u64, usize) {
    let names = ColumnNames::default();
    for batch in batches {
        let rows = BatchRows::new(batch, &names, &[]).expect("our own table");
        let mut at = 0;
        while at < rows.len() {
            at += encoder.push_usual(&rows, at, u64::MAX) as usize;
            if at < rows.len() {
                encoder.push(&rows.row(at)).expect("a row that was read");
                at += 1;
            }
        }
    }
    let Some((xml, entries)) = encoder.finish_in_place() else { return (0, 0) };
    (entries, hint::black_box(&xml).iter().map(|piece| piece.len()).sum())
}

fn main() -> io::Result<()> {
    let mut times = 1;
    for argument in env::args().skip(1) {
        if let Some(number) = argument.strip_prefix("--times=") {
            times = number.parse().map_err(io::Error::other)?;
        }
        if argument.starts_with("--") {
            continue;
        }
        let batches = read(&fs::read(&argument)?);
        let mut encoder = Encoder::new(Kind::Urlset, None);
        let (mut written, mut best) = ((0, 0), f64::INFINITY);
        for _ in 0..times {
            let begin = Instant::now();
            written = write(&batches, &mut encoder);
            best = best.min(begin.elapsed().as_secs_f64());
        }
        let name = Path::new(&argument).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.split('-').next().unwrap_or_default();
        println!(
            "{{\"input\": \"{name}\", \"entries\": {}, \"bytes\": {}, \"seconds\": {best:.6}}}",
            written.0, written.1
        );
    }
    Ok(())
}
