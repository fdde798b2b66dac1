//! Builders of the columns that hold an entry's extensions: lists and structs of text, null where an entry has none.

use std::sync::{Arc, LazyLock, OnceLock};

use arrow_array::{Array, ArrayRef, ListArray, StringArray, StructArray, new_empty_array};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use urlset_texts::TextBuilder;

use crate::media::{Holds, ID, NEWS, PRICE, SEGMENT, SHOW, VIDEO_PARTS, VIDEO_TEXTS};
use crate::read::entry::Entry;
use crate::read::slots::Slot;
use crate::read::slots::VideoSlots;

pub static IMAGE_FIELDS: LazyLock<Fields> =
    LazyLock::new(|| texts(&["loc", "title", "caption", "geo_location", "license"]));
pub static ALTERNATE_FIELDS: LazyLock<Fields> = LazyLock::new(|| texts(&["hreflang", "href", "media", "rel"]));
pub static NEWS_FIELDS: LazyLock<Fields> = LazyLock::new(|| texts(&NEWS));
static SEGMENT_FIELDS: LazyLock<Fields> = LazyLock::new(|| texts(&SEGMENT));
static PRICE_FIELDS: LazyLock<Fields> = LazyLock::new(|| texts(&PRICE));
static ID_FIELDS: LazyLock<Fields> = LazyLock::new(|| texts(&ID));
static SHOW_FIELDS: LazyLock<Fields> = LazyLock::new(|| texts(&SHOW));

/// The columns of a video in the order of its schema, an attribute's right after its element's.
pub static VIDEO_FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let mut fields = Vec::new();
    for part in &VIDEO_PARTS {
        let (name, kind) = match part.holds {
            Holds::Texts(first) => {
                fields.extend(texts(&VIDEO_TEXTS[first..=first + part.attributes.len()]).iter().cloned());
                continue;
            }
            Holds::Segments => ("content_segments", list_of(&SEGMENT_FIELDS)),
            Holds::Tags => ("tags", DataType::List(item(DataType::Utf8))),
            Holds::Prices => ("prices", list_of(&PRICE_FIELDS)),
            Holds::Show => ("tvshow", DataType::Struct(SHOW_FIELDS.clone())),
            Holds::Ids => ("ids", list_of(&ID_FIELDS)),
        };
        fields.push(Arc::new(Field::new(name, kind, true)));
    }
    fields.into()
});

fn texts(names: &[&str]) -> Fields {
    names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect()
}

/// What lists of texts hold if no row has any, and what lists of videos do: made once, for it is the same in most tables.
static NO_TEXTS: LazyLock<ArrayRef> = LazyLock::new(|| new_empty_array(&DataType::Utf8));
static NO_VIDEOS: LazyLock<ArrayRef> = LazyLock::new(|| new_empty_array(&DataType::Struct(VIDEO_FIELDS.clone())));

/// A column that has nothing in any row, made once: most tables have nothing else in these.
pub struct Nulls(OnceLock<ArrayRef>);

pub static NO_IMAGES: Nulls = Nulls(OnceLock::new());
pub static NO_ALTERNATES: Nulls = Nulls(OnceLock::new());
pub static NO_VIDEO_LISTS: Nulls = Nulls(OnceLock::new());
pub static NO_NEWS: Nulls = Nulls(OnceLock::new());

impl Nulls {
    /// Rows that it has. Only a larger table has its own.
    const ROWS: usize = 1 << 16;

    /// The first rows of it. `make` makes a column of so many.
    pub fn rows(
        &self,
        rows: usize,
        make: impl Fn(usize) -> Result<ArrayRef, ArrowError>,
    ) -> Result<ArrayRef, ArrowError> {
        if rows > Self::ROWS {
            return make(rows);
        }
        let column = match self.0.get() {
            Some(column) => column,
            None => {
                let column = make(Self::ROWS)?;
                self.0.get_or_init(|| column)
            }
        };
        Ok(column.slice(0, rows))
    }
}

fn item(kind: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", kind, true))
}

pub fn list_of(fields: &Fields) -> DataType {
    DataType::List(item(DataType::Struct(fields.clone())))
}

/// A column of text. Most have no text at all in most tables: what is missing is counted, and written down at once.
struct Text {
    builder: TextBuilder,
    /// Rows without a text since the last one with a text.
    missing: usize,
}

impl Text {
    #[inline(always)]
    fn push(&mut self, entry: &Entry<'_>, slot: &Slot) {
        let Some((whole, part)) = entry.part(slot) else {
            self.missing += 1;
            return;
        };
        self.fill();
        self.builder.push_part(whole, part);
    }

