//! Casting columns.
//!
//! Columns of texts are cast here, because every table of another program has them. What is rare is left to `arrow_cast`:
//! it can cast anything to anything, so it takes a quarter of the time of a build if it is optimised, and is not.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_buffer::NullBuffer;
use arrow_cast::cast;
use arrow_schema::DataType;
use urlset_texts::TextBuilder;

use crate::write::error::TableError;

/// Return the text of a row; None if it is null.
#[inline(always)]
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
        DataType::Utf8 => Ok(column.as_string::<i32>().clone()),
        DataType::LargeUtf8 => copied(name, column.as_string::<i64>().iter()),
        DataType::Utf8View => copied(name, column.as_string_view().iter()),
        DataType::Dictionary(_, of) if is_text(of) => looked_up(name, column),
        DataType::Dictionary(..) => Ok(cast_to(name, column, &DataType::Utf8)?.as_string::<i32>().clone()),
        other => Err(TableError::Column(format!("the column {name:?} has to be text, not {other}"))),
    }
}

/// Return the rows of a dictionary of texts.
fn looked_up(name: &str, column: &ArrayRef) -> Result<StringArray, TableError> {
    let words = Words::new(name, column)?;
    copied(name, (0..column.len()).map(|at| words.get(at)))
}

/// A column of texts, most of which are among a few. Those of a dictionary are not copied for each row.
#[derive(Debug)]
pub struct Words {
    texts: StringArray,
    /// The index of each row's text, if that is not the row's own, and which rows have one.
    keys: Option<(Vec<usize>, Option<NullBuffer>)>,
}

impl Words {
    pub fn new(name: &str, column: &ArrayRef) -> Result<Words, TableError> {
        let Some(dictionary) = column.as_any_dictionary_opt().filter(|of| is_text(of.values().data_type())) else {
            return Ok(Words { texts: strings(name, column)?, keys: None });
        };
        let texts = strings(name, dictionary.values())?;
        if texts.is_empty() {
            return Ok(Words { texts: StringArray::new_null(column.len()), keys: None });
        }
        // The key of a row that is null is any number.
        let keys = (dictionary.normalized_keys(), dictionary.keys().nulls().cloned());
        Ok(Words { texts, keys: Some(keys) })
    }

    /// Return the text of a row; None if it is null.
    #[inline(always)]
    pub fn get(&self, at: usize) -> Option<&str> {
        match &self.keys {
            None => text(&self.texts, at),
            Some((_, Some(present))) if present.is_null(at) => None,
            Some((keys, _)) => text(&self.texts, keys[at]),
        }
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Return a column of these texts.
fn copied<'t>(name: &str, texts: impl Iterator<Item = Option<&'t str>> + Clone) -> Result<StringArray, TableError> {
    let bytes = texts.clone().flatten().map(str::len).sum();
    if i32::try_from(bytes).is_err() {
        return Err(TableError::Column(format!("the column {name:?} has more than 2 GiB of text in one batch")));
    }
    let mut column = TextBuilder::with_capacity(texts.size_hint().0, bytes);
    for text in texts {
        match text {
            Some(text) => column.push(text),
            None => column.push_nulls(1),
        }
    }
    Ok(column.finish())
}
