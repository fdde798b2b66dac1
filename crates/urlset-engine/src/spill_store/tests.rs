use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use urlset_core::write::TableError;
use urlset_core::write::store::{Rendered, RenderedRow};

use super::{MAX_RUNS, Sorted, SpillStore};

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
fn rows_are_read_in_the_order_of_their_locs_as_often_as_it_takes() {
    for rows in [0, 50, 99, 100, 101, 150, 250, 350, 5_050, MAX_RUNS * 100 + 250, MAX_RUNS * 250] {
        for may_be_unread in [false, true] {
            let folder = Folder::new();
            let mut store = filled(&folder, rows, may_be_unread);
            for _ in 0..2 {
                assert_all(rows_of(&mut store.read().unwrap().sorted().unwrap()), rows);
            }
        }
    }
}

/// The number of open files of the process, other tests included.
#[cfg(target_os = "linux")]
fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
#[cfg(target_os = "linux")]
fn readers_of_hundreds_of_runs_have_few_open_files() -> io::Result<()> {
    let folder = Folder::new();
    let mut store = filled(&folder, MAX_RUNS * 100, false);
    let runs = store.read().unwrap();
    let (mut one, mut other) = (runs.sorted()?, runs.sorted()?);
    assert!(one.next_row().is_ok_and(|row| row.is_some()) && other.next_row().is_ok_and(|row| row.is_some()));
    assert!(open_files() < 64, "{} open files", open_files());
    Ok(())
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
