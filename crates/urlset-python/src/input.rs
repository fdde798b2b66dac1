//! The source of a document's bytes: memory, a file, or a Python object that hands them out.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use urlset_core::decode::ContentEncoding;

use crate::pipe::{Course, Look, Pipe};

/// Bytes that are read at once from a file or a file object, or taken at once from memory, so that batches flow meanwhile.
const PIECE: usize = 512 * 1024;

/// Bytes of a file that are held at once, where more of it is asked for.
const MAX_HELD: usize = 4 << 20;

/// The bytes of one document, in pieces.
pub enum Input {
    Memory {
        bytes: PyBackedBytes,
        at: usize,
    },
    File {
        file: File,
        buffer: Vec<u8>,
        /// Bytes of the buffer that were read and not taken yet.
        held: Range<usize>,
    },
    /// Received by a thread of its own.
    Pipe(Arc<Course>),
    /// An object with `read(size)`.
    Readable(Py<PyAny>),
    /// An iterator of bytes.
    Pieces(Py<PyAny>),
}

impl Input {
    /// Takes `bytes`, a path as `str`, an object with `read`, or an iterable of bytes.
    pub fn new(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if source.is_instance_of::<PyBytes>() {
            return Ok(Input::Memory { bytes: source.extract()?, at: 0 });
        }
        if source.is_instance_of::<PyString>() {
            return Ok(Input::file(File::open(source.extract::<PathBuf>()?)?));
        }
        if let Ok(pipe) = source.cast::<Pipe>() {
            return Ok(Input::Pipe(pipe.get().course.clone()));
        }
        if source.hasattr("read")? {
            return Ok(Input::Readable(source.clone().unbind()));
        }
        Ok(Input::Pieces(source.try_iter()?.into_any().unbind()))
    }

    /// A file, from its beginning. The buffer for a small one is small.
    pub fn file(file: File) -> Self {
        let length = file.metadata().map_or(0, |data| data.len());
        let size = if length == 0 { PIECE } else { PIECE.min(length as usize + 1) };
        Input::File { file, buffer: vec![0; size], held: 0..0 }
    }

    /// Whether any thread may read it, and without the interpreter.
    pub fn goes_anywhere(&self) -> bool {
        !matches!(self, Input::Readable(_) | Input::Pieces(_))
    }

    /// The next bytes, at most so many, which `pass` takes. None where they cannot be had before they are taken.
    pub fn peek(&mut self, most: usize) -> io::Result<Option<&[u8]>> {
        match self {
            Input::Memory { bytes, at } => Ok(Some(&bytes[*at..(*at + most).min(bytes.len())])),
            Input::File { file, buffer, held } => {
                let most = most.min(MAX_HELD);
                // A pipe has no length. Its bytes are read as they come.
                if file.metadata()?.len() < PIECE as u64 {
                    return Ok(None);
                }
                buffer.copy_within(held.clone(), 0);
                *held = 0..held.len();
                buffer.resize(buffer.len().max(most), 0);
                while held.end < most {
                    match file.read(&mut buffer[held.end..most])? {
                        0 => break,
                        length => held.end += length,
                    }
                }
                Ok(Some(&buffer[..held.end]))
            }
            Input::Pipe(_) | Input::Readable(_) | Input::Pieces(_) => Ok(None),
        }
    }

    /// Takes bytes that were peeked at.
    pub fn pass(&mut self, length: usize) {
        match self {
            Input::Memory { at, .. } => *at += length,
            Input::File { held, .. } => held.start += length,
            Input::Pipe(_) | Input::Readable(_) | Input::Pieces(_) => {}
        }
    }

    /// Hand the next piece to `take`. Returns false when there are no more. The interpreter need not be attached. `look`
    /// is called now and then while a pipe is waited for.
    pub fn next(&mut self, look: &Look, take: impl FnOnce(&[u8])) -> PyResult<bool> {
        match self {
            Input::Memory { bytes, at } => {
                let end = (*at + PIECE).min(bytes.len());
                let piece = &bytes[*at..end];
                *at = end;
                if !piece.is_empty() {
                    take(piece);
                }
                Ok(!piece.is_empty())
            }
            Input::File { file, buffer, held } => {
                if held.start == held.end {
                    *held = 0..file.read(buffer)?;
                }
                let end = held.end.min(held.start + PIECE);
                let piece = &buffer[held.start..end];
                held.start = end;
                if !piece.is_empty() {
                    take(piece);
                }
                Ok(!piece.is_empty())
            }
            Input::Pipe(course) => {
                let bytes = course.next(look)?;
                if !bytes.is_empty() {
                    take(&bytes);
                }
                Ok(!bytes.is_empty())
            }
            Input::Readable(object) => {
                let piece = crate::attached(|py| to_bytes(&object.bind(py).call_method1("read", (PIECE,))?))?;
                if !piece.is_empty() {
                    take(&piece);
                }
                Ok(!piece.is_empty())
            }
            Input::Pieces(iterator) => {
                let piece = crate::attached(|py| match iterator.bind(py).try_iter()?.next() {
                    Some(piece) => to_bytes(&piece?).map(Some),
                    None => Ok(None),
                })?;
                let more = piece.is_some();
                if let Some(piece) = piece {
                    take(&piece);
                }
                Ok(more)
            }
        }
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
            Err(crate::input_error(py, &format!("the source handed out {class} instead of bytes")))
        }
    }
}

/// Read the value of a `Content-Encoding` header. Raises InputError if it names an unknown coding.
pub fn content_encoding(py: Python<'_>, header: Option<&str>) -> PyResult<ContentEncoding> {
    let parsed = header.map_or_else(|| Ok(ContentEncoding::default()), ContentEncoding::parse);
    parsed.map_err(|error| crate::input_error(py, &error.to_string()))
}

/// Raise InputError if the value of a `Content-Encoding` header names an unknown coding.
#[pyfunction]
pub fn check_content_encoding(py: Python<'_>, content_encoding: Option<&str>) -> PyResult<()> {
    self::content_encoding(py, content_encoding).map(|_| ())
}
