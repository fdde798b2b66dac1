//! `urlset._core`: glue between Python and `urlset-core`, one file a verb. It makes no decisions: whatever there is to
//! decide is decided in Python above it or in the core below it.

mod bounds;
mod findings;
mod input;
mod lint;
mod objects;
mod publish;
mod report;
mod rows;
mod stream;
mod table;
mod write;

use pyo3::prelude::*;

/// The compiled core of urlset. Private: the package's own modules are its only callers.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::bounds::{default_budget, protocol_limits};
    #[pymodule_export]
    use super::findings::{findings_schema, findings_stream};
    #[pymodule_export]
    use super::input::check_content_encoding;
    #[pymodule_export]
    use super::lint::{catalogue, fix, lint};
    #[pymodule_export]
    use super::publish::{Documents, Prepared, Preparer, cut, usual_hreflang};
    #[pymodule_export]
    use super::report::lastmod_micros;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::table::{Batches, columns, schema};
    #[pymodule_export]
    use super::write::{Packer, gzip, host_name, verify};
}

/// An `urlset.InputError`: what the caller gave cannot be used.
fn input_error(py: Python<'_>, message: &str) -> PyErr {
    static CLASS: pyo3::sync::PyOnceLock<Py<pyo3::types::PyType>> = pyo3::sync::PyOnceLock::new();
    match CLASS.import(py, "urlset._model.errors", "InputError") {
        Ok(class) => PyErr::from_type(class.clone(), message.to_owned()),
        Err(error) => error,
    }
}

/// Runs `work` with the interpreter held, on a thread that may or may not hold it already.
///
/// A consumer of a stream of ours may have let go of the interpreter on this very thread, deep inside a call of ours
/// that holds it: PyO3 counts its own holds and would believe that nothing has changed. The interpreter itself knows.
fn attached<R>(work: impl FnOnce(Python<'_>) -> R) -> R {
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
