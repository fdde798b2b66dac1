//! Whether a column of another program is what its type says. Rust must not take text that is not UTF-8, nor look behind
//! the end of a buffer.
//!
//! `ArrayData::validate_full` decides that, but looks at one text after the other, which takes 150 instructions more for
//! each than to look at all as one. Nearly all columns are in ASCII, where each text ends where a character does. Lists
//! are compared with their items at once, too.

use std::thread::{self, Builder};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, GenericStringArray, OffsetSizeTrait, new_empty_array};
use arrow_schema::{ArrowError, DataType};

/// Bytes of texts that take longer to read than a thread takes to start.
const MANY: usize = 1 << 20;

/// Return a column of another program once it is checked. If it has only nulls, it is empty then, unless it `is_whole`:
/// nobody looks at what is behind them, of which a column of structs has as much as any other.
pub fn checked(column: &ArrayRef, is_whole: bool) -> Result<ArrayRef, ArrowError> {
    if column.null_count() == column.len() && !is_whole {
        column.to_data().validate_nulls()?;
        return Ok(new_empty_array(column.data_type()));
    }
    check(column)?;
    Ok(column.clone())
}

/// Check a column with all that it contains.
fn check(column: &dyn Array) -> Result<(), ArrowError> {
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

/// Whether the texts of a column are UTF-8, and one after the other cover a part of their buffer. This takes as long as the
/// memory, of which each core reads as much at a time, so another thread looks at half of many.
fn are_texts<O: OffsetSizeTrait>(texts: &GenericStringArray<O>) -> bool {
    // Batches of one table may share a buffer, of which each has little.
    let ends = texts.value_offsets().first().zip(texts.value_offsets().last());
    if ends.is_none_or(|(first, last)| last.as_usize().saturating_sub(first.as_usize()) < MANY) {
        return are_few_texts(texts);
    }
    let (half, len) = (texts.len() / 2, texts.len());
    thread::scope(|scope| {
        let second = || are_few_texts(&texts.slice(half, len - half));
        let other = Builder::new().name("urlset-check".into()).spawn_scoped(scope, second);
        are_few_texts(&texts.slice(0, half)) && other.map_or_else(|_| second(), |thread| thread.join().unwrap_or(false))
    })
}

fn are_few_texts<O: OffsetSizeTrait>(texts: &GenericStringArray<O>) -> bool {
    let (offsets, bytes) = (texts.value_offsets(), texts.value_data());
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return false };
    let is_sorted = are_sorted(offsets);
    // A negative offset becomes a huge one, for which `get` finds no bytes; sorted ones do not exceed the last.
    let Some(bytes) = bytes.get(first.as_usize()..last.as_usize()).filter(|_| is_sorted) else { return false };
    let begins = |text: &str| offsets.iter().all(|at| text.is_char_boundary(at.as_usize() - first.as_usize()));
    bytes.is_ascii() || simdutf8::basic::from_utf8(bytes).is_ok_and(begins)
}
