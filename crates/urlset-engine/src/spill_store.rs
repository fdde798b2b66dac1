//! Rows of a kind, in memory and in files, until they are read in the order of their locs.

use std::fs::{self, File};
use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use urlset_core::write::store::{self, RowKind, RowStore, SortedRows};

use crate::run_thread::RunThread;

/// Runs that are read at once. Each takes a buffer, and each row more comparisons the more there are.
const MAX_RUNS: usize = 256;
/// Bytes of a run that are written at once.
const BUFFER: usize = 1 << 17;

/// The rows of a store in the order of their locs.
pub type Sorted<K> = SortedRows<Box<dyn Read + Send>, K>;

/// Where a run is.
#[derive(Clone)]
enum StoredRun {
    File(PathBuf),
    Memory(Shared),
}

/// Bytes that several readers read.
#[derive(Clone)]
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A run in a file, which is open only while some of it is read: hundreds of runs are read at once, often by two readers,
/// and a process of macOS may have 256 open files.
struct RunFile {
    path: PathBuf,
    at: u64,
}

impl RunFile {
    /// The start of a run. Fails if the file cannot be opened.
    fn new(path: &Path) -> io::Result<RunFile> {
        File::open(path)?;
        Ok(RunFile { path: path.to_owned(), at: 0 })
    }
}

impl Read for RunFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Rows that can be read in the order of their locs, more than once.
#[derive(Clone)]
pub struct Runs<K> {
    runs: Vec<StoredRun>,
    kind: PhantomData<K>,
}

impl<K: RowKind> Runs<K> {
    /// Open all runs, and read their rows in the order of the locs.
    pub fn sorted(&self) -> io::Result<Sorted<K>> {
        let open = |run: &StoredRun| -> io::Result<Box<dyn Read + Send>> {
            Ok(match run {
                StoredRun::File(path) => Box::new(RunFile::new(path)?),
                StoredRun::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
            })
        };
        let runs = self.runs.iter().map(open).collect::<io::Result<Vec<_>>>()?;
        Ok(SortedRows::new(runs))
    }

    /// The file that was written last.
    fn last_file(&self) -> Option<&PathBuf> {
        self.runs.iter().rev().find_map(|run| match run {
            StoredRun::File(path) => Some(path),
            StoredRun::Memory(_) => None,
        })
    }

    /// Merge runs until no more are left than can be read at once. Only so many are merged that exactly as many are left, and
    /// none twice if that can be. Those of a merge follow each other, so rows with the same loc stay in their order.
    fn merge(&mut self) -> io::Result<()> {
        let mut start = 0;
        while self.runs.len() > MAX_RUNS {
            let count = (self.runs.len() - MAX_RUNS + 1).min(MAX_RUNS);
            if start + count > self.runs.len() {
                start = 0;
            }
            let merged = Runs { runs: self.runs[start..start + count].to_vec(), kind: PhantomData::<K> };
            let Some(last) = merged.last_file() else { break };
            let path = beside(last, "merged");
            store::merge(merged.sorted()?, create(&path)?)?;
            self.runs.splice(start..start + count, [StoredRun::File(path)]);
            for run in merged.runs {
                if let StoredRun::File(path) = run {
                    fs::remove_file(path)?;
                }
            }
            start += 1;
        }
        Ok(())
    }
}

/// Takes rows until it is first read; see `urlset_core::write::store`.
pub struct SpillStore<K: RowKind> {
    rows: RowStore<K>,
    runs: Runs<K>,
    /// Files of rows that are sorted when they are first read.
    unsorted: Vec<PathBuf>,
    thread: RunThread,
    is_read: bool,
}

impl<K: RowKind> Default for SpillStore<K> {
    fn default() -> SpillStore<K> {
        let runs = Runs { runs: Vec::new(), kind: PhantomData };
        let thread = RunThread::default();
        SpillStore { rows: RowStore::default(), runs, unsorted: Vec::new(), thread, is_read: false }
    }
}

impl<K: RowKind> SpillStore<K> {
    /// The rows in memory; None once the store was read, for it takes no more rows then.
    pub fn filling(&mut self) -> Option<&mut RowStore<K>> {
        (!self.is_read).then_some(&mut self.rows)
    }

    /// All rows, sorted.
    pub fn read(&mut self) -> io::Result<&Runs<K>> {
        if !self.is_read {
            self.end()?;
            self.is_read = true;
        }
        Ok(&self.runs)
    }

    /// What is known of all rows.
    pub fn facts(&self) -> &K::Facts {
        self.rows.facts()
    }

    /// Bytes of memory that those rows take which are not in a file, nor on their way to one, before they are read.
    pub fn size(&self) -> usize {
        self.rows.size()
    }

    /// Add a row. Returns the bytes of memory that those rows take which are not in a file.
    pub fn push(&mut self, row: &K::Row<'_>) -> usize {
        self.rows.push(row);
        self.rows.size()
    }

    /// Begin to write the rows in memory to a new file, which has to stay there while the store is used. Rows that may never
    /// be read are not sorted yet. It waits until the rows before them are written, and fails if those could not be.
    pub fn spill(&mut self, path: PathBuf, may_be_unread: bool) -> io::Result<()> {
        let written = self.thread.wait()?;
        let (file, rows) = (create(&path)?, self.rows.exchange(written));
        self.thread.write(rows, file, may_be_unread)?;
        match may_be_unread {
            true => self.unsorted.push(path),
            false => self.runs.runs.push(StoredRun::File(path)),
        }
        Ok(())
    }

    /// Make runs of all rows. After an error it fails again: no rows are ever left out.
    fn end(&mut self) -> io::Result<()> {
        // Rows that were spilled once are not held in memory beside their run.
        if self.rows.size() > 0 && self.runs.runs.is_empty() && self.unsorted.is_empty() {
            let mut run = Vec::new();
            self.rows.write_run(&mut run)?;
            self.runs.runs.push(StoredRun::Memory(Shared(Arc::new(run))));
        } else if let Some(last) = self.unsorted.last().or(self.runs.last_file()).filter(|_| self.rows.size() > 0) {
            // Rows that come later stand behind those before them, also where locs are equal.
            self.spill(beside(last, "rest"), !self.unsorted.is_empty())?;
        }
        self.rows.shrink();
        drop(self.thread.wait()?);
        for path in self.unsorted.clone() {
            let sorted = beside(&path, "sorted");
            store::sort_run(File::open(&path)?, create(&sorted)?)?;
            fs::remove_file(path)?;
            self.runs.runs.push(StoredRun::File(sorted));
        }
        self.unsorted.clear();
        self.runs.merge()
    }
}

/// The path of a file that is made from another one.
fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{what}"));
    name.into()
}

fn create(path: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(BUFFER, File::create_new(path)?))
}

#[cfg(test)]
mod tests;
