//! The columns of a table under construction: what an entry does not have is added when a later one has it, or at the end.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int8Builder, Int32Builder, PrimitiveBuilder, TimestampMicrosecondBuilder,
    UInt32Builder,
};
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, DictionaryArray, StringArray, new_null_array};
use arrow_schema::{ArrowError, Field, SchemaRef};
use urlset_texts::TextBuilder;

use super::nested::{
    ALTERNATE_FIELDS, IMAGE_FIELDS, Items, NEWS_FIELDS, NO_ALTERNATES, NO_IMAGES, NO_NEWS, NO_VIDEO_LISTS, Nulls,
    Structs, Videos,
};
use super::numbers::fill_numbers;
use crate::checks::values;
use crate::diagnostic::Note;
use crate::read::Kind;
use crate::read::entry::Entry;
use crate::read::slots::{AlternateSlots, EntrySlots, ImageSlots};
use crate::value::changefreq;
use crate::value::relative::Base;

/// Rows that builders get room for with the first row. Room for a whole batch takes longer than reading a few entries.
pub const MIN_ROWS: usize = 128;
/// Bytes of most locs, and of most dates.
const LOC_BYTES: usize = 96;
const DATE_BYTES: usize = 25;

/// One builder a column that was asked for.
#[derive(Default)]
pub struct ColumnBuilders {
    pub(super) loc: Option<TextBuilder>,
    pub(super) lastmod: Option<TimestampMicrosecondBuilder>,
    pub(super) lastmod_raw: Option<TextBuilder>,
    pub(super) changefreq: Option<Int8Builder>,
    pub(super) priority: Option<Float64Builder>,
    images: Option<Items<5>>,
    videos: Option<Videos>,
    alternates: Option<Items<4>>,
    news: Option<Structs<8>>,
    document: Option<Int32Builder>,
    kind: Option<Int8Builder>,
    pub(super) line: Option<UInt32Builder>,
}

impl ColumnBuilders {
    /// A builder for each column of the schema, without room for a row.
    pub fn new(schema: &SchemaRef) -> Self {
        let mut columns = ColumnBuilders::default();
        for field in schema.fields() {
            match field.name().as_str() {
                "loc" => columns.loc = Some(TextBuilder::default()),
                "lastmod" => columns.lastmod = Some(PrimitiveBuilder::with_capacity(0)),
                "lastmod_raw" => columns.lastmod_raw = Some(TextBuilder::default()),
                "changefreq" => columns.changefreq = Some(PrimitiveBuilder::with_capacity(0)),
                "priority" => columns.priority = Some(PrimitiveBuilder::with_capacity(0)),
                "images" => columns.images = Some(Items::default()),
                "videos" => columns.videos = Some(Videos::default()),
                "alternates" => columns.alternates = Some(Items::default()),
                "news" => columns.news = Some(Structs::default()),
                "document" => columns.document = Some(PrimitiveBuilder::with_capacity(0)),
                "kind" => columns.kind = Some(PrimitiveBuilder::with_capacity(0)),
                "line" => columns.line = Some(PrimitiveBuilder::with_capacity(0)),
                _ => {}
            }
        }
        columns
    }

    /// Makes room for so many rows in all. What most entries do not have, and what is filled for many rows at once, gets its
    /// room with its values.
    pub fn reserve(&mut self, rows: usize) {
        reserve_texts(&mut self.loc, rows, LOC_BYTES);
        reserve_numbers(&mut self.lastmod, rows);
        reserve_texts(&mut self.lastmod_raw, rows, DATE_BYTES);
        reserve_numbers(&mut self.changefreq, rows);
        reserve_numbers(&mut self.priority, rows);
        reserve_numbers(&mut self.line, rows);
    }