    /// Writes down what is missing.
    #[inline(always)]
    fn fill(&mut self) {
        // A column without nulls has no memory for them.
        if self.missing > 0 {
            self.builder.push_nulls(std::mem::take(&mut self.missing));
        }
    }

    fn len(&self) -> usize {
        self.builder.rows() + self.missing
    }

    fn finish(&mut self) -> ArrayRef {
        self.fill();
        Arc::new(self.builder.finish())
    }
}

/// Columns of text that grow together. Each has some memory from the start, so they are made for the first row that needs
/// them.
struct Texts<const N: usize>([Text; N]);

impl<const N: usize> Default for Texts<N> {
    fn default() -> Self {
        Texts(std::array::from_fn(|_| Text { builder: TextBuilder::default(), missing: 0 }))
    }
}

impl<const N: usize> Texts<N> {
    // An array that is handed over in memory is read back in other pieces than it was written in: the processor waits.
    #[inline(always)]
    fn push(&mut self, entry: &Entry<'_>, slots: [&Slot; N]) {
        for (slot, text) in slots.iter().zip(&mut self.0) {
            text.push(entry, slot);
        }
    }

    fn len(&self) -> usize {
        self.0[0].len()
    }

    /// Adds nulls for the rows before `row` that have none.
    fn fill(&mut self, row: usize) {
        let missing = row - self.len();
        for text in &mut self.0 {
            text.missing += missing;
        }
    }

    /// Bytes of the longest.
    fn bytes(&self) -> usize {
        self.0.iter().map(|text| text.builder.bytes()).max().unwrap_or(0)
    }

    fn finish(&mut self) -> Vec<ArrayRef> {
        self.0.iter_mut().map(Text::finish).collect()
    }
}

/// The rows that have items, and how many: most tables have none at all, and pay for nothing.
#[derive(Default)]
struct Spans(Vec<(usize, usize)>);

impl Spans {
    /// The lists that hold `items` one after the other, null for the rows that have none.
    fn finish(&mut self, items: ArrayRef, rows: usize) -> Result<ArrayRef, ArrowError> {
        let field = item(items.data_type().clone());
        if self.0.is_empty() {
            let (offsets, nulls) = (OffsetBuffer::new_zeroed(rows), NullBuffer::new_null(rows));
            return Ok(Arc::new(ListArray::try_new(field, offsets, items, Some(nulls))?));
        }
        let mut lengths = vec![0; rows];
        let mut present = BooleanBufferBuilder::new(rows);
        present.append_n(rows, false);
        for (row, length) in self.0.drain(..) {
            lengths[row] = length;
            present.set_bit(row, true);
        }
        let offsets = OffsetBuffer::from_lengths(lengths);
        let nulls = NullBuffer::new(present.finish());
        Ok(Arc::new(ListArray::try_new(field, offsets, items, Some(nulls))?))
    }
}

/// A list of structs of text, null where a row has none.
#[derive(Default)]
pub struct Items<const N: usize> {
    texts: Option<Box<Texts<N>>>,
    rows: Spans,
}

impl<const N: usize> Items<N> {
    /// Adds the items of a row and returns how many bytes of text the longest column holds now.
    #[inline]
    pub fn push<'s>(
        &mut self,
        row: usize,
        entry: &Entry<'_>,
        items: impl ExactSizeIterator<Item = [&'s Slot; N]>,
    ) -> usize {
        if items.len() == 0 {
            return 0;
        }
        self.rows.0.push((row, items.len()));
        let texts = self.texts.get_or_insert_default();
        for item in items {
            texts.push(entry, item);
        }
        texts.bytes()
    }

    /// No row has any.
    pub fn is_empty(&self) -> bool {
        self.texts.is_none()
    }

    pub fn finish(&mut self, fields: &Fields, rows: usize) -> Result<ArrayRef, ArrowError> {
        let texts = self.texts.take().map_or_else(|| vec![NO_TEXTS.clone(); N], |mut texts| texts.finish());
        let structs = StructArray::try_new(fields.clone(), texts, None)?;
        self.rows.finish(Arc::new(structs), rows)
    }
}

impl Items<1> {
    /// The list as one of plain texts.
    fn finish_plain(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let texts = self.texts.take().and_then(|mut texts| texts.finish().pop());
        self.rows.finish(texts.unwrap_or_else(|| NO_TEXTS.clone()), rows)
    }
}

