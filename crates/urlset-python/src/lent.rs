//! Bytes that are lent without a copy: to Python as views, and by Python.

use std::ffi::c_int;
use std::ops::Deref;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView};
use urlset_core::write::document;

/// Bytes in the memory in which they were written, for the views of them.
#[pyclass(frozen)]
pub struct Piece(document::Piece);

#[pymethods]
impl Piece {
    /// # Safety
    ///
    /// Python calls it with a view that it may fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let xml: &[u8] = &slf.get().0;
        // SAFETY: the view is Python's own. It keeps the object alive, whose bytes never change, and is read-only.
        let failed = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), xml.as_ptr().cast_mut().cast(), xml.len() as isize, 1, flags)
        };
        if failed != 0 { Err(PyErr::fetch(slf.py())) } else { Ok(()) }
    }
}

/// Return a view of a piece of a document.
pub fn view(py: Python<'_>, piece: document::Piece) -> PyResult<Py<PyMemoryView>> {
    Ok(PyMemoryView::from(Bound::new(py, Piece(piece))?.as_any())?.unbind())
}

/// Bytes that Python lends: an object of bytes, or a view of them.
pub enum Lent {
    Bytes(PyBackedBytes),
    Piece(Py<Piece>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Lent {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Lent> {
        let Ok(view) = object.cast::<PyMemoryView>() else { return Ok(Lent::Bytes(object.extract()?)) };
        let lender = view.getattr("obj")?;
        if let Ok(piece) = lender.cast::<Piece>() {
            // A view of all bytes in their order, which is what `view` returns.
            let is_whole = view.getattr("nbytes")?.extract::<usize>()? == piece.get().0.len();
            if is_whole && view.getattr("c_contiguous")?.extract()? {
                return Ok(Lent::Piece(piece.clone().unbind()));
            }
        }
        Ok(Lent::Bytes(object.py().get_type::<PyBytes>().call1((view,))?.extract()?))
    }
}

impl Deref for Lent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Lent::Bytes(bytes) => bytes,
            Lent::Piece(piece) => &piece.get().0,
        }
    }
}
