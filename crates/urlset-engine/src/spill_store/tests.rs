use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use urlset_core::write::TableError;
use urlset_core::write::store::{Rendered, RenderedRow};

use super::{MANY_RUNS, MAX_RUNS, Sorted, SpillStore};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("urlset-spill-store-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// The loc of a row. Those of rows that follow each other are far apart, and some come twice.
fn loc(index: usize) -> String {
    format!("https://shop.example/{:05}", index * 7_919 % 9_973)
}

/// A store of so many rows, of which each hundred is spilled but those at the end.
fn filled(folder: &Folder, rows: usize, may_be_unread: bool) -> SpillStore<Rendered> {
    let mut store = SpillStore::default();
    for index in 0..rows {
        if index % 100 == 0 && index > 0 {
            store.spill(folder.0.join(format!("run-{index}")), may_be_unread).unwrap();
            assert_eq!(store.size(), 0);
        }
        store.push(&RenderedRow { row: index as u64, ..RenderedRow::of_loc(&loc(index)) });
    }
    store
}

fn rows_of(rows: &mut Sorted<Rendered>) -> io::Result<Vec<u64>> {
    let mut found = Vec::new();
    while let Some(row) = rows.next_row()? {
        assert_eq!(row.loc, loc(row.row as usize));
        found.push(row.row);
    }
    assert!(rows.next_row()?.is_none());
    Ok(found)
}

/// A plain stable sort says the same.
fn expected(rows: usize) -> Vec<u64> {
    let mut order: Vec<u64> = (0..rows as u64).collect();
    order.sort_by_key(|index| loc(*index as usize));
    order
}

/// Compare, without printing thousands of numbers.
fn assert_all(found: io::Result<Vec<u64>>, rows: usize) {
    assert!(found.unwrap() == expected(rows), "{rows} rows");
}

#[test]
fn the_order_of_many_runs_is_kept() {
    for rows in [0, 50, 150, MANY_RUNS * 100 - 150, MANY_RUNS * 100 - 1, MANY_RUNS * 100, 5_050, MAX_RUNS * 100 + 250] {
        for may_be_unread in [false, true] {
            let folder = Folder::new();
            let mut store = filled(&folder, rows, may_be_unread);
            assert_all(rows_of(&mut store.read().unwrap().sorted().unwrap()), rows);
            for _ in 0..2 {
                assert_all(store.read_first(rows_of).unwrap(), rows);
                assert_all(rows_of(&mut store.read().unwrap().sorted().unwrap()), rows);
            }
            let runs = folder.files() - usize::from(store.runs.order.is_some());
            assert_eq!(store.runs.order.is_some(), runs >= MANY_RUNS);
        }
    }
}

#[test]
fn whoever_stops_early_keeps_no_order() {
    let folder = Folder::new();
    let mut store = filled(&folder, 1_000, false);
    assert!(store.read_first(|rows| rows.next_row().is_ok_and(|row| row.is_some())).unwrap());
    assert!(store.runs.order.is_none());
    // Nothing of it is in the way of whoever reads all.
    assert_all(store.read_first(rows_of).unwrap(), 1_000);
    assert_all(rows_of(&mut store.read().unwrap().sorted().unwrap()), 1_000);
}

#[test]
fn an_order_that_lacks_rows_or_has_others_is_an_error() {
    let folder = Folder::new();
    let mut store = filled(&folder, 1_000, false);
    assert_all(store.read_first(rows_of).unwrap(), 1_000);
    let path = store.runs.order.clone().unwrap();
    let order = fs::read(&path).unwrap();
    let others =
        [&order[1..], &order[..999], &[&order[..], &order[..1]].concat(), &[&order[..500], &[200]].concat(), &[]];
    for other in others {
        fs::write(&path, other).unwrap();
        let mut rows = store.read().unwrap().sorted().unwrap();
        let failed = loop {
            match rows.next_row() {
                Ok(Some(_)) => {}
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        assert!(failed);
    }
}

#[test]
fn rows_that_could_not_be_written_are_missed() -> Result<(), TableError> {
    let folder = Folder::new();
    let mut store = filled(&folder, 250, false);
    let taken = folder.0.join("run-100");
    assert!(store.spill(taken, false).is_err());
    // The rows are still in memory.
    store.spill(folder.0.join("run-again"), false)?;
    assert_all(rows_of(&mut store.read()?.sorted()?), 250);
    Ok(())
}
