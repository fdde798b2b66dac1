//! Dicts as rows of a table of DuckDB.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int16Builder, Int32Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBufferBuilder};
use arrow_schema::{ArrowError, Field, Fields, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString};

use crate::table::Batches;

/// Return dicts as rows. What one does not have is NULL.
///
/// `columns` has the type of each column by its name, as DuckDB calls it: a list is one of its first element, and a dict a
/// struct.
#[pyfunction]
pub fn records<'py>(columns: &Bound<'py, PyDict>, rows: Vec<Bound<'py, PyDict>>) -> PyResult<Batches> {
    let mut columns = named(columns)?;
    for row in &rows {
        for (name, column) in &mut columns {
            column.push(row.get_item(&*name)?)?;
        }
    }
    let (fields, arrays) = finished(columns)?;
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map(Batches::of).map_err(refused)
}

/// A column under construction.
enum Column<'py> {
    Text(StringBuilder),
    Truth(BooleanBuilder),
    Small(Int16Builder),
    Lane(UInt16Builder),
    Int(Int32Builder),
    Big(Int64Builder),
    Hash(UInt64Builder),
    Float(Float64Builder),
    Instant(TimestampMicrosecondBuilder),
    List { items: Box<Column<'py>>, offsets: OffsetBufferBuilder<i32>, nulls: NullBufferBuilder },
    Struct { fields: Vec<(Bound<'py, PyString>, Column<'py>)>, nulls: NullBufferBuilder },
}

impl<'py> Column<'py> {
    /// An empty column of a type.
    fn of(written: &Bound<'py, PyAny>) -> PyResult<Self> {
        let nulls = NullBufferBuilder::new(0);
        if let Ok(list) = written.cast::<PyList>() {
            let items = Box::new(Column::of(&list.get_item(0)?)?);
            return Ok(Column::List { items, offsets: OffsetBufferBuilder::new(0), nulls });
        }
        if let Ok(fields) = written.cast::<PyDict>() {
            return Ok(Column::Struct { fields: named(fields)?, nulls });
        }
        Ok(match written.cast::<PyString>()?.to_str()? {
            "VARCHAR" | "JSON" => Column::Text(StringBuilder::new()),
            "BOOLEAN" => Column::Truth(BooleanBuilder::new()),
            "SMALLINT" => Column::Small(Int16Builder::new()),
            "USMALLINT" => Column::Lane(UInt16Builder::new()),
            "INTEGER" => Column::Int(Int32Builder::new()),
            "BIGINT" => Column::Big(Int64Builder::new()),
            "UBIGINT" => Column::Hash(UInt64Builder::new()),
            "DOUBLE" => Column::Float(Float64Builder::new()),
            "TIMESTAMPTZ" => Column::Instant(TimestampMicrosecondBuilder::new().with_timezone("UTC")),
            other => return Err(PyValueError::new_err(format!("no type of a column: {other}"))),
        })
    }

    fn push(&mut self, value: Option<Bound<'py, PyAny>>) -> PyResult<()> {
        let value = value.filter(|value| !value.is_none());
        match self {
            Column::Text(texts) => match &value {
                Some(value) => texts.append_value(value.cast::<PyString>()?.to_str()?),
                None => texts.append_null(),
            },
            Column::Truth(values) => values.append_option(extracted(value)?),
            Column::Lane(values) => values.append_option(extracted(value)?),
            Column::Small(values) => values.append_option(extracted(value)?),
            Column::Int(values) => values.append_option(extracted(value)?),
            Column::Big(values) => values.append_option(extracted(value)?),
            Column::Hash(values) => values.append_option(extracted(value)?),
            Column::Float(values) => values.append_option(extracted(value)?),
            Column::Instant(values) => values.append_option(value.as_ref().map(micros).transpose()?),
            Column::List { items, offsets, nulls } => {
                let mut length = 0;
                if let Some(list) = &value {
                    for item in list.try_iter()? {
                        items.push(Some(item?))?;
                        length += 1;
                    }
                }
                offsets.push_length(length);
                nulls.append(value.is_some());
            }
            Column::Struct { fields, nulls } => {
                let value = value.as_ref().map(|value| value.cast::<PyDict>()).transpose()?;
                for (name, column) in fields {
                    column.push(value.map(|value| value.get_item(&*name)).transpose()?.flatten())?;
                }
                nulls.append(value.is_some());
            }
        }
        Ok(())
    }

    fn finish(self) -> PyResult<ArrayRef> {
        Ok(match self {
            Column::Text(mut values) => Arc::new(values.finish()),
            Column::Truth(mut values) => Arc::new(values.finish()),
            Column::Lane(mut values) => Arc::new(values.finish()),
            Column::Small(mut values) => Arc::new(values.finish()),
            Column::Int(mut values) => Arc::new(values.finish()),
            Column::Big(mut values) => Arc::new(values.finish()),
            Column::Hash(mut values) => Arc::new(values.finish()),
            Column::Float(mut values) => Arc::new(values.finish()),
            Column::Instant(mut values) => Arc::new(values.finish()),
            Column::List { items, offsets, mut nulls } => {
                let items = items.finish()?;
                let field = Arc::new(Field::new_list_field(items.data_type().clone(), true));
                Arc::new(ListArray::try_new(field, offsets.finish(), items, nulls.finish()).map_err(refused)?)
            }
            Column::Struct { fields, mut nulls } => {
                let (fields, arrays) = finished(fields)?;
                Arc::new(StructArray::try_new(fields, arrays, nulls.finish()).map_err(refused)?)
            }
        })
    }
}

/// Empty columns with these names and types.
fn named<'py>(columns: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyString>, Column<'py>)>> {
    columns.iter().map(|(name, written)| Ok((name.cast_into()?, Column::of(&written)?))).collect()
}

fn finished(columns: Vec<(Bound<'_, PyString>, Column<'_>)>) -> PyResult<(Fields, Vec<ArrayRef>)> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (name, column) in columns {
        let array = column.finish()?;
        fields.push(Field::new(name.to_str()?, array.data_type().clone(), true));
        arrays.push(array);
    }
    Ok((fields.into(), arrays))
}

fn extracted<'py, T: FromPyObjectOwned<'py, Error = PyErr>>(value: Option<Bound<'py, PyAny>>) -> PyResult<Option<T>> {
    value.map(|value| value.extract()).transpose()
}

/// The microseconds of a datetime.
fn micros(instant: &Bound<'_, PyAny>) -> PyResult<i64> {
    static MICROS_OF: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    MICROS_OF.import(instant.py(), "urlset._model.instants", "micros_of")?.call1((instant,))?.extract()
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
