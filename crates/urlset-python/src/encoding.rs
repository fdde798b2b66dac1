//! The values of Content-Encoding headers.

use pyo3::prelude::*;
use urlset_core::decode::ContentEncoding;

use crate::interpreter::input_error;

/// Read the value of a `Content-Encoding` header. Raises InputError if it names an unknown coding.
pub fn content_encoding(py: Python<'_>, header: Option<&str>) -> PyResult<ContentEncoding> {
    let parsed = header.map_or_else(|| Ok(ContentEncoding::default()), ContentEncoding::parse);
    parsed.map_err(|error| input_error(py, &error.to_string()))
}

/// Raise InputError if the value of a `Content-Encoding` header names an unknown coding.
#[pyfunction]
pub fn check_content_encoding(py: Python<'_>, content_encoding: Option<&str>) -> PyResult<()> {
    self::content_encoding(py, content_encoding).map(|_| ())
}
