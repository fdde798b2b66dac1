//! The manifest of a set on its way to a file.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use urlset_engine::interrupt::{Abandoned, Interrupt};
use urlset_engine::manifest::{Rows, Writer};

use crate::publish::{failed, raised};
use crate::store::StoredRows;
use crate::table::table_reader;

/// A manifest that is being written: first its rows, then what it says of its set; see `urlset_engine::manifest`.
#[pyclass(frozen)]
pub struct ManifestWriter {
    /// None once it has ended, or failed.
    writer: Mutex<Option<Writer>>,
    end: End,
}

/// Whether somebody has put an end to the writing.
#[derive(Default)]
struct End(AtomicBool);

impl Interrupt for End {
    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) {
            Err(Abandoned("nobody needs this manifest any more").into())
        } else {
            Ok(())
        }
    }
}

impl ManifestWriter {
    fn take(&self) -> PyResult<Writer> {
        let ended = || PyValueError::new_err("the manifest has ended");
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(ended)
    }
}

#[pymethods]
impl ManifestWriter {
    /// Begin a file.
    #[new]
    fn new(path: PathBuf) -> PyResult<ManifestWriter> {
        let writer = Writer::create(&path).map_err(raised)?;
        Ok(ManifestWriter { writer: Mutex::new(Some(writer)), end: End::default() })
    }

    /// Write the rows of several tables, one after the other.
    fn write(&self, py: Python<'_>, tables: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let reader = |table: &Bound<'_, PyAny>| -> PyResult<Rows> {
            match table.cast::<StoredRows>() {
                Ok(stored) => stored.get().reader(),
                Err(_) => Ok(Box::new(table_reader(table)?.map_err(failed)?)),
            }
        };
        let tables: Vec<Rows> = tables.iter().map(reader).collect::<PyResult<_>>()?;
        let mut writer = self.take()?;
        py.detach(|| tables.into_iter().try_for_each(|table| writer.write(table, &self.end))).map_err(raised)?;
        *self.writer.lock().unwrap_or_else(PoisonError::into_inner) = Some(writer);
        Ok(())
    }

    /// End the file. `said` is what it says of its set, in that order.
    fn finish(&self, py: Python<'_>, said: Vec<(String, String)>) -> PyResult<()> {
        let writer = self.take()?;
        py.detach(|| writer.finish(said)).map_err(raised)
    }

    /// Have another thread that is writing rows stop soon, with an error.
    fn cancel(&self) {
        self.end.0.store(true, Ordering::Relaxed);
    }
}