    /// Adds the entry's values and returns how many bytes of text the longest column holds now.
    #[inline(always)]
    pub fn push<'e>(&mut self, row: usize, entry: &Entry<'e>, base: Option<&Base>, notes: &mut Vec<Note>) -> usize {
        let slots = entry.slots;
        let mut bytes = 0;
        if let Some(builder) = &mut self.loc {
            match entry.part(slots.loc()) {
                Some((whole, range)) if values::has_usual_loc(entry) => {
                    builder.push_part(whole, range);
                }
                _ => push_odd_loc(builder, entry, base, notes),
            }
            bytes = builder.bytes();
        }
        if let Some((whole, range)) = entry.part(slots.lastmod()) {
            if let Some(builder) = &mut self.lastmod
                && let Some(micros) = values::lastmod(entry, notes)
            {
                fill_numbers(builder, row);
                builder.append_value(micros);
            }
            if let Some(builder) = &mut self.lastmod_raw {
                fill_texts(builder, row);
                builder.push_part(whole, range);
                bytes = bytes.max(builder.bytes());
            }
        }
        if let Some(builder) = &mut self.changefreq
            && !slots.changefreq().is_empty()
            && let Some(key) = values::changefreq(entry, notes)
        {
            fill_numbers(builder, row);
            builder.append_value(key);
        }
        if let Some(builder) = &mut self.priority
            && !slots.priority().is_empty()
            && let Some(priority) = values::priority(entry, notes)
        {
            fill_numbers(builder, row);
            builder.append_value(priority);
        }
        if slots.has_items() {
            bytes = bytes.max(self.push_items(row, entry, slots));
        }
        if let Some(builder) = &mut self.line {
            builder.append_value(entry.line);
        }
        bytes
    }

    /// The same of the images, videos, links and news of an entry, which most have not.
    #[inline(never)]
    fn push_items<'e>(&mut self, row: usize, entry: &Entry<'e>, slots: &'e EntrySlots) -> usize {
        let mut bytes = 0;
        if let Some(items) = &mut self.images {
            let fields =
                |image: &'e ImageSlots| [&image.loc, &image.title, &image.caption, &image.geo_location, &image.license];
            bytes = bytes.max(items.push(row, entry, slots.images.iter().map(fields)));
        }
        if let Some(videos) = &mut self.videos {
            bytes = bytes.max(videos.push(row, entry, &slots.videos));
        }
        if let Some(items) = &mut self.alternates {
            let fields = |link: &'e AlternateSlots| [&link.hreflang, &link.href, &link.media, &link.rel];
            bytes = bytes.max(items.push(row, entry, slots.alternates.iter().map(fields)));
        }
        if let (Some(structs), Some(news)) = (&mut self.news, &slots.news) {
            bytes = bytes.max(structs.push(row, entry, &news.values));
        }
        bytes
    }

    /// Adds the values that the rows up to `rows` do not have.
    pub fn fill(&mut self, rows: usize) {
        fn fill<T: ArrowPrimitiveType>(builder: Option<&mut PrimitiveBuilder<T>>, rows: usize) {
            if let Some(builder) = builder {
                fill_numbers(builder, rows);
            }
        }
        fill(self.lastmod.as_mut(), rows);
        if let Some(builder) = &mut self.lastmod_raw {
            fill_texts(builder, rows);
        }
        fill(self.changefreq.as_mut(), rows);
        fill(self.priority.as_mut(), rows);
    }

    /// Adds the document of the rows that have none yet, up to `rows`: all of them came from the same one.
    pub fn fill_document(&mut self, document: Option<i32>, rows: usize) {
        if let Some(builder) = &mut self.document {
            let missing = rows - builder.len();
            match document {
                Some(key) => builder.append_value_n(key, missing),
                None => builder.append_nulls(missing),
            }
        }
    }

    /// Adds the kind of the document of the rows that have none yet, up to `rows`.
    pub fn fill_kind(&mut self, kind: Kind, rows: usize) {
        if let Some(builder) = &mut self.kind {
            builder.append_value_n(kind as i8, rows - builder.len());
        }
    }

    /// Takes the array of a column of the schema.
    pub fn finish(&mut self, field: &Field, rows: usize, documents: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let array: Option<ArrayRef> = match field.name().as_str() {
            "loc" => self.loc.as_mut().map(|builder| Arc::new(builder.finish()) as _),
            "lastmod" => self.lastmod.as_mut().map(|builder| Arc::new(builder.finish().with_timezone("UTC")) as _),
            "lastmod_raw" => self.lastmod_raw.as_mut().map(|builder| Arc::new(builder.finish()) as _),
            "changefreq" => words(self.changefreq.as_mut(), &CHANGEFREQS)?,
            "priority" => self.priority.as_mut().map(ArrayBuilder::finish),
            "images" => nested(&mut self.images, &NO_IMAGES, rows, Items::is_empty, |items, rows| {
                items.finish(&IMAGE_FIELDS, rows)
            })?,
            "videos" => nested(&mut self.videos, &NO_VIDEO_LISTS, rows, Videos::is_empty, Videos::finish)?,
            "alternates" => nested(&mut self.alternates, &NO_ALTERNATES, rows, Items::is_empty, |items, rows| {
                items.finish(&ALTERNATE_FIELDS, rows)
            })?,
            "news" => nested(&mut self.news, &NO_NEWS, rows, Structs::is_empty, |structs, rows| {
                structs.finish(&NEWS_FIELDS, rows)
            })?,
            "document" => match &mut self.document {
                Some(builder) => Some(Arc::new(DictionaryArray::try_new(builder.finish(), documents.clone())?)),
                None => None,
            },
            "kind" => words(self.kind.as_mut(), &KINDS)?,
            "line" => self.line.as_mut().map(ArrayBuilder::finish),
            _ => None,
        };
        Ok(array.unwrap_or_else(|| new_null_array(field.data_type(), rows)))
    }
}

