//! One document from memory, read at once, without a call of Python in between.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_engine::interrupt::Interrupt;
use urlset_engine::reading::{Document, Event, Options, Reading};

use crate::bounds::{Budget, Limits};
use crate::encoding;
use crate::input;
use crate::interpreter::{Signals, raised};
use crate::report::DocumentReport;
use crate::table::{Batches, project};

/// Read one document, and return its rows and the report on it. With `threads`, a large one is read by two.
#[pyfunction]
#[pyo3(signature = (data, columns, location, content_encoding, budget, limits, *, batch_rows, threads))]
#[expect(clippy::too_many_arguments, reason = "Python passes them by their names")]
pub fn read_document(
    py: Python<'_>,
    data: &Bound<'_, PyBytes>,
    columns: Option<Vec<String>>,
    location: Option<String>,
    content_encoding: Option<&str>,
    budget: Option<Budget>,
    limits: Option<Limits>,
    batch_rows: usize,
    threads: usize,
) -> PyResult<(Batches, DocumentReport)> {
    let schema = project(py, columns.as_deref())?;
    let document = Document {
        origin: input::origin(data)?,
        location,
        encoding: encoding::content_encoding(py, content_encoding)?,
        skips_rows: false,
    };
    let options = Options {
        schema: schema.clone(),
        batch_rows,
        follow: false,
        budget: Budget::of(budget),
        limits: limits.map(|limits| limits.to_core()),
        filter: None,
    };
    let (batches, outcome) = py
        .detach(|| -> std::io::Result<_> {
            let reading = Reading::new(Arc::new(options), vec![document], Arc::new(Signals));
            let reading = reading.with_helper(threads > 1);
            let (mut batches, mut outcome) = (Vec::new(), None);
            for event in reading {
                match event {
                    Event::Batch(batch) => {
                        batches.push(batch);
                        Signals.check()?;
                    }
                    Event::Finished(finished) => outcome = Some(finished),
                    Event::NotOpened(error) | Event::Broken(error) => return Err(error),
                }
            }
            Ok((batches, outcome.expect("a document that was read to its end has an outcome")))
        })
        .map_err(raised)?;
    Ok((Batches::new(schema, batches), DocumentReport::new(py, *outcome)?))
}
