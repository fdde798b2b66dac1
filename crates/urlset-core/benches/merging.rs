//! What merging sorted runs of rows takes.
//!
//!     cargo bench -p urlset-core --bench merging -- --runs 32 locs.txt
//!
//! The lines of each file are locs, which become so many sorted runs of rows. These are merged as often as `--times` says, once
//! if it does not. It prints a line of JSON for each file: the rows, and the seconds of the best time. A run that merges them
//! once more takes the instructions of merging them once.

#![expect(clippy::print_stdout, reason = "that is where they are read")]

use std::time::Instant;
use std::{env, fs, io};

use urlset_core::write::store::{Rendered, RenderedRow, RowStore, SortedRows};

fn runs(locs: &str, count: usize) -> io::Result<Vec<Vec<u8>>> {
    let locs: Vec<&str> = locs.lines().collect();
    let run = |locs: &[&str]| {
        let (mut store, mut run) = (RowStore::<Rendered>::default(), Vec::new());
        for (index, loc) in locs.iter().enumerate() {
            store.push(&RenderedRow { row: index as u64, lastmod: Some("2026-01-31"), ..RenderedRow::of_loc(loc) });
        }
        store.write_run(&mut run).map(|()| run)
    };
    locs.chunks(locs.len().div_ceil(count).max(1)).map(run).collect()
}

/// Merges runs. Returns how many rows come in the order of their locs.
fn merge(runs: &[Vec<u8>]) -> io::Result<u64> {
    let mut rows = SortedRows::<_, Rendered>::new(runs.iter().map(Vec::as_slice));
    let (mut count, mut before) = (0, String::new());
    while let Some(row) = rows.next_row()? {
        assert!(*before <= *row.loc, "{before} before {}", row.loc);
        row.loc.clone_into(&mut before);
        count += 1;
    }
    Ok(count)
}

fn main() -> io::Result<()> {
    let (mut times, mut count) = (1, 32);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--bench" => {} // cargo adds it
            "--times" => times = arguments.next().and_then(|number| number.parse().ok()).expect("a number"),
            "--runs" => count = arguments.next().and_then(|number| number.parse().ok()).expect("a number"),
            path => {
                let (mut rows, mut seconds) = (0, f64::INFINITY);
                let runs = runs(&fs::read_to_string(path)?, count)?;
                for _ in 0..times {
                    let begun = Instant::now();
                    rows = merge(&runs)?;
                    seconds = seconds.min(begun.elapsed().as_secs_f64());
                }
                println!("{{\"runs\": {}, \"rows\": {rows}, \"seconds\": {seconds:.4}}}", runs.len());
            }
        }
    }
    Ok(())
}
