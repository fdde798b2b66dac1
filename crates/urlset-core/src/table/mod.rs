//! Entries to Arrow: one fixed schema, never inferred, in batches of bounded size.

mod batch;
mod children;
mod filter;
mod fork;
mod joiner;
mod nested;
mod sample;

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int8Builder, Int32Builder, PrimitiveBuilder, StringBuilder,
    TimestampMicrosecondBuilder, UInt32Builder,
};
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, RecordBatchOptions, StringArray, new_null_array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
pub use batch::{BATCH_ROWS, Batch};
pub use children::{Child, Children};
use filter::Filtering;
pub use filter::{Filter, Reason};
pub use joiner::Joiner;
use nested::{ALTERNATE_FIELDS, IMAGE_FIELDS, Items, NEWS_FIELDS, Structs, VIDEO_FIELDS, Videos, list_of};
pub use sample::EntrySample;

use crate::checks::values;
use crate::diagnostic::Note;
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind};
use crate::read::sink::Sink;
use crate::read::slots::{AlternateSlots, ImageSlots};
use crate::value::changefreq;
use crate::value::relative::Base;

/// Text of one column in a batch at most, far below what 32-bit offsets can address.
const BATCH_BYTES: usize = 64 << 20;
/// Rows that builders have room for at first. Room for a whole batch takes the system longer than reading a few entries.
const FEW_ROWS: usize = 128;
/// Bytes of most locs, and of most dates.
const LOC_BYTES: usize = 96;
const DATE_BYTES: usize = 25;

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let dictionary = |keys| DataType::Dictionary(Box::new(keys), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("loc", DataType::Utf8, true),
        Field::new("lastmod", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true),
        Field::new("lastmod_raw", DataType::Utf8, true),
        Field::new("changefreq", dictionary(DataType::Int8), true),
        Field::new("priority", DataType::Float64, true),
        Field::new("images", list_of(&IMAGE_FIELDS), true),
        Field::new("videos", list_of(&VIDEO_FIELDS), true),
        Field::new("alternates", list_of(&ALTERNATE_FIELDS), true),
        Field::new("news", DataType::Struct(NEWS_FIELDS.clone()), true),
        Field::new("document", dictionary(DataType::Int32), true),
        Field::new("kind", dictionary(DataType::Int8), true),
        Field::new("line", DataType::UInt32, true),
    ]))
});

/// The schema of the whole table.
pub fn schema() -> SchemaRef {
    SCHEMA.clone()
}

/// The schema of some of its columns, in the order asked for; the error names an unknown column.
pub fn projection(columns: &[String]) -> Result<SchemaRef, String> {
    let fields: Result<Vec<Field>, String> =
        columns.iter().map(|name| SCHEMA.field_with_name(name).cloned().map_err(|_| name.clone())).collect();
    Ok(Arc::new(Schema::new(fields?)))
}