/// A struct of text, null where a row has none.
#[derive(Default)]
pub struct Structs<const N: usize> {
    texts: Option<Box<Texts<N>>>,
    /// The rows that have one.
    rows: Vec<usize>,
}

impl<const N: usize> Structs<N> {
    /// Adds the struct of a row and returns how many bytes of text the longest column holds now.
    pub fn push(&mut self, row: usize, entry: &Entry<'_>, slots: &[Slot; N]) -> usize {
        let texts = self.texts.get_or_insert_default();
        texts.fill(row);
        texts.push(entry, slots.each_ref());
        self.rows.push(row);
        texts.bytes()
    }

    /// No row has one.
    pub fn is_empty(&self) -> bool {
        self.texts.is_none()
    }

    pub fn finish(&mut self, fields: &Fields, rows: usize) -> Result<ArrayRef, ArrowError> {
        let Some(mut texts) = self.texts.take() else {
            // One column of nulls serves all fields.
            let texts: ArrayRef = Arc::new(StringArray::new_null(rows));
            let nulls = Some(NullBuffer::new_null(rows));
            return Ok(Arc::new(StructArray::try_new(fields.clone(), vec![texts; N], nulls)?));
        };
        texts.fill(rows);
        let mut present = BooleanBufferBuilder::new(rows);
        present.append_n(rows, false);
        for row in self.rows.drain(..) {
            present.set_bit(row, true);
        }
        let nulls = Some(NullBuffer::new(present.finish()));
        Ok(Arc::new(StructArray::try_new(fields.clone(), texts.finish(), nulls)?))
    }
}

/// A list of videos, null where a row has none. Its many builders are made for the first video.
#[derive(Default)]
pub struct Videos(Option<Box<VideoBuilders>>);

/// What is nested in a video counts videos as its rows.
#[derive(Default)]
struct VideoBuilders {
    rows: Spans,
    texts: Texts<24>,
    segments: Items<2>,
    tags: Items<1>,
    prices: Items<4>,
    show: Structs<6>,
    ids: Items<2>,
}

impl Videos {
    /// Adds the videos of a row and returns how many bytes of text the longest column holds now.
    #[inline]
    pub fn push(&mut self, row: usize, entry: &Entry<'_>, videos: &[VideoSlots]) -> usize {
        if videos.is_empty() {
            return 0;
        }
        let builders = self.0.get_or_insert_default();
        builders.rows.0.push((row, videos.len()));
        videos.iter().map(|video| builders.push(entry, video)).max().unwrap_or(0)
    }

    /// No row has any.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn finish(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        match self.0.take() {
            Some(mut builders) => builders.finish(rows),
            None => Spans::default().finish(NO_VIDEOS.clone(), rows),
        }
    }
}

impl VideoBuilders {
    fn push(&mut self, entry: &Entry<'_>, video: &VideoSlots) -> usize {
        let (at, video) = (self.texts.len(), &video.values);
        self.texts.push(entry, video.texts.each_ref());
        let lists = [
            self.segments.push(at, entry, video.segments.iter().map(|slots| slots.each_ref())),
            self.tags.push(at, entry, video.tags.iter().map(|slots| slots.each_ref())),
            self.prices.push(at, entry, video.prices.iter().map(|slots| slots.each_ref())),
            self.ids.push(at, entry, video.ids.iter().map(|slots| slots.each_ref())),
            video.show.as_ref().map_or(0, |show| self.show.push(at, entry, show)),
        ];
        lists.into_iter().fold(self.texts.bytes(), usize::max)
    }

    fn finish(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let videos = self.texts.len();
        let mut texts = self.texts.finish().into_iter();
        let mut columns = Vec::with_capacity(VIDEO_FIELDS.len());
        for part in &VIDEO_PARTS {
            match part.holds {
                Holds::Texts(_) => columns.extend(texts.by_ref().take(1 + part.attributes.len())),
                Holds::Segments => columns.push(self.segments.finish(&SEGMENT_FIELDS, videos)?),
                Holds::Tags => columns.push(self.tags.finish_plain(videos)?),
                Holds::Prices => columns.push(self.prices.finish(&PRICE_FIELDS, videos)?),
                Holds::Show => columns.push(self.show.finish(&SHOW_FIELDS, videos)?),
                Holds::Ids => columns.push(self.ids.finish(&ID_FIELDS, videos)?),
            }
        }
        let structs = StructArray::try_new(VIDEO_FIELDS.clone(), columns, None)?;
        self.rows.finish(Arc::new(structs), rows)
    }
}
