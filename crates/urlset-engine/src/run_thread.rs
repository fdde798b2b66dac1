//! Writing runs on a thread of its own, one after the other, while more rows come.

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle};

use urlset_core::write::store::{self, HeldRecords};

/// Writes one run at a time.
#[derive(Default)]
pub struct RunThread {
    writing: Option<JoinHandle<io::Result<HeldRecords>>>,
    /// Whether rows are lost, because their run could not be written.
    has_failed: bool,
}

impl RunThread {
    /// Wait until the run at hand is written. Returns the memory of its rows; once a run has failed, it fails for ever.
    pub fn wait(&mut self) -> io::Result<HeldRecords> {
        let written = match self.writing.take() {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None if self.has_failed => Err(io::Error::other("rows are missing that could not be written before")),
            None => Ok(HeldRecords::default()),
        };
        self.has_failed |= written.is_err();
        written
    }

    /// Begin to write rows as a run. Nothing else may be on its way.
    pub fn write(
        &mut self,
        mut rows: HeldRecords,
        out: impl Write + Send + 'static,
        may_be_unread: bool,
    ) -> io::Result<()> {
        let write = move || {
            if may_be_unread { store::write_unsorted_run(&mut rows, out) } else { store::write_run(&mut rows, out) }?;
            Ok(rows)
        };
        self.has_failed = true; // unless a thread has the rows
        self.writing = Some(Builder::new().name("urlset-run".into()).spawn(write)?);
        self.has_failed = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use urlset_core::write::store::{Rendered, RenderedRow, RowStore};

    use super::*;

    /// A disk that is full.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn rows_that_could_not_be_written_are_missed_for_ever() {
        let (mut store, mut thread) = (RowStore::<Rendered>::default(), RunThread::default());
        store.push(&RenderedRow::of_loc("https://shop.example/"));
        let room = thread.wait().unwrap();
        thread.write(store.exchange(room), Full, false).unwrap();
        assert_eq!(thread.wait().unwrap_err().kind(), io::ErrorKind::StorageFull);
        for _ in 0..2 {
            assert!(thread.wait().unwrap_err().to_string().contains("missing"));
        }
    }
}
