//! Whether a column of another program is what its type says. Rust must not take text that is not UTF-8, nor look behind
//! the end of a buffer.
//!
//! `ArrayData::validate_full` decides that, but looks at one text after the other, which takes 150 instructions more for
//! each than to look at all as one. Nearly all columns are in ASCII, where each text ends where a character does. Lists
//! are compared with their items at once, too.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, GenericStringArray, OffsetSizeTrait};
use arrow_schema::{ArrowError, DataType};

/// Check a column with all that it contains.
pub fn check(column: &dyn Array) -> Result<(), ArrowError> {
    let data = column.to_data();
    let (is_sound, items) = match column.data_type() {
        DataType::Utf8 if are_texts(column.as_string::<i32>()) => return data.validate_nulls(),
        DataType::LargeUtf8 if are_texts(column.as_string::<i64>()) => return data.validate_nulls(),
        DataType::Struct(_) => {
            data.validate_data()?;
            return column.as_struct().columns().iter().try_for_each(|field| check(field));
        }
        DataType::List(_) => are_lists(column.as_list::<i32>()),
        DataType::LargeList(_) => are_lists(column.as_list::<i64>()),
        _ => return data.validate_full(),
    };
    if is_sound {
        data.validate_nulls()?
    } else {
        data.validate_data()?
    }
    check(items)
}

/// Whether each list of a column is a part of its items, which are returned.
fn are_lists<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> (bool, &ArrayRef) {
    let (offsets, items) = (lists.value_offsets(), lists.values());
    // Sorted ones lie between the first and the last.
    let ends = offsets.first().zip(offsets.last());
    let are_within = ends.is_some_and(|(first, last)| first.to_usize().is_some() && last.as_usize() <= items.len());
    (are_within && are_sorted(offsets), items)
}

fn are_sorted<O: OffsetSizeTrait>(offsets: &[O]) -> bool {
    offsets.windows(2).fold(true, |sorted, pair| sorted & (pair[0] <= pair[1]))
}

/// Whether the texts of a column are UTF-8, and one after the other cover a part of their buffer.
fn are_texts<O: OffsetSizeTrait>(texts: &GenericStringArray<O>) -> bool {
    let (offsets, bytes) = (texts.value_offsets(), texts.value_data());
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return false };
    let is_sorted = are_sorted(offsets);
    // A negative offset becomes a huge one, for which `get` finds no bytes; sorted ones do not exceed the last.
    let Some(bytes) = bytes.get(first.as_usize()..last.as_usize()).filter(|_| is_sorted) else { return false };
    let begins = |text: &str| offsets.iter().all(|at| text.is_char_boundary(at.as_usize() - first.as_usize()));
    bytes.is_ascii() || simdutf8::basic::from_utf8(bytes).is_ok_and(begins)
}
