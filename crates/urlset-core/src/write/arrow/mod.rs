//! Rows from anybody's Arrow table: columns are found by name, and every type that can mean the value is taken.

mod nested;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema, TimeUnit};
use nested::{Lists, Structs, Videos};

use super::{Alternate, Image, Lastmod, Priority, Row, as_written};
use crate::media::NEWS;

const IMAGE_FIELDS: [&str; 5] = ["loc", "title", "caption", "geo_location", "license"];
/// The one that a plain text stands for is first.
const ALTERNATE_FIELDS: [&str; 4] = ["href", "hreflang", "media", "rel"];

/// The columns that are read; others are left alone.
pub const COLUMNS: [&str; 8] = ["loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "news"];
/// Columns of our own table that say where an entry came from or repeat another one: passed over, no mistake.
const PROVENANCE: [&str; 3] = ["lastmod_raw", "document", "line"];

/// Says what is wrong with a schema before any row is read, and which of its columns are passed over.
///
/// `extras` are columns of anything that can be told as text, which are brought along.
pub fn check(schema: &Schema, extras: &[String]) -> Result<Vec<String>, String> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    if !names.contains(&"loc") {
        return Err(format!("there is no column \"loc\"; the columns are {}", names.join(", ")));
    }
    if let Ok(field) = schema.field_with_name("lastmod")
        && let DataType::Timestamp(_, None) = field.data_type()
    {
        return Err("the column \"lastmod\" holds times without a zone: give it one, such as UTC".into());
    }
    if let Some(missing) = extras.iter().find(|extra| !names.contains(&extra.as_str())) {
        return Err(format!("there is no column {missing:?}; the columns are {}", names.join(", ")));
    }
    let is_known =
        |name: &str| COLUMNS.contains(&name) || PROVENANCE.contains(&name) || extras.iter().any(|extra| extra == name);
    Ok(names.into_iter().filter(|name| !is_known(name)).map(str::to_owned).collect())
}

/// The columns of one batch, cast to what rows are made of.
#[derive(Debug)]
pub struct Rows {
    length: usize,
    loc: StringArray,
    lastmod: Option<Times>,
    /// Of a table of ours, where the typed value would lose how it was written.
    lastmod_raw: Option<StringArray>,
    changefreq: Option<StringArray>,
    priority: Option<Numbers>,
    images: Option<Lists<5>>,
    videos: Option<Videos>,
    alternates: Option<Lists<4>>,
    news: Option<Structs<8>>,
    extras: Vec<Option<StringArray>>,
}

impl Rows {
    /// Casts the columns; the error names the one that cannot be what it has to be.
    pub fn new(batch: &RecordBatch, extras: &[String]) -> Result<Self, String> {
        let as_text = |column: &ArrayRef, name: &str| {
            Ok::<_, String>(cast_to(name, column, &DataType::Utf8)?.as_string::<i32>().clone())
        };
        let column = |name: &str| batch.column_by_name(name).filter(|column| column.data_type() != &DataType::Null);
        // Another program made it, and a text that is not UTF-8 would be none of Rust's.
        for name in COLUMNS.into_iter().chain(["lastmod_raw"]).chain(extras.iter().map(String::as_str)) {
            if let Some(column) = column(name) {
                let broken = |error| format!("the column {name:?} is not as Arrow has it: {error}");
                column.to_data().validate_full().map_err(broken)?;
            }
        }
        Ok(Rows {
            length: batch.num_rows(),
            loc: match column("loc") {
                Some(column) => strings("loc", column)?,
                None => StringArray::new_null(batch.num_rows()),
            },
            lastmod: column("lastmod").map(Times::new).transpose()?,
            lastmod_raw: column("lastmod_raw").map(|column| strings("lastmod_raw", column)).transpose()?,
            changefreq: column("changefreq").map(|column| strings("changefreq", column)).transpose()?,
            priority: column("priority").map(Numbers::new).transpose()?,
            images: column("images").map(|column| Lists::new("images", column, &IMAGE_FIELDS)).transpose()?,
            videos: column("videos").map(|column| Videos::new("videos", column)).transpose()?,
            alternates: column("alternates")
                .map(|column| Lists::new("alternates", column, &ALTERNATE_FIELDS))
                .transpose()?,
            news: column("news").map(|column| Structs::new("news", column, &NEWS)).transpose()?,
            extras: extras
                .iter()
                .map(|name| column(name).map(|column| as_text(column, name)).transpose())
                .collect::<Result<_, _>>()?,
        })
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn row(&self, at: usize) -> Row<'_> {
        let typed = self.lastmod.as_ref().and_then(|times| times.get(at));
        let raw = self.lastmod_raw.as_ref().and_then(|texts| text(texts, at));
        Row {
            kind: None,
            loc: text(&self.loc, at).unwrap_or_default(),
            lastmod: if self.lastmod.is_some() { as_written(typed, raw) } else { raw.map(Lastmod::Text) },
            changefreq: self.changefreq.as_ref().and_then(|texts| text(texts, at)),
            priority: self.priority.as_ref().and_then(|numbers| numbers.get(at)),
            images: self.images.as_ref().map_or_else(Vec::new, |lists| {
                let image = |[loc, title, caption, geo_location, license]: [Option<_>; 5]| Image {
                    loc: loc.unwrap_or_default(),
                    title,
                    caption,
                    geo_location,
                    license,
                };
                lists.items(at).map(image).collect()
            }),
            videos: self.videos.as_ref().map_or_else(Vec::new, |videos| videos.row(at)),
            alternates: self.alternates.as_ref().map_or_else(Vec::new, |lists| {
                let alternate = |[href, hreflang, media, rel]: [Option<_>; 4]| Alternate {
                    hreflang,
                    href: href.unwrap_or_default(),
                    media,
                    rel,
                };
                lists.items(at).map(alternate).collect()
            }),
            news: self.news.as_ref().and_then(|structs| structs.get(at)),
            extras: self.extras.iter().map(|texts| texts.as_ref().and_then(|texts| text(texts, at))).collect(),
        }
    }
}

