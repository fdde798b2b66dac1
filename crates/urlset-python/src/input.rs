//! Where Python says that the bytes of a document come from: memory, a path, a pipe, or an object that hands them out.

use std::fs::File;
use std::io;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use urlset_engine::input::{Bytes, Input, Pieces};
use urlset_engine::reading::Origin;

use crate::interpreter::{attached, carried, input_error, of_system};
use crate::pipe::Pipe;

/// Takes `bytes`, a path as `str`, a pipe, an object with `read`, or an iterable of bytes. A path is not opened yet.
pub fn origin(source: &Bound<'_, PyAny>) -> PyResult<Origin> {
    if source.is_instance_of::<PyBytes>() {
        return Ok(Origin::Input(Input::memory(source.extract::<PyBackedBytes>()?)));
    }
    if source.is_instance_of::<PyString>() {
        return Ok(Origin::Path(source.extract()?));
    }
    if let Ok(pipe) = source.cast::<Pipe>() {
        return Ok(Origin::Input(Input::Pipe(pipe.get().pipe.clone())));
    }
    if source.hasattr("read")? {
        return Ok(Origin::Input(Input::Pieces(Box::new(Readable(source.clone().unbind())))));
    }
    let pieces = source.try_iter()?.into_any().unbind();
    Ok(Origin::Input(Input::Pieces(Box::new(Iterated(pieces)))))
}

/// The same, and opens a path.
pub fn opened(source: &Bound<'_, PyAny>) -> PyResult<Input> {
    match origin(source)? {
        Origin::Path(path) => match File::open(&path) {
            Ok(file) => Ok(Input::file(file)),
            Err(error) => Err(of_system(error, Some(&path))),
        },
        Origin::Input(input) => Ok(input),
    }
}

/// An object with `read(size)`.
struct Readable(Py<PyAny>);

impl Pieces for Readable {
    fn next(&mut self, size: usize) -> io::Result<Option<Bytes>> {
        let piece = attached(|py| to_bytes(&self.0.bind(py).call_method1("read", (size,))?)).map_err(carried)?;
        Ok((!piece.is_empty()).then(|| Box::new(piece) as Bytes))
    }
}

/// An iterator of bytes.
struct Iterated(Py<PyAny>);

impl Pieces for Iterated {
    fn next(&mut self, _size: usize) -> io::Result<Option<Bytes>> {
        let piece = attached(|py| self.0.bind(py).try_iter()?.next().map(|piece| to_bytes(&piece?)).transpose());
        Ok(piece.map_err(carried)?.map(|piece| Box::new(piece) as Bytes))
    }
}

/// Return the bytes that a source handed out. Text is refused, because its encoding is not known.
fn to_bytes(object: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    let py = object.py();
    if let Ok(bytes) = object.extract::<PyBackedBytes>() {
        return Ok(bytes);
    }
    match PyMemoryView::from(object) {
        Ok(view) => Ok(py.get_type::<PyBytes>().call1((view,))?.extract::<PyBackedBytes>()?),
        Err(_) => {
            let class = object.get_type().name()?;
            Err(input_error(py, &format!("the source handed out {class} instead of bytes")))
        }
    }
}
