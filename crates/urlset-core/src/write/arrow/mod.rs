//! Rows from any Arrow table: columns are found by name, and every type that can mean the value is accepted.

mod cast;
mod fields;
mod nested;
mod scalars;
mod valid;

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Schema};

use self::cast::{Words, cast_to, strings, text};
use self::fields::{ALTERNATE_FIELDS, IMAGE_FIELDS};
use self::nested::{Lists, Structs, Videos};
use self::scalars::{Numbers, Times};

use super::error::TableError;
use super::names::{ColumnNames, FURTHER};
use super::row::{Alternate, Fields, Image, Lastmod, Row, as_written};
use crate::media::NEWS;

/// The columns that are read; others are ignored.
pub const COLUMNS: [&str; 8] = ["loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "news"];

/// Check a schema before any row is read, and return the columns that are known but not used.
///
/// `extras` are further columns of any type that can be cast to text, which rows bring along; `required` are those of them
/// that have to be there. With `is_local`, times without a zone are taken, because the caller knows their zone. An
/// unknown column or field is most likely a typing error, and its values would be lost.
pub fn check(
    schema: &Schema,
    names: &ColumnNames,
    extras: &[String],
    required: &[String],
    is_local: bool,
) -> Result<Vec<String>, TableError> {
    let there: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let wanted: Vec<&str> = COLUMNS.into_iter().filter_map(|name| names.of(name)).collect();
    let loc = names.of("loc").unwrap_or("loc");
    let needed = [loc].into_iter().chain(names.mapped()).chain(required.iter().map(String::as_str));
    if let Some(missing) = needed.into_iter().find(|name| !there.contains(name)) {
        return Err(no_column(missing, &there));
    }
    let is_used = |name: &str| wanted.contains(&name) || extras.iter().any(|extra| extra == name);
    if let Some(twice) = there.iter().enumerate().find(|(at, name)| is_used(name) && there[..*at].contains(name)) {
        return Err(TableError::Column(format!("there are two columns {:?}: rename one of them", twice.1)));
    }
    let lastmod = names.of("lastmod").unwrap_or_default();
    if let Ok(field) = schema.field_with_name(lastmod)
        && let DataType::Timestamp(_, None) = field.data_type()
        && !is_local
    {
        let message = format!("the column {lastmod:?} holds times without a zone: give it one, such as UTC");
        return Err(TableError::Column(message));
    }
    let is_provenance = |name: &str| name == "lastmod_raw" || FURTHER.contains(&name);
    let unused: Vec<&str> = there.iter().copied().filter(|name| !is_used(name) && !is_provenance(name)).collect();
    let unknown: Vec<&str> = unused.iter().copied().filter(|name| !names.is_replaced(name)).collect();
    if !unknown.is_empty() {
        let known = wanted.into_iter().chain(extras.iter().map(String::as_str)).collect::<Vec<_>>().join(", ");
        let message = format!("unknown columns: {}; leave them out, the columns are {known}", unknown.join(", "));
        return Err(TableError::Column(message));
    }
    for (ours, name) in COLUMNS.into_iter().filter_map(|ours| Some((ours, names.of(ours)?))) {
        if let Ok(field) = schema.field_with_name(name) {
            fields::check(ours, name, field.data_type())?;
        }
    }
    Ok(unused.into_iter().map(str::to_owned).collect())
}

/// Return the columns of a table that are read.
pub fn used(schema: &Schema, names: &ColumnNames, extras: &[String]) -> Vec<usize> {
    let ours = read_columns(names).chain(extras.iter().map(String::as_str));
    let mut used: Vec<usize> = ours.filter_map(|name| schema.index_of(name).ok()).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// Return the names of our own columns, as the source calls them.
fn read_columns(names: &ColumnNames) -> impl Iterator<Item = &str> {
    COLUMNS.into_iter().chain(["lastmod_raw"]).filter_map(|name| names.of(name))
}

/// Return what is made of a column; None if it is missing, or if it holds only nulls, so that no row looks there.
fn made<T>(
    column: Option<&ArrayRef>,
    make: impl FnOnce(&ArrayRef) -> Result<T, TableError>,
) -> Result<Option<T>, TableError> {
    let Some(column) = column else { return Ok(None) };
    // Made in any case, because a column of a wrong type is an error.
    let made = make(column)?;
    Ok((column.null_count() < column.len()).then_some(made))
}

fn no_column(name: &str, names: &[&str]) -> TableError {
    TableError::Column(format!("there is no column {name:?}; the columns are {}", names.join(", ")))
}

/// The columns of one batch, cast to the types of a row.
#[derive(Debug)]
pub struct BatchRows {
    length: usize,
    loc: StringArray,
    lastmod: Option<Times>,
    /// A column of our own table that keeps how a lastmod was written.
    lastmod_raw: Option<StringArray>,
    changefreq: Option<Words>,
    priority: Option<Numbers>,
    images: Option<Lists<5>>,
    videos: Option<Videos>,
    alternates: Option<Lists<4>>,
    news: Option<Structs<8>>,
    extras: Vec<Option<StringArray>>,
}

impl BatchRows {
    /// Cast the columns. The error names the column that cannot be cast.
    pub fn new(batch: &RecordBatch, names: &ColumnNames, extras: &[String]) -> Result<Self, TableError> {
        let as_text = |column: &ArrayRef, name: &str| {
            Ok::<_, TableError>(cast_to(name, column, &DataType::Utf8)?.as_string::<i32>().clone())
        };
        // Of these each row is looked at, even if all are null: see below.
        let whole = [names.of("loc"), names.of("lastmod")];
        let mut checked = Vec::with_capacity(batch.num_columns());
        for name in read_columns(names).chain(extras.iter().map(String::as_str)) {
            let given = batch.column_by_name(name).filter(|column| column.data_type() != &DataType::Null);
            if let Some(column) = given {
                let broken =
                    |error| TableError::Column(format!("the column {name:?} is not valid Arrow data: {error}"));
                checked.push((name, valid::checked(column, whole.contains(&Some(name))).map_err(broken)?));
            }
        }
        let own = |name: &str| checked.iter().find(|(found, _)| *found == name).map(|(_, column)| column);
        let column = |name: &str| names.of(name).and_then(own);
        Ok(BatchRows {
            length: batch.num_rows(),
            loc: match column("loc") {
                Some(column) => strings("loc", column)?,
                None => StringArray::new_null(batch.num_rows()),
            },
            // Even if all are null: one that was taken away must not come back from the column beside it.
            lastmod: column("lastmod").map(Times::new).transpose()?,
            lastmod_raw: made(column("lastmod_raw"), |column| strings("lastmod_raw", column))?,
            changefreq: made(column("changefreq"), |column| Words::new("changefreq", column))?,
            priority: made(column("priority"), Numbers::new)?,
            images: made(column("images"), |column| Lists::of_texts_or("images", column, &IMAGE_FIELDS))?,
            videos: made(column("videos"), |column| Videos::new("videos", column))?,
            alternates: made(column("alternates"), |column| Lists::new("alternates", column, &ALTERNATE_FIELDS))?,
            news: made(column("news"), |column| Structs::new("news", column, &NEWS))?,
            extras: extras
                .iter()
                .map(|name| made(own(name), |column| as_text(column, name)))
                .collect::<Result<_, _>>()?,
        })
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether any of the rows may have images, or links to other versions of the page.
    pub fn may_have_images_or_links(&self) -> bool {
        self.images.is_some() || self.alternates.is_some()
    }

    pub fn may_have_videos_or_news(&self) -> bool {
        self.videos.is_some() || self.news.is_some()
    }

    /// Return the fields of the protocol of a row.
    #[inline(always)]
    pub fn fields(&self, at: usize) -> Fields<'_> {
        let typed = self.lastmod.as_ref().and_then(|times| times.get(at));
        let raw = self.lastmod_raw.as_ref().and_then(|texts| text(texts, at));
        let (lastmod, lastmod_raw) = if self.lastmod.is_some() { (typed, raw) } else { (raw.map(Lastmod::Text), None) };
        Fields {
            loc: text(&self.loc, at).unwrap_or_default(),
            lastmod,
            lastmod_raw,
            changefreq: self.changefreq.as_ref().and_then(|words| words.get(at)),
            priority: self.priority.as_ref().and_then(|numbers| numbers.get(at)),
        }
    }

    /// Return the indexes of the images of a row.
    #[inline(always)]
    pub fn images(&self, at: usize) -> Range<usize> {
        self.images.as_ref().map_or(0..0, |lists| lists.span(at))
    }

    /// Return an image by its index.
    #[inline(always)]
    pub fn image(&self, index: usize) -> Image<'_> {
        let lists = self.images.as_ref();
        let [loc, title, caption, geo_location, license] = lists.map_or([None; 5], |lists| lists.item(index));
        Image { loc: loc.unwrap_or_default(), title, caption, geo_location, license }
    }

    /// Return the indexes of the links of a row.
    #[inline(always)]
    pub fn links(&self, at: usize) -> Range<usize> {
        self.alternates.as_ref().map_or(0..0, |lists| lists.span(at))
    }

    /// Return a link by its index.
    #[inline(always)]
    pub fn link(&self, index: usize) -> Alternate<'_> {
        let [href, hreflang, media, rel] = self.alternates.as_ref().map_or([None; 4], |lists| lists.item(index));
        Alternate { hreflang, href: href.unwrap_or_default(), media, rel }
    }

    pub fn row(&self, at: usize) -> Row<'_> {
        let Fields { loc, lastmod, lastmod_raw, changefreq, priority } = self.fields(at);
        Row {
            kind: None,
            loc,
            lastmod: as_written(lastmod, lastmod_raw),
            changefreq,
            priority,
            images: self.images(at).map(|index| self.image(index)).collect(),
            videos: self.videos.as_ref().map_or_else(Vec::new, |videos| videos.row(at)),
            alternates: self.links(at).map(|index| self.link(index)).collect(),
            news: self.news.as_ref().and_then(|structs| structs.get(at)),
            extras: self.extras.iter().map(|texts| texts.as_ref().and_then(|texts| text(texts, at))).collect(),
            fault: None,
        }
    }
}