fn text(texts: &StringArray, at: usize) -> Option<&str> {
    texts.is_valid(at).then(|| texts.value(at))
}

fn cast_to(name: &str, column: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    cast(column, to).map_err(|error| format!("the column {name:?} cannot be read: {error}"))
}

fn strings(name: &str, column: &ArrayRef) -> Result<StringArray, String> {
    match column.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) => {
            Ok(cast_to(name, column, &DataType::Utf8)?.as_string::<i32>().clone())
        }
        other => Err(format!("the column {name:?} has to be text, not {other}")),
    }
}

#[derive(Debug)]
enum Times {
    Text(StringArray),
    Instant { counts: ArrayRef, unit: TimeUnit },
    Day(ArrayRef),
}

impl Times {
    fn new(column: &ArrayRef) -> Result<Self, String> {
        match column.data_type() {
            DataType::Date32 | DataType::Date64 => Ok(Times::Day(cast_to("lastmod", column, &DataType::Date32)?)),
            DataType::Timestamp(unit, Some(_)) => {
                Ok(Times::Instant { counts: cast_to("lastmod", column, &DataType::Int64)?, unit: *unit })
            }
            _ => strings("lastmod", column).map(Times::Text),
        }
    }

    fn get(&self, at: usize) -> Option<Lastmod<'_>> {
        match self {
            Times::Text(texts) => text(texts, at).map(Lastmod::Text),
            Times::Instant { counts, unit } => counts.is_valid(at).then(|| {
                let count = counts.as_primitive::<Int64Type>().value(at);
                // An instant beyond all calendars stays one, to be refused by the entry that has it.
                Lastmod::Instant(match unit {
                    TimeUnit::Second => count.saturating_mul(1_000_000),
                    TimeUnit::Millisecond => count.saturating_mul(1_000),
                    TimeUnit::Microsecond => count,
                    // Cut, never moved on, before 1970 as after it.
                    TimeUnit::Nanosecond => count.div_euclid(1_000),
                })
            }),
            Times::Day(array) => array.is_valid(at).then(|| Lastmod::Day(array.as_primitive::<Date32Type>().value(at))),
        }
    }
}

#[derive(Debug)]
enum Numbers {
    Text(StringArray),
    Number(ArrayRef),
}

impl Numbers {
    fn new(column: &ArrayRef) -> Result<Self, String> {
        if column.data_type().is_numeric() {
            // A float of 32 bits means the short decimal that it prints as, not its nearest double.
            let column = match column.data_type() {
                DataType::Float32 | DataType::Float16 => &cast_to("priority", column, &DataType::Utf8)?,
                _ => column,
            };
            return Ok(Numbers::Number(cast_to("priority", column, &DataType::Float64)?));
        }
        strings("priority", column).map(Numbers::Text)
    }

    fn get(&self, at: usize) -> Option<Priority<'_>> {
        match self {
            Numbers::Text(texts) => text(texts, at).map(Priority::Text),
            Numbers::Number(array) => {
                array.is_valid(at).then(|| Priority::Number(array.as_primitive::<Float64Type>().value(at)))
            }
        }
    }
}
