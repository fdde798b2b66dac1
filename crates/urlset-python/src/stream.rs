//! Reading: the documents that Python names, in their order, into batches; several at once, where there are several.

use std::collections::VecDeque;
use std::mem;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlset_core::table::{Batch, Joiner};

use crate::attached;
use crate::bounds::{Budget, Limits};
use crate::filter::Filter;
use crate::input;
use crate::pipe::look_for_signals;
use crate::pool::Pool;
use crate::reading::{Document, Event, Options, Origin, Reading};
use crate::report::DocumentReport;
use crate::sample::{Drawing, EntrySample};
use crate::table::{Batches, project, stream_capsule};

/// Small files are read by one thread together: up to so many bytes, and so many files.
const GROUP_BYTES: u64 = 256 * 1024;
const GROUP_DOCUMENTS: usize = 64;
/// How often whoever waits for a thread looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);

/// The documents of a scan on their way into a table.
///
/// `documents` is an object of Python. Its methods are called on the thread that takes the batches, and each may raise,
/// which ends the stream. They are `next_document()`, which returns an object with the `location`, the `source`, the
/// `content_encoding` of a document and whether it `skips_rows`, or None if another one has to be finished first;
/// `finished(document, report)`; and `failed(document, error, is_open)`, which takes what kept a document from being
/// opened, or from being read to its end. The last two are called in the order of the documents.
///
/// Up to `threads` documents are read at once, and `ahead` are asked for. With a `sample`, the rows are those that it
/// draws, once everything was read. A full batch has `batch_rows`.
#[pyclass(frozen)]
pub struct Stream {
    /// Empty once it was handed out as a capsule.
    run: Mutex<Option<Run>>,
    schema: SchemaRef,
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (documents, columns, follow, budget, limits, *, batch_rows, threads=1, ahead=1, filter=None, sample=None))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn new(
        py: Python<'_>,
        documents: Py<PyAny>,
        columns: Option<Vec<String>>,
        follow: bool,
        budget: Option<Budget>,
        limits: Option<Limits>,
        batch_rows: usize,
        threads: usize,
        ahead: usize,
        filter: Option<&Filter>,
        sample: Option<&EntrySample>,
    ) -> PyResult<Self> {
        let schema = project(py, columns.as_deref())?;
        let drawing = sample.map(|sample| sample.draw(schema.clone()));
        let read = drawing.as_ref().map_or_else(|| schema.clone(), Drawing::columns_to_read);
        let (budget, limits) = (Budget::of(budget), limits.map(|limits| limits.to_core()));
        let filter = filter.map(Filter::to_core);
        let options = Arc::new(Options { schema: read, batch_rows, follow, budget, limits, filter });
        let run = Run {
            documents,
            options,
            threads,
            ahead: ahead.max(if threads > 1 { threads + 1 } else { 1 }),
            groups: VecDeque::new(),
            asks: true,
            pool: None,
            joiner: Joiner::default(),
            drawing,
            is_ended: false,
        };
        Ok(Stream { run: Mutex::new(Some(run)), schema })
    }

    /// The next rows, or None when every document is done. Until a sample is complete, it is empty.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batches>> {
        let batches = py.detach(|| {
            let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
            run.as_mut().ok_or_else(handed_out)?.next()
        })?;
        Ok(batches.map(|batches| Batches::new(self.schema.clone(), batches)))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore the request: the consumer casts.
        let _ = requested_schema;
        let run = py.detach(|| self.run.lock().unwrap_or_else(PoisonError::into_inner).take());
        let run = Some(run.ok_or_else(handed_out)?);
        stream_capsule(py, Box::new(Exported { schema: self.schema.clone(), ready: VecDeque::new(), run }))
    }
}

fn handed_out() -> PyErr {
    PyRuntimeError::new_err("this stream was handed out already")
}

/// One pass over all documents.
struct Run {
    documents: Py<PyAny>,
    options: Arc<Options>,
    threads: usize,
    /// How many groups are on their way at once.
    ahead: usize,
    /// In the order of their rows.
    groups: VecDeque<Group>,
    /// Whether there may be another document.
    asks: bool,
    /// Started once two groups are on their way.
    pool: Option<Pool>,
    joiner: Joiner,
    /// Until the rows that were drawn are taken.
    drawing: Option<Drawing>,
    is_ended: bool,
}

/// Documents that one thread reads one after the other.
struct Group {
    /// Those that are not done yet, as Python named them.
    documents: VecDeque<Py<PyAny>>,
    course: Course,
}

enum Course {
    Waiting(Vec<Document>),
    /// On the thread that takes the batches.
    Here(Box<Reading>),
    /// On a thread of the pool: what came of it, and what is to come.
    There(VecDeque<Event>, Receiver<Vec<Event>>),
}

impl Run {
    /// The next rows, or None at the end. The rows that a sample has taken in are not handed out yet.
    fn next(&mut self) -> PyResult<Option<Vec<Batch>>> {
        match (self.read()?, &mut self.drawing) {
            (Some(batch), None) => Ok(Some(vec![batch])),
            (Some(batch), Some(drawing)) => {
                drawing.push(&batch);
                Ok(Some(Vec::new()))
            }
            (None, _) => Ok(self.drawing.take().map(|drawing| drawing.take())),
        }
    }

    fn read(&mut self) -> PyResult<Option<Batch>> {
        loop {
            if let Some(batch) = self.joiner.take_full() {
                return Ok(Some(batch));
            }
            if self.is_ended {
                return Ok(None);
            }
            self.ask()?;
            self.start()?;
            let Some(group) = self.groups.front_mut() else {
                self.is_ended = true;
                self.pool = None;
                return Ok(self.joiner.take_rest());
            };
            match group.course.next()? {
                Some(event) => self.take(event)?,
                None if group.documents.is_empty() => drop(self.groups.pop_front()),
                None => return Err(PyRuntimeError::new_err("a thread that reads documents has failed")),
            }
        }
    }

