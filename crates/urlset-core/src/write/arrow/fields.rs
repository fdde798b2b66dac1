//! The fields of the columns that hold structs. An unknown one is most likely a typing error, and its values would
//! be lost: it is refused before any row is read, as an unknown column is.

use arrow_schema::DataType;

use crate::media::{ID, NEWS, PRICE, SEGMENT, SHOW, TAG, VIDEO_TEXTS};
use crate::write::error::TableError;

pub const IMAGE_FIELDS: [&str; 5] = ["loc", "title", "caption", "geo_location", "license"];
/// The first is the one that a plain text stands for.
pub const ALTERNATE_FIELDS: [&str; 4] = ["href", "hreflang", "media", "rel"];

/// The fields of a struct: texts, and lists or structs with fields of their own.
struct Fields {
    texts: &'static [&'static str],
    nested: &'static [(&'static str, Fields)],
}

/// The columns that hold structs, or lists of them.
static COLUMNS: [(&str, Fields); 4] = [
    ("images", Fields::of(&IMAGE_FIELDS)),
    ("videos", Fields { texts: &VIDEO_TEXTS, nested: &OF_VIDEOS }),
    ("alternates", Fields::of(&ALTERNATE_FIELDS)),
    ("news", Fields::of(&NEWS)),
];
static OF_VIDEOS: [(&str, Fields); 5] = [
    ("content_segments", Fields::of(&SEGMENT)),
    ("tags", Fields::of(&TAG)),
    ("prices", Fields::of(&PRICE)),
    ("tvshow", Fields::of(&SHOW)),
    ("ids", Fields::of(&ID)),
];

impl Fields {
    const fn of(texts: &'static [&'static str]) -> Fields {
        Fields { texts, nested: &[] }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.texts.iter().copied().chain(self.nested.iter().map(|(name, _)| *name))
    }

    fn check(&self, column: &str, kind: &DataType) -> Result<(), TableError> {
        let fields = match kind {
            DataType::Struct(fields) => fields,
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _) => return self.check(column, item.data_type()),
            // Whether it can mean the value shows when it is cast.
            _ => return Ok(()),
        };
        for field in fields {
            let name = field.name();
            if !self.names().any(|known| known == name) {
                let known = self.names().collect::<Vec<_>>().join(", ");
                let message = format!("the column {column:?} has an unknown field {name:?}; the fields are {known}");
                return Err(TableError::Column(message));
            }
            if let Some((_, inner)) = self.nested.iter().find(|(known, _)| known == name) {
                inner.check(&format!("{column}.{name}"), field.data_type())?;
            }
        }
        Ok(())
    }
}

/// Check the fields of a column that has this name among ours. `column` is what the source calls it.
pub fn check(ours: &str, column: &str, kind: &DataType) -> Result<(), TableError> {
    match COLUMNS.iter().find(|(name, _)| *name == ours) {
        Some((_, fields)) => fields.check(column, kind),
        None => Ok(()),
    }
}
