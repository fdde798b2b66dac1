//! Comparing: the rows of two sets, of which those are handed out that may differ.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::diff::{
    CandidateKind, Counts, Encoded, PARTS, Record, RowEncoder, Side, Sides, keyed_schema, moved_schema, pair,
};

use crate::table::{stream_capsule, table_reader};

type Shared = Arc<Mutex<Sides<File>>>;

/// The rows of two sets; see `urlset_core::diff`. Several threads may add rows, and then pair them.
#[pyclass(frozen)]
pub struct DiffRows {
    encoder: RowEncoder,
    sides: Shared,
    schema: SchemaRef,
    /// How many parts were taken to be paired.
    taken: AtomicUsize,
}

fn lock(sides: &Shared) -> MutexGuard<'_, Sides<File>> {
    sides.lock().unwrap_or_else(PoisonError::into_inner)
}

fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

fn side(is_new: bool) -> Side {
    if is_new { Side::New } else { Side::Old }
}

#[pymethods]
impl DiffRows {
    /// Rows with the columns of this table, of which the first is the loc. They are kept in files of this folder.
    #[new]
    fn new(folder: PathBuf, table: &Bound<'_, PyAny>) -> PyResult<Self> {
        let schema = table_reader(table)?.map_err(failed)?.schema();
        let file = |name| create(&folder.join(name));
        let sides = Sides::new([file("rows")?, file("records")?, file("candidates")?]);
        Ok(DiffRows {
            encoder: RowEncoder::new(),
            sides: Arc::new(Mutex::new(sides)),
            schema,
            taken: AtomicUsize::new(0),
        })
    }

    /// Add the rows of a table to a side. Its lastmods are those of entries, those of a manifest, or those of the table
    /// whose columns these rows have.
    fn add(&self, py: Python<'_>, is_new: bool, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let reader = table_reader(table)?.map_err(failed)?;
        py.detach(|| {
            let mut encoded = Encoded::default();
            for batch in reader {
                let batch = batch.map_err(failed)?;
                let mut at = 0;
                while at < batch.num_rows() {
                    at = self.encoder.encode(&batch, at, &mut encoded).map_err(failed)?;
                    if encoded.is_full() {
                        lock(&self.sides).add(side(is_new), &mut encoded)?;
                    }
                }
            }
            if !encoded.is_empty() {
                lock(&self.sides).add(side(is_new), &mut encoded)?;
            }
            Ok(())
        })
    }

    /// Bring the rows of each loc together, until all are. Any number of threads may do it at once.
    fn pair(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            loop {
                let part = self.taken.fetch_add(1, Ordering::Relaxed);
                if part >= PARTS {
                    return Ok(());
                }
                let records = lock(&self.sides).part(part)?;
                let paired = pair(Record::read_all(&records));
                lock(&self.sides).keep(paired)?;
            }
        })
    }

    /// How many rows and how many locs a side has.
    fn counts(&self, is_new: bool) -> (u64, u64) {
        let Counts { rows, locs } = lock(&self.sides).counts(side(is_new));
        (rows, locs)
    }

    /// The rows of a side that may differ: those of locs that it has several times, or the others.
    fn candidates(&self, is_new: bool, is_repeated: bool) -> Candidates {
        let kind = if is_repeated { CandidateKind::Repeated } else { CandidateKind::Single };
        Candidates { sides: self.sides.clone(), side: side(is_new), kind, schema: self.schema.clone() }
    }

    /// The locs that each side has once, and of which nothing differs but the lastmod, with the lastmods of both sides.
    /// They are not among the candidates.
    fn moved(&self) -> Candidates {
        Candidates {
            sides: self.sides.clone(),
            side: Side::Old,
            kind: CandidateKind::Moved,
            schema: self.schema.clone(),
        }
    }
}

fn failed(error: ArrowError) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// Rows that may differ, as a table, which can be read more than once.
#[pyclass(frozen)]
pub struct Candidates {
    sides: Shared,
    side: Side,
    kind: CandidateKind,
    schema: SchemaRef,
}

#[pymethods]
impl Candidates {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore the request: the consumer casts.
        let _ = requested_schema;
        let (sides, schema) = (self.sides.clone(), self.schema.clone());
        stream_capsule(py, Box::new(Reader { sides, side: self.side, kind: self.kind, schema, next: 0 }))
    }
}

/// Reads the candidates of one block after the other.
struct Reader {
    sides: Shared,
    side: Side,
    kind: CandidateKind,
    schema: SchemaRef,
    next: usize,
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // The others may read on while these are decoded.
        let found = lock(&self.sides).next_block(self.side, self.kind, self.next);
        match found {
            Ok(None) => None,
            Ok(Some((block, candidates))) => {
                self.next = block + 1;
                Some(match self.kind {
                    CandidateKind::Moved => candidates.decode_moved(&self.schema),
                    CandidateKind::Single | CandidateKind::Repeated => candidates.decode(&self.schema),
                })
            }
            Err(error) => Some(Err(ArrowError::IoError(error.to_string(), error))),
        }
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        if self.kind == CandidateKind::Moved { moved_schema() } else { keyed_schema(&self.schema) }
    }
}
