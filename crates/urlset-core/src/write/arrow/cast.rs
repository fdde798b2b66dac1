//! Casting columns.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;

use crate::write::error::TableError;

/// Return the text of a row; None if it is null.
pub fn text(texts: &StringArray, at: usize) -> Option<&str> {
    texts.is_valid(at).then(|| texts.value(at))
}

/// Cast a column.
pub fn cast_to(name: &str, column: &ArrayRef, to: &DataType) -> Result<ArrayRef, TableError> {
    cast(column, to).map_err(|error| TableError::Column(format!("the column {name:?} cannot be read: {error}")))
}

/// Return a column of texts, which has to be of some kind of text.
pub fn strings(name: &str, column: &ArrayRef) -> Result<StringArray, TableError> {
    match column.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) => {
            Ok(cast_to(name, column, &DataType::Utf8)?.as_string::<i32>().clone())
        }
        other => Err(TableError::Column(format!("the column {name:?} has to be text, not {other}"))),
    }
}
