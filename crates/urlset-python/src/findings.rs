//! Diagnostics as an Arrow table.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::table::{schema_capsule, stream_capsule};

/// The attributes of a `Diagnostic` that become columns.
#[derive(FromPyObject)]
pub struct Diagnostic {
    code: String,
    severity: String,
    message: String,
    location: Option<String>,
    line: u32,
    column: u32,
    end_column: u32,
    source: String,
    source_column: u32,
    help: Option<String>,
    fix: Option<Safety>,
    more: u64,
}

/// The safety of a `Fix`.
#[derive(FromPyObject)]
struct Safety {
    safety: String,
}

fn schema() -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let number = |name: &str| Field::new(name, DataType::UInt32, true);
    Arc::new(Schema::new(vec![
        text("code"),
        text("severity"),
        text("message"),
        text("location"),
        number("line"),
        number("column"),
        number("end_column"),
        text("source"),
        number("source_column"),
        text("help"),
        text("fix"),
        Field::new("more", DataType::UInt64, true),
    ]))
}

/// Return diagnostics as the capsule of a stream.
#[pyfunction]
pub fn findings_stream(py: Python<'_>, diagnostics: Vec<Diagnostic>) -> PyResult<Bound<'_, PyCapsule>> {
    let texts = |value: fn(&Diagnostic) -> Option<&String>| -> ArrayRef {
        Arc::new(diagnostics.iter().map(|each| value(each).map(String::as_str)).collect::<StringArray>())
    };
    let numbers = |value: fn(&Diagnostic) -> u32| -> ArrayRef {
        Arc::new(diagnostics.iter().map(value).map(Some).collect::<UInt32Array>())
    };
    let columns = vec![
        texts(|each| Some(&each.code)),
        texts(|each| Some(&each.severity)),
        texts(|each| Some(&each.message)),
        texts(|each| each.location.as_ref()),
        numbers(|each| each.line),
        numbers(|each| each.column),
        numbers(|each| each.end_column),
        texts(|each| Some(&each.source)),
        numbers(|each| each.source_column),
        texts(|each| each.help.as_ref()),
        texts(|each| each.fix.as_ref().map(|fix| &fix.safety)),
        Arc::new(diagnostics.iter().map(|each| Some(each.more)).collect::<UInt64Array>()),
    ];
    let batch = RecordBatch::try_new(schema(), columns).map_err(|error| PyValueError::new_err(error.to_string()))?;
    stream_capsule(py, Box::new(RecordBatchIterator::new(vec![Ok(batch)], schema())))
}

/// Return the schema of that table.
#[pyfunction]
pub fn findings_schema(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    schema_capsule(py, &schema())
}
