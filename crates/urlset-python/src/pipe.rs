//! A document on its way: a thread of Python receives it, and whoever reads it need not hold the interpreter.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_core::decode::ContentEncoding;

use crate::input;

/// Bytes that are received before somebody reads them.
const MAX_AHEAD: usize = 4 << 20;
/// How often whoever waits looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// Where a document is in the end, and how it is compressed.
#[derive(Debug, Clone)]
pub struct Head {
    pub location: String,
    header: Option<String>,
    pub encoding: ContentEncoding,
}

#[derive(Default)]
struct State {
    head: Option<Head>,
    /// What nobody has read yet.
    held: Vec<u8>,
    is_complete: bool,
    error: Option<PyErr>,
    is_closed: bool,
}

/// Both ends of a pipe.
#[derive(Default)]
pub struct Course {
    state: Mutex<State>,
    changed: Condvar,
}

impl Course {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits until the state is as it should be. `look` is called now and then, and may end the wait by an error.
    fn wait(&self, is_ready: impl Fn(&State) -> bool, look: &Look) -> PyResult<MutexGuard<'_, State>> {
        let mut state = self.state();
        while !is_ready(&state) {
            let (waited, timeout) = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner);
            state = waited;
            if timeout.timed_out() {
                drop(state);
                look()?;
                state = self.state();
            }
        }
        Ok(state)
    }

    /// Waits for the headers. The error is what kept the document from being opened.
    pub fn head(&self, look: &Look) -> PyResult<Head> {
        let mut state = self.wait(|state| state.head.is_some() || state.is_complete || state.is_closed, look)?;
        match &state.head {
            Some(head) => Ok(head.clone()),
            None => Err(state.error.take().unwrap_or_else(closed)),
        }
    }

    /// Waits for the next bytes; none at the end. The error is what ended the document early.
    pub fn next(&self, look: &Look) -> PyResult<Vec<u8>> {
        let mut state = self.wait(|state| !state.held.is_empty() || state.is_complete || state.is_closed, look)?;
        let bytes = std::mem::take(&mut state.held);
        let is_cut = state.is_closed && !state.is_complete;
        let error = if bytes.is_empty() { state.error.take().or_else(|| is_cut.then(closed)) } else { None };
        drop(state);
        self.changed.notify_all();
        error.map_or(Ok(bytes), Err)
    }
}

/// Called now and then by whoever waits; its error ends the wait.
pub type Look = dyn Fn() -> PyResult<()>;

/// Ends a wait when Ctrl-C was pressed.
pub fn look_for_signals() -> PyResult<()> {
    crate::attached(|py| py.check_signals())
}

fn closed() -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err("nobody receives this document any more")
}

/// A document that a thread receives while another one reads it. At most 4 MiB wait in between.
#[pyclass(frozen, weakref)]
pub struct Pipe {
    pub course: Arc<Course>,
}

#[pymethods]
impl Pipe {
    #[new]
    fn new() -> Self {
        Pipe { course: Arc::default() }
    }

    /// The headers are there. Raises InputError if `content_encoding` names an unknown coding.
    fn begin(&self, py: Python<'_>, location: String, content_encoding: Option<String>) -> PyResult<()> {
        let encoding = input::content_encoding(py, content_encoding.as_deref())?;
        let head = Head { location, header: content_encoding, encoding };
        self.course.change(|state| state.head = Some(head));
        Ok(())
    }

    /// Adds bytes once there is room. Returns false if nobody wants them any more.
    fn write(&self, py: Python<'_>, data: &[u8]) -> bool {
        py.detach(|| {
            let is_ready = |state: &State| state.held.len() < MAX_AHEAD || state.is_closed;
            let Ok(mut state) = self.course.wait(is_ready, &|| Ok(())) else { return false };
            if !state.is_closed {
                state.held.extend_from_slice(data);
            }
            let is_wanted = !state.is_closed;
            drop(state);
            self.course.changed.notify_all();
            is_wanted
        })
    }

    /// Ends the document; `error` is what ended the document early, or kept it from being opened.
    #[pyo3(signature = (error=None))]
    fn end(&self, error: Option<Bound<'_, PyAny>>) {
        let error = error.map(PyErr::from_value);
        self.course.change(|state| {
            state.is_complete = true;
            state.error = error;
        });
    }

    /// Wait for the headers. Raises what kept the document from being opened.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.course.head(&look_for_signals).map(|_| ()))
    }

    /// The next bytes, as many as are there; none at the end. Raises what ended the document early.
    #[pyo3(signature = (size=-1, /))]
    fn read<'py>(&self, py: Python<'py>, size: isize) -> PyResult<Bound<'py, PyBytes>> {
        let _ = size;
        let bytes = py.detach(|| self.course.next(&look_for_signals))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Receive no more.
    fn close(&self) {
        self.course.change(|state| state.is_closed = true);
    }

    /// Where the document is in the end; None before its headers are there.
    #[getter]
    fn location(&self) -> Option<String> {
        self.course.state().head.as_ref().map(|head| head.location.clone())
    }

    /// The Content-Encoding that came with it.
    #[getter]
    fn content_encoding(&self) -> Option<String> {
        self.course.state().head.as_ref().and_then(|head| head.header.clone())
    }
}
