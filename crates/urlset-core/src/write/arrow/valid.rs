//! Whether a column of another program is what its type says. Rust must not take text that is not UTF-8, nor look behind
//! the end of a buffer.
//!
//! `ArrayData::validate_full` decides that, but asks of each text whether it ends where a character does. Nearly all
//! columns are in ASCII, where each text does.

use arrow_array::cast::AsArray;
use arrow_array::{Array, GenericStringArray, OffsetSizeTrait};
use arrow_schema::{ArrowError, DataType};

/// Check a column with all that it contains.
pub fn check(column: &dyn Array) -> Result<(), ArrowError> {
    let data = column.to_data();
    let child = match column.data_type() {
        DataType::Utf8 if is_ascii(column.as_string::<i32>()) => return data.validate_nulls(),
        DataType::LargeUtf8 if is_ascii(column.as_string::<i64>()) => return data.validate_nulls(),
        DataType::Struct(_) => {
            data.validate_data()?;
            return column.as_struct().columns().iter().try_for_each(|field| check(field));
        }
        DataType::List(_) => column.as_list::<i32>().values(),
        DataType::LargeList(_) => column.as_list::<i64>().values(),
        _ => return data.validate_full(),
    };
    data.validate_data()?;
    check(child)
}

/// Whether all texts of a column are in ASCII, and one after the other cover a part of their buffer.
fn is_ascii<O: OffsetSizeTrait>(texts: &GenericStringArray<O>) -> bool {
    let (offsets, bytes) = (texts.value_offsets(), texts.value_data());
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return false };
    let is_sorted = offsets.windows(2).fold(true, |sorted, pair| sorted & (pair[0] <= pair[1]));
    // A negative offset becomes a huge one, for which `get` finds no bytes; sorted ones do not exceed the last.
    is_sorted && bytes.get(first.as_usize()..last.as_usize()).is_some_and(<[u8]>::is_ascii)
}