/// The schema with the locs, at the end unless it has them: what is drawn depends on them.
pub fn with_locs(schema: &SchemaRef) -> SchemaRef {
    let loc = SCHEMA.field(0);
    if schema.field_with_name(loc.name()).is_ok() {
        return schema.clone();
    }
    let fields = schema.fields().iter().cloned().chain([Arc::new(loc.clone())]);
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The columns under construction, for one batch at a time and for one document after the other.
pub struct Table {
    schema: SchemaRef,
    columns: Columns,
    rows: usize,
    /// Rows that the columns have room for.
    room: usize,
    sitemaps: Vec<bool>,
    documents: Vec<String>,
    document: Option<i32>,
    /// Of the document that the last row is in.
    kind: Kind,
    /// What relative locs of the current document are relative to.
    base: Option<Base>,
    /// `<sitemap>` entries are rows; else they are left to [`Children`].
    takes_sitemaps: bool,
    /// Which entries are rows, if not all are.
    filtering: Option<Filtering>,
    full: VecDeque<Batch>,
}

impl Table {
    /// Columns for the schema. With `takes_sitemaps`, `<sitemap>` entries are rows.
    pub fn new(schema: SchemaRef, takes_sitemaps: bool) -> Self {
        Table {
            columns: Columns::new(&schema),
            schema,
            rows: 0,
            room: FEW_ROWS,
            sitemaps: Vec::new(),
            documents: Vec::new(),
            document: None,
            kind: Kind::Urlset,
            base: None,
            takes_sitemaps,
            filtering: None,
            full: VecDeque::new(),
        }
    }

    /// Makes rows only of the entries that the filter wants.
    pub fn filtered(mut self, filter: Arc<Filter>) -> Self {
        self.filtering = Some(Filtering::new(filter));
        self
    }

    /// Makes no row of the document that was begun last, unless it names a sitemap.
    pub fn skip_document(&mut self) {
        self.filtering.get_or_insert_default().is_whole_document = true;
    }

    /// How many entries of the document that was begun last are not rows, by reason.
    pub fn take_skipped(&mut self) -> Vec<(Reason, u64)> {
        self.filtering.as_mut().map(Filtering::take).unwrap_or_default()
    }

    /// Returns which document the next entries come from.
    pub fn begin_document(&mut self, location: Option<&str>) {
        self.columns.fill_document(self.document, self.rows);
        self.base = location.and_then(Base::new);
        self.document = location.map(|location| {
            self.documents.push(location.to_owned());
            self.documents.len() as i32 - 1
        });
    }

    /// The oldest batch that is full.
    pub fn take_full(&mut self) -> Option<Batch> {
        self.full.pop_front()
    }

    /// The rows that have not made a full batch, if there are any.
    pub fn take_rest(&mut self) -> Option<Batch> {
        self.flush();
        self.take_full()
    }

    /// Makes room for the rows of a whole batch, or hands a full one out.
    #[cold]
    fn make_room(&mut self, bytes: usize) {
        if self.room == BATCH_ROWS || bytes > BATCH_BYTES {
            self.flush();
        } else {
            self.room = BATCH_ROWS;
            self.columns.reserve(BATCH_ROWS);
        }
    }

    fn flush(&mut self) {
        if self.rows == 0 {
            return;
        }
        let rows = std::mem::take(&mut self.rows);
        self.columns.fill_document(self.document, rows);
        self.columns.fill_kind(self.kind, rows);
        let documents: ArrayRef = Arc::new(StringArray::from_iter_values(&self.documents));
        self.room = FEW_ROWS;
        let mut columns = std::mem::replace(&mut self.columns, Columns::new(&self.schema));
        let fields = self.schema.fields().iter();
        let arrays: Result<Vec<_>, ArrowError> = fields.map(|field| columns.finish(field, rows, &documents)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let record = arrays.and_then(|arrays| RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options));
        // Every array was built for this schema with this many rows: only a bug could make them differ.
        let record = record.expect("columns fit their schema");
        let sitemaps = std::mem::take(&mut self.sitemaps);
        self.full.push_back(Batch { record, sitemaps: sitemaps.into() });
        if let Some(document) = &mut self.document {
            let current = self.documents.swap_remove(*document as usize);
            self.documents.clear();
            self.documents.push(current);
            *document = 0;
        } else {
            self.documents.clear();
        }
    }
}

impl Sink for Table {
    #[inline]
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let is_sitemap = entry.kind == EntryKind::Sitemap;
        if is_sitemap && !self.takes_sitemaps {
            return;
        }
        if let Some(filtering) = &mut self.filtering
            && filtering.skips(entry, self.base.as_ref())
        {
            return;
        }
        if is_sitemap || !self.sitemaps.is_empty() {
            // Nearly every batch is all of one kind; the flags begin with the first sitemap.
            self.sitemaps.resize(self.rows, false);
            self.sitemaps.push(is_sitemap);
        }
        if entry.document != self.kind {
            self.columns.fill_kind(self.kind, self.rows);
            self.kind = entry.document;
        }
        let bytes = self.columns.push(self.rows, entry, self.base.as_ref(), notes);
        self.rows += 1;
        if self.rows == self.room || bytes > BATCH_BYTES {
            self.make_room(bytes);
        }
    }
}

/// One builder a column that was asked for.
#[derive(Default)]
struct Columns {
    loc: Option<StringBuilder>,
    lastmod: Option<TimestampMicrosecondBuilder>,
    lastmod_raw: Option<StringBuilder>,
    changefreq: Option<Int8Builder>,
    priority: Option<Float64Builder>,
    images: Option<Items<5>>,
    videos: Option<Videos>,
    alternates: Option<Items<4>>,
    news: Option<Structs<8>>,
    document: Option<Int32Builder>,
    kind: Option<Int8Builder>,
    line: Option<UInt32Builder>,
}

impl Columns {
    fn new(schema: &SchemaRef) -> Self {
        let mut columns = Columns::default();
        for field in schema.fields() {
            match field.name().as_str() {
                "loc" => columns.loc = Some(StringBuilder::with_capacity(FEW_ROWS, FEW_ROWS * LOC_BYTES)),
                "lastmod" => columns.lastmod = Some(PrimitiveBuilder::with_capacity(FEW_ROWS)),
                "lastmod_raw" => {
                    columns.lastmod_raw = Some(StringBuilder::with_capacity(FEW_ROWS, FEW_ROWS * DATE_BYTES));
                }
                "changefreq" => columns.changefreq = Some(PrimitiveBuilder::with_capacity(FEW_ROWS)),
                "priority" => columns.priority = Some(PrimitiveBuilder::with_capacity(FEW_ROWS)),
                "images" => columns.images = Some(Items::default()),
                "videos" => columns.videos = Some(Videos::default()),
                "alternates" => columns.alternates = Some(Items::default()),
                "news" => columns.news = Some(Structs::default()),
                // Filled for many rows at once.
                "document" => columns.document = Some(PrimitiveBuilder::with_capacity(0)),
                "kind" => columns.kind = Some(PrimitiveBuilder::with_capacity(0)),
                "line" => columns.line = Some(PrimitiveBuilder::with_capacity(FEW_ROWS)),
                _ => {}
            }
        }
        columns
    }