/// Adds a loc that needs a closer look.
#[cold]
fn push_odd_loc(builder: &mut TextBuilder, entry: &Entry<'_>, base: Option<&Base>, notes: &mut Vec<Note>) {
    match values::loc(entry, base, notes) {
        Some(loc) => builder.push(&loc),
        None => builder.push_nulls(1),
    }
}

/// Adds nulls for the rows before `row` that have no value.
#[inline(always)]
pub fn fill_texts(builder: &mut TextBuilder, row: usize) {
    if builder.rows() < row {
        builder.push_nulls(row - builder.rows());
    }
}

fn reserve_texts(builder: &mut Option<TextBuilder>, rows: usize, bytes: usize) {
    if let Some(builder) = builder {
        builder.reserve(rows, rows * bytes);
    }
}

/// Puts numbers into a builder with room for more rows. Builders of arrow cannot be told to reserve.
fn reserve_numbers<T: ArrowPrimitiveType>(builder: &mut Option<PrimitiveBuilder<T>>, rows: usize) {
    if let Some(builder) = builder {
        let mut larger = PrimitiveBuilder::with_capacity(rows);
        if !builder.is_empty() {
            larger.append_array(&builder.finish());
        }
        *builder = larger;
    }
}

/// The words of all tables, in one place of memory each: batches that are joined keep them once.
static CHANGEFREQS: LazyLock<ArrayRef> = LazyLock::new(|| Arc::new(StringArray::from(changefreq::WORDS.to_vec())));
static KINDS: LazyLock<ArrayRef> = LazyLock::new(|| Arc::new(StringArray::from(Kind::ALL.map(Kind::name).to_vec())));

/// Takes a column of what is nested in the rows.
fn nested<T: Default>(
    column: &mut Option<T>,
    nulls: &Nulls,
    rows: usize,
    is_empty: impl Fn(&T) -> bool,
    finish: impl Fn(&mut T, usize) -> Result<ArrayRef, ArrowError>,
) -> Result<Option<ArrayRef>, ArrowError> {
    let Some(column) = column else { return Ok(None) };
    Ok(Some(match is_empty(column) {
        true => nulls.rows(rows, |rows| finish(&mut T::default(), rows))?,
        false => finish(column, rows)?,
    }))
}

/// Takes a column of numbers that stand for words.
fn words(numbers: Option<&mut Int8Builder>, words: &ArrayRef) -> Result<Option<ArrayRef>, ArrowError> {
    let Some(numbers) = numbers else { return Ok(None) };
    Ok(Some(Arc::new(DictionaryArray::try_new(numbers.finish(), words.clone())?)))
}
