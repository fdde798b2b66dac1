//! A document on its way: a thread of Python receives it, and whoever reads it need not hold the interpreter.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_engine::pipe::{self, Head};

use crate::encoding::content_encoding;
use crate::interpreter::{Signals, carried, raised};

/// A document that a thread receives while another one reads it. At most 4 MiB wait in between.
#[pyclass(frozen, weakref)]
pub struct Pipe {
    pub pipe: Arc<pipe::Pipe>,
}

#[pymethods]
impl Pipe {
    /// A document of at most `keep` bytes is kept, too.
    #[new]
    #[pyo3(signature = (keep=0))]
    fn new(keep: usize) -> Self {
        Pipe { pipe: Arc::new(pipe::Pipe::keeping(keep)) }
    }

    /// The whole document, if it was kept. It is there once.
    fn kept<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.pipe.take_kept().map(|bytes| PyBytes::new(py, &bytes))
    }

    /// The headers are there. Raises InputError if `content_encoding` names an unknown coding.
    fn begin(&self, py: Python<'_>, location: String, content_encoding: Option<String>) -> PyResult<()> {
        let header = content_encoding;
        let encoding = self::content_encoding(py, header.as_deref())?;
        self.pipe.begin(Head { location, header, encoding });
        Ok(())
    }

    /// Adds bytes once there is room. Returns false if nobody wants them any more.
    fn write(&self, py: Python<'_>, data: &[u8]) -> bool {
        py.detach(|| self.pipe.write(data))
    }

    /// Ends the document; `error` is what ended the document early, or kept it from being opened.
    #[pyo3(signature = (error=None))]
    fn end(&self, error: Option<Bound<'_, PyAny>>) {
        self.pipe.end(error.map(|error| carried(PyErr::from_value(error))));
    }

    /// Wait for the headers. Raises what kept the document from being opened.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.pipe.head(&Signals)).map(|_| ()).map_err(raised)
    }

    /// The next bytes, as many as are there; none at the end. Raises what ended the document early.
    #[pyo3(signature = (size=-1, /))]
    fn read<'py>(&self, py: Python<'py>, size: isize) -> PyResult<Bound<'py, PyBytes>> {
        let _ = size;
        let bytes = py.detach(|| self.pipe.next(&Signals)).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Receive no more.
    fn close(&self) {
        self.pipe.close();
    }

    /// Where the document is in the end; None before its headers are there.
    #[getter]
    fn location(&self) -> Option<String> {
        self.pipe.known_head().map(|head| head.location)
    }

    /// The Content-Encoding that came with it.
    #[getter]
    fn content_encoding(&self) -> Option<String> {
        self.pipe.known_head().and_then(|head| head.header)
    }
}