    /// Makes room for so many rows in all.
    fn reserve(&mut self, rows: usize) {
        reserve_texts(&mut self.loc, rows, LOC_BYTES);
        reserve_numbers(&mut self.lastmod, rows);
        reserve_texts(&mut self.lastmod_raw, rows, DATE_BYTES);
        reserve_numbers(&mut self.changefreq, rows);
        reserve_numbers(&mut self.priority, rows);
        reserve_numbers(&mut self.line, rows);
    }

    /// Adds the entry's values and returns how many bytes of text the longest column holds now.
    #[inline(always)]
    fn push<'e>(&mut self, row: usize, entry: &Entry<'e>, base: Option<&Base>, notes: &mut Vec<Note>) -> usize {
        let slots = entry.slots;
        let mut bytes = 0;
        if let Some(builder) = &mut self.loc {
            match values::usual_loc(entry) {
                Some(loc) => builder.append_value(loc),
                None => builder.append_option(values::loc(entry, base, notes).as_deref()),
            }
            bytes = builder.values_slice().len();
        }
        let lastmod = entry.text(slots.lastmod);
        if let Some(builder) = &mut self.lastmod {
            builder.append_option(values::lastmod(entry, lastmod, notes));
        }
        if let Some(builder) = &mut self.lastmod_raw {
            builder.append_option(lastmod);
            bytes = bytes.max(builder.values_slice().len());
        }
        if let Some(builder) = &mut self.changefreq {
            builder.append_option(values::changefreq(entry, entry.text(slots.changefreq), notes));
        }
        if let Some(builder) = &mut self.priority {
            builder.append_option(values::priority(entry, entry.text(slots.priority), notes));
        }
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
        if let Some(builder) = &mut self.line {
            builder.append_value(entry.line);
        }
        bytes
    }

    /// Adds the document of the rows that have none yet, up to `rows`: all of them came from the same one.
    fn fill_document(&mut self, document: Option<i32>, rows: usize) {
        if let Some(builder) = &mut self.document {
            let missing = rows - builder.len();
            match document {
                Some(key) => builder.append_value_n(key, missing),
                None => builder.append_nulls(missing),
            }
        }
    }

    /// Adds the kind of the document of the rows that have none yet, up to `rows`.
    fn fill_kind(&mut self, kind: Kind, rows: usize) {
        if let Some(builder) = &mut self.kind {
            builder.append_value_n(kind as i8, rows - builder.len());
        }
    }

    /// Takes the array of a column of the schema.
    fn finish(&mut self, field: &Field, rows: usize, documents: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let array: Option<ArrayRef> = match field.name().as_str() {
            "loc" => self.loc.as_mut().map(ArrayBuilder::finish),
            "lastmod" => self.lastmod.as_mut().map(|builder| Arc::new(builder.finish().with_timezone("UTC")) as _),
            "lastmod_raw" => self.lastmod_raw.as_mut().map(ArrayBuilder::finish),
            "changefreq" => words(self.changefreq.as_mut(), &CHANGEFREQS)?,
            "priority" => self.priority.as_mut().map(ArrayBuilder::finish),
            "images" => self.images.as_mut().map(|items| items.finish(&IMAGE_FIELDS, rows)).transpose()?,
            "videos" => self.videos.as_mut().map(|videos| videos.finish(rows)).transpose()?,
            "alternates" => self.alternates.as_mut().map(|items| items.finish(&ALTERNATE_FIELDS, rows)).transpose()?,
            "news" => self.news.as_mut().map(|structs| structs.finish(&NEWS_FIELDS, rows)).transpose()?,
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

/// Puts texts into a builder with room for more rows, of so many bytes each. Builders cannot be told to reserve.
fn reserve_texts(builder: &mut Option<StringBuilder>, rows: usize, bytes: usize) {
    if let Some(builder) = builder {
        let texts = builder.finish();
        *builder = StringBuilder::with_capacity(rows, rows * bytes);
        builder.append_array(&texts).expect("a few texts fit");
    }
}

/// Puts numbers into a builder with room for more rows.
fn reserve_numbers<T: ArrowPrimitiveType>(builder: &mut Option<PrimitiveBuilder<T>>, rows: usize) {
    if let Some(builder) = builder {
        let numbers = builder.finish();
        *builder = PrimitiveBuilder::with_capacity(rows);
        builder.append_array(&numbers);
    }
}

/// The words of all tables, in one place of memory each: batches that are joined keep them once.
static CHANGEFREQS: LazyLock<ArrayRef> = LazyLock::new(|| Arc::new(StringArray::from(changefreq::WORDS.to_vec())));
static KINDS: LazyLock<ArrayRef> = LazyLock::new(|| Arc::new(StringArray::from(Kind::ALL.map(Kind::name).to_vec())));

/// Takes a column of numbers that stand for words.
fn words(numbers: Option<&mut Int8Builder>, words: &ArrayRef) -> Result<Option<ArrayRef>, ArrowError> {
    let Some(numbers) = numbers else { return Ok(None) };
    Ok(Some(Arc::new(DictionaryArray::try_new(numbers.finish(), words.clone())?)))
}
