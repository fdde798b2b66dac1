//! `urlset._core`: glue between Python and `urlset-core`, one file per verb. It makes no decisions: Python above it or the
//! core below it decides.

mod bounds;
mod compare;
mod diff;
mod filter;
mod findings;
mod input;
mod lint;
mod memory;
mod objects;
mod page;
mod pipe;
mod pool;
mod publish;
mod reading;
mod render;
mod report;
mod robots;
mod rows;
mod sample;
mod single;
mod slotted;
mod store;
mod stream;
mod table;
mod values;
mod write;

use pyo3::prelude::*;

/// The compiled core of urlset. Private: the package's own modules are its only callers.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::bounds::{Budget, Limits, default_budget, protocol_limits};
    #[pymodule_export]
    use super::compare::{AssignedRows, Compared, compare_rows};
    #[pymodule_export]
    use super::diff::{Candidates, DiffRows};
    #[pymodule_export]
    use super::filter::Filter;
    #[pymodule_export]
    use super::findings::{findings_schema, findings_stream};
    #[pymodule_export]
    use super::input::check_content_encoding;
    #[pymodule_export]
    use super::lint::{FixReport, LintReport, Rule, RuleSelection, catalogue, fix, lint};
    #[pymodule_export]
    use super::page::{PageExtract, body_hash, check_selectors, joined_url, page_extract, refresh_target};
    #[pymodule_export]
    use super::pipe::Pipe;
    #[pymodule_export]
    use super::publish::{Documents, PackedShard, ShardContent, ShardDocument, pack_shards};
    #[pymodule_export]
    use super::render::{Fingerprint, Renderer};
    #[pymodule_export]
    use super::report::{Child, DocumentReport, Edit, Fault, Finding, Fix};
    #[pymodule_export]
    use super::robots::{Refused, Robots, RobotsCensus, RobotsCrawler, RobotsSites, robots_fields, robots_origin};
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::sample::EntrySample;
    #[pymodule_export]
    use super::single::read_document;
    #[pymodule_export]
    use super::store::{Lastmods, NewSet, RowStore, StoredRows};
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::table::{Batches, columns, schema};
    #[pymodule_export]
    use super::values::{host_name, lastmod_micros, normalized_url, normalized_urls, standard_url, usual_hreflang};
    #[pymodule_export]
    use super::write::{FillStatus, Filled, Finished, Packer, Refusal, Verified, gzip, verify};
}

/// Make an `urlset.InputError`: what the caller gave cannot be used.
fn input_error(py: Python<'_>, message: &str) -> PyErr {
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
