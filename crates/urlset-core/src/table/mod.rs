//! Entries to Arrow: one fixed schema, never inferred, in batches of bounded size.

mod batch;
mod children;
mod columns;
mod entry_run;
mod filter;
mod fork;
mod joiner;
mod nested;
mod normal_forms;
mod numbers;
mod sample;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
pub use batch::{BATCH_ROWS, Batch};
pub use children::{Child, Children};
use columns::{ColumnBuilders, MIN_ROWS};
use filter::Filtering;
pub use filter::{Filter, Reason};
pub use joiner::Joiner;
use nested::{ALTERNATE_FIELDS, IMAGE_FIELDS, NEWS_FIELDS, VIDEO_FIELDS, list_of};
pub use normal_forms::{forms_schema, normal_forms};
use numbers::RunNumbers;
pub use sample::EntrySample;

use crate::diagnostic::Note;
use crate::read::Kind;
use crate::read::entry::{Entry, EntryKind};
use crate::read::entry_run::EntryRun;
use crate::read::sink::Sink;
use crate::value::relative::Base;

/// Text of one column in a batch at most, far below what 32-bit offsets can address.
const BATCH_BYTES: usize = 64 << 20;
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
    columns: ColumnBuilders,
    /// Of the run that was looked at last, which may go to two batches.
    values: RunNumbers,
    rows: usize,
    /// Rows of a full batch.
    batch_rows: usize,
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
    /// ColumnBuilders for the schema. With `takes_sitemaps`, `<sitemap>` entries are rows.
    pub fn new(schema: SchemaRef, takes_sitemaps: bool) -> Self {
        Table {
            columns: ColumnBuilders::new(&schema),
            values: RunNumbers::default(),
            schema,
            rows: 0,
            batch_rows: BATCH_ROWS,
            room: 0,
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

    /// Makes batches of so many rows. Larger ones take less time, for whoever keeps them all.
    pub fn in_batches_of(mut self, rows: usize) -> Self {
        self.batch_rows = rows;
        self
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

    /// The kind of the document that the next rows come from.
    #[inline(always)]
    fn begin_kind(&mut self, kind: Kind) {
        if kind != self.kind {
            self.columns.fill_kind(self.kind, self.rows);
            self.kind = kind;
        }
    }

    /// Sees to it that there is room for another row.
    #[inline(always)]
    fn begin_rows(&mut self) {
        if self.rows == self.room {
            self.make_room();
        }
    }

    /// Makes room for a few rows, then for those of a whole batch.
    #[cold]
    fn make_room(&mut self) {
        self.room = if self.room == 0 { MIN_ROWS.min(self.batch_rows) } else { self.batch_rows };
        self.columns.reserve(self.room);
    }

    /// Rows were added, and the longest column holds so many bytes of text.
    #[inline(always)]
    fn end_rows(&mut self, bytes: usize) {
        if self.rows == self.batch_rows || bytes > BATCH_BYTES {
            self.flush();
        }
    }

    // Once a batch: it is not to be compiled into what is done for each row.
    #[inline(never)]
    fn flush(&mut self) {
        if self.rows == 0 {
            return;
        }
        let rows = std::mem::take(&mut self.rows);
        self.columns.fill(rows);
        self.columns.fill_document(self.document, rows);
        self.columns.fill_kind(self.kind, rows);
        let documents: ArrayRef = Arc::new(StringArray::from_iter_values(&self.documents));
        self.room = 0;
        let mut columns = std::mem::replace(&mut self.columns, ColumnBuilders::new(&self.schema));
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
    const TAKES_RUNS: bool = true;

    #[inline(always)]
    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        // Flags and filters go by the single entry.
        if self.filtering.is_some() || !self.sitemaps.is_empty() {
            !0
        } else {
            self.columns.slow_mask(run, &mut self.values)
        }
    }

    #[inline(always)]
    fn push_run(&mut self, run: &EntryRun<'_>, mut entries: Range<usize>) {
        self.begin_kind(run.document);
        while !entries.is_empty() {
            self.begin_rows();
            let fitting = entries.start..entries.end.min(entries.start + self.room - self.rows);
            entries.start = fitting.end;
            let rows = self.rows + fitting.len();
            let bytes = self.columns.push_run(self.rows, run, &self.values, fitting);
            self.rows = rows;
            self.end_rows(bytes);
        }
    }

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
        self.begin_kind(entry.document);
        self.begin_rows();
        let bytes = self.columns.push(self.rows, entry, self.base.as_ref(), notes);
        self.rows += 1;
        self.end_rows(bytes);
    }
}
