//! Findings as an Arrow table.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::table::{schema_capsule, stream_capsule};

/// code, severity, message, location, line, column, end column, source, its column, help, safety of the fix, more.
type Row = (String, String, String, Option<String>, u32, u32, u32, String, u32, Option<String>, Option<String>, u64);

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

/// The findings as the capsule of a stream.
#[pyfunction]
pub fn findings_stream<'py>(py: Python<'py>, rows: Vec<Row>) -> PyResult<Bound<'py, PyCapsule>> {
    let texts = |value: fn(&Row) -> Option<&String>| -> ArrayRef {
        Arc::new(rows.iter().map(|row| value(row).map(String::as_str)).collect::<StringArray>())
    };
    let numbers =
        |value: fn(&Row) -> u32| -> ArrayRef { Arc::new(rows.iter().map(value).map(Some).collect::<UInt32Array>()) };
    let columns = vec![
        texts(|row| Some(&row.0)),
        texts(|row| Some(&row.1)),
        texts(|row| Some(&row.2)),
        texts(|row| row.3.as_ref()),
        numbers(|row| row.4),
        numbers(|row| row.5),
        numbers(|row| row.6),
        texts(|row| Some(&row.7)),
        numbers(|row| row.8),
        texts(|row| row.9.as_ref()),
        texts(|row| row.10.as_ref()),
        Arc::new(rows.iter().map(|row| Some(row.11)).collect::<UInt64Array>()),
    ];
    let batch = RecordBatch::try_new(schema(), columns).map_err(|error| PyValueError::new_err(error.to_string()))?;
    stream_capsule(py, Box::new(RecordBatchIterator::new(vec![Ok(batch)], schema())))
}

/// The schema of that table.
#[pyfunction]
pub fn findings_schema(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    schema_capsule(py, &schema())
}