    /// Asks for documents, as many as may be on their way.
    fn ask(&mut self) -> PyResult<()> {
        while self.asks && self.groups.len() < self.ahead {
            let mut group = Group { documents: VecDeque::new(), course: Course::Waiting(Vec::new()) };
            self.asks = attached(|py| group.fill(py, self.documents.bind(py)))?;
            if !group.documents.is_empty() {
                self.groups.push_back(group);
            }
        }
        Ok(())
    }

    /// Has the first groups read, and one that is alone on this thread: starting others would take longer.
    fn start(&mut self) -> PyResult<()> {
        let is_alone = self.groups.len() == 1 && self.pool.is_none();
        let width = if self.threads > 1 { self.threads + 1 } else { 1 };
        for (number, group) in self.groups.iter_mut().take(width).enumerate() {
            let Course::Waiting(documents) = &mut group.course else { continue };
            if is_alone || self.threads == 1 || !documents.iter().all(Document::goes_anywhere) {
                if number == 0 {
                    let documents = mem::take(documents);
                    let reading = Reading::new(self.options.clone(), documents, Box::new(look_for_signals));
                    let reading = reading.with_helper(is_alone && self.threads > 1);
                    group.course = Course::Here(Box::new(reading));
                }
                continue;
            }
            let pool = match &mut self.pool {
                Some(pool) => pool,
                None => self.pool.insert(Pool::new(self.threads, &self.options)?),
            };
            group.course = Course::There(VecDeque::new(), pool.read(mem::take(documents)));
        }
        Ok(())
    }

    /// Takes what came of the first group.
    fn take(&mut self, event: Event) -> PyResult<()> {
        let group = self.groups.front_mut().expect("an event is that of a group");
        match event {
            Event::Batch(batch) => self.joiner.add(batch),
            Event::Broken(error) => {
                let document = group.documents.front().expect("a group has its documents");
                attached(|py| {
                    let error = error.into_value(py);
                    self.documents.bind(py).call_method1("failed", (document, error, true)).map(|_| ())
                })?;
            }
            Event::NotOpened(error) => {
                let document = group.documents.pop_front();
                self.asks = true;
                attached(|py| {
                    let error = error.into_value(py);
                    self.documents.bind(py).call_method1("failed", (document, error, false)).map(|_| ())
                })?;
            }
            Event::Finished(outcome) => {
                let document = group.documents.pop_front();
                self.asks = true;
                attached(|py| {
                    let report = DocumentReport::new(py, *outcome)?;
                    self.documents.bind(py).call_method1("finished", (document, report)).map(|_| ())
                })?;
            }
        }
        Ok(())
    }
}

impl Group {
    /// Takes the next documents: one, or several small files. Returns whether there may be more.
    fn fill(&mut self, py: Python<'_>, documents: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Course::Waiting(waiting) = &mut self.course else { return Ok(true) };
        let mut bytes = 0;
        while bytes < GROUP_BYTES && waiting.len() < GROUP_DOCUMENTS {
            let next = documents.call_method0("next_document")?;
            if next.is_none() {
                return Ok(false);
            }
            let header: Option<String> = next.getattr("content_encoding")?.extract()?;
            let document = Document {
                location: next.getattr("location")?.extract()?,
                encoding: input::content_encoding(py, header.as_deref())?,
                origin: Origin::of(&next.getattr("source")?)?,
                skips_rows: next.getattr("skips_rows")?.extract()?,
            };
            bytes += document.bytes().unwrap_or(GROUP_BYTES);
            waiting.push(document);
            self.documents.push_back(next.unbind());
        }
        Ok(true)
    }
}

impl Course {
    /// Waits for what comes next; None at the end.
    fn next(&mut self) -> PyResult<Option<Event>> {
        match self {
            Course::Waiting(_) => Ok(None),
            Course::Here(reading) => Ok(reading.next()),
            Course::There(events, found) => loop {
                if let Some(event) = events.pop_front() {
                    return Ok(Some(event));
                }
                match found.recv_timeout(LOOK) {
                    Ok(more) => events.extend(more),
                    Err(RecvTimeoutError::Timeout) => look_for_signals()?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                }
            },
        }
    }
}

/// The stream on the other side of the capsule, where any thread may pull and no interpreter need be attached.
struct Exported {
    schema: SchemaRef,
    /// Batches that come next.
    ready: VecDeque<Batch>,
    /// Empty only while it is being dropped.
    run: Option<Run>,
}

impl Drop for Exported {
    fn drop(&mut self) {
        let run = self.run.take();
        // SAFETY: may be called at any time.
        if unsafe { pyo3::ffi::Py_IsInitialized() } == 0 {
            // Whoever holds the stream has outlived the interpreter, and with it the objects to let go of.
            mem::forget(run);
        } else {
            attached(|_| drop(run));
        }
    }
}

impl Iterator for Exported {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let run = self.run.as_mut()?;
        while self.ready.is_empty() {
            match run.next() {
                Ok(batches) => self.ready.extend(batches?),
                Err(error) => {
                    run.is_ended = true;
                    run.drawing = None;
                    // The consumer shows only a text: the error's own words have to be in it. The exception itself has
                    // to go while the interpreter is attached, or its frames outlive what the consumer shuts down
                    // after them.
                    return Some(Err(attached(|_| {
                        let text = error.to_string();
                        drop(error);
                        ArrowError::ExternalError(text.into())
                    })));
                }
            }
        }
        self.ready.pop_front().map(|batch| Ok(batch.record))
    }
}

impl RecordBatchReader for Exported {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
