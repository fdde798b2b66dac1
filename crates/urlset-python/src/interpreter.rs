//! The interpreter: holding it, Ctrl-C, and errors on their way to Python and back.

use std::io;
use std::path::Path;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use urlset_engine::interrupt::{Abandoned, Interrupt};

/// Make an `urlset.InputError`: what the caller gave cannot be used.
pub fn input_error(py: Python<'_>, message: &str) -> PyErr {
    static CLASS: pyo3::sync::PyOnceLock<Py<pyo3::types::PyType>> = pyo3::sync::PyOnceLock::new();
    match CLASS.import(py, "urlset._model.errors", "InputError") {
        Ok(class) => PyErr::from_type(class.clone(), message.to_owned()),
        Err(error) => error,
    }
}

/// Run `work` with the interpreter held, on a thread that may or may not hold it already.
///
/// A consumer of one of our streams may have released the interpreter on this very thread, deep inside one of our calls
/// that holds it. PyO3 counts its own holds and would not notice. The interpreter itself knows.
pub fn attached<R>(work: impl FnOnce(Python<'_>) -> R) -> R {
    struct Held(pyo3::ffi::PyGILState_STATE);
    impl Drop for Held {
        fn drop(&mut self) {
            // SAFETY: matches the Ensure below, on the same thread and in reverse order, for it is a local of one call.
            unsafe { pyo3::ffi::PyGILState_Release(self.0) }
        }
    }
    // SAFETY: may be called on any thread while the interpreter runs, whether or not it is held, and any number of
    // times inside each other, as long as each is released.
    let _held = Held(unsafe { pyo3::ffi::PyGILState_Ensure() });
    Python::attach(work)
}

/// Ends a wait when Ctrl-C was pressed.
#[derive(Debug, Clone, Copy)]
pub struct Signals;

impl Interrupt for Signals {
    fn check(&self) -> io::Result<()> {
        attached(|py| py.check_signals()).map_err(carried)
    }
}

/// Take an exception through code that knows no Python. The interpreter need not be attached.
pub fn carried(error: PyErr) -> io::Error {
    io::Error::other(error)
}

/// The exception of an error of the engine: the one that it carries, or one of its own.
pub fn raised(error: io::Error) -> PyErr {
    match error.get_ref().and_then(|error| error.downcast_ref::<Abandoned>()) {
        Some(Abandoned(reason)) => PyRuntimeError::new_err(*reason),
        None => of_system(error, None),
    }
}

/// The same for an error about a file. Python makes the right kind of OSError of its number, and knows the words for it.
pub fn of_system(error: io::Error, path: Option<&Path>) -> PyErr {
    let Some(number) = error.raw_os_error() else { return error.into() };
    let words = error.to_string();
    let words = words.split(" (os error").next().unwrap_or_default().to_owned();
    match path {
        Some(path) => PyOSError::new_err((number, words, path.as_os_str().to_owned())),
        None => PyOSError::new_err((number, words)),
    }
}
