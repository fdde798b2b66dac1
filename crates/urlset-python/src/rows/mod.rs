//! Rows to be written: from a table through Arrow's C stream, or from Python objects one by one.

mod extensions;
mod held;
mod usual;
mod values;

use std::collections::HashMap;
use std::path::PathBuf;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString};
use urlset_core::diagnostic::catalogue;
use urlset_core::media::{News, Video};
use urlset_core::read::Kind;
use urlset_core::write::names::ColumnNames;
use urlset_core::write::{Alternate, Image, Lastmod, Priority, Refusal, Row, arrow, as_written, fingerprint};
use urlset_engine::held_batches::HeldBatches;

use self::held::{Batches, Given, HeldTable};
use self::usual::UsualObjects;
use self::values::{
    Names, OwnedPriority, RowValues, SourceColumns, as_dict, is_not_a_text, items, lastmod, printed, priority, text,
};
use crate::fingerprint::Fingerprint;
use crate::interpreter::input_error;
use crate::table::table_reader;

/// A source of rows, and how far it was read. `index` counts from 0 over the whole input.
#[pyclass]
pub struct Rows {
    source: Source,
    index: u64,
    /// The fingerprint of the rows taken so far, as they are given, if somebody wants to know it.
    given: Option<Given>,
    /// Columns of a table that are known but not used.
    unused_columns: Vec<String>,
    /// What the source calls our own columns, and further columns or keys, whose texts rows bring along.
    names: ColumnNames,
    extras: Vec<String>,
}

enum Source {
    Table(Box<Table>),
    Objects { iterator: Py<PyIterator>, attributes: Names, pending: Option<Box<Owned>> },
}

struct Table {
    batches: HeldTable,
    rows: Option<arrow::BatchRows>,
    at: usize,
}

#[pymethods]
impl Rows {
    /// Rows of anything with `__arrow_c_stream__`. `names` has the names of its columns by our own, where they differ;
    /// `required` are the extras that it must have; with `is_local`, times without a zone are taken; with `is_given`, the
    /// rows can be held, and `given` is their fingerprint.
    #[staticmethod]
    #[pyo3(signature = (table, names, extras, required, is_local, is_given))]
    fn of_table(
        table: &Bound<'_, PyAny>,
        names: HashMap<String, String>,
        mut extras: Vec<String>,
        required: Vec<String>,
        is_local: bool,
        is_given: bool,
    ) -> PyResult<Self> {
        let (py, names) = (table.py(), ColumnNames::new(names));
        let reader = table_reader(table)?.map_err(|error| input_error(py, &error.to_string()))?;
        let schema = reader.schema();
        let unused_columns = arrow::check(&schema, &names, &extras, &required, is_local)
            .map_err(|error| input_error(py, &error.to_string()))?;
        extras.retain(|name| schema.column_with_name(name).is_some());
        let used = arrow::used(&schema, &names, &extras);
        let is_given = is_given && schema.project(&used).is_ok_and(|schema| HeldBatches::can_hold(&schema));
        let project = move |batch: Result<RecordBatch, ArrowError>| batch?.project(&used);
        let batches: Batches = if is_given { Box::new(reader.map(project)) } else { Box::new(reader) };
        let table = Table { batches: HeldTable::new(batches), rows: None, at: 0 };
        let given = is_given.then(Given::default);
        Ok(Rows { source: Source::Table(Box::new(table)), index: 0, given, unused_columns, names, extras })
    }

    /// Rows of an iterable of str, UrlEntry, SitemapEntry, or dicts and other mappings.
    #[staticmethod]
    #[pyo3(signature = (entries, names, extras))]
    fn of_objects(entries: &Bound<'_, PyAny>, names: HashMap<String, String>, extras: Vec<String>) -> PyResult<Self> {
        let iterator = entries.try_iter()?.unbind();
        let source = Source::Objects { iterator, attributes: values::names(entries.py()), pending: None };
        let names = ColumnNames::new(names);
        Ok(Rows { source, index: 0, given: None, unused_columns: Vec::new(), names, extras })
    }

    /// The further columns whose texts the rows bring along.
    #[getter]
    fn extras(&self) -> Vec<String> {
        self.extras.clone()
    }

    /// The columns that are known but not used.
    #[getter]
    fn unused_columns(&self) -> Vec<String> {
        self.unused_columns.clone()
    }

    /// The number of rows taken so far.
    #[getter]
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The fingerprint of the rows as they are given, once all were taken or are held; None if they are not given.
    #[getter]
    fn given(&self) -> Option<Fingerprint> {
        self.given.as_ref().map(|given| given.fingerprint.into())
    }

    /// Bytes of memory that the rows take which are held.
    #[getter]
    fn held(&mut self) -> usize {
        if let Source::Table(table) = &mut self.source { table.batches.held().size() } else { 0 }
    }

    /// Hold the next batch of a table whose rows are given. Returns whether there may be more to hold. If not, `given` is
    /// known, unless something is wrong with the table; and rows are taken as if none had been held.
    fn hold(&mut self, py: Python<'_>) -> PyResult<bool> {
        py.check_signals()?;
        let (Source::Table(table), Some(given)) = (&mut self.source, &mut self.given) else { return Ok(false) };
        Ok(table.batches.hold(py, given, &self.names, &self.extras))
    }

    /// Write the rows in memory that are held to a new file, which has to stay there until they are taken.
    fn spill_held(&mut self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let Source::Table(table) = &mut self.source else { return Ok(()) };
        Ok(py.detach(|| table.batches.held().spill(path))?)
    }

    /// Whether all rows are held, and `given` is their fingerprint.
    #[getter]
    fn is_held(&self) -> bool {
        self.given.as_ref().is_some_and(|given| given.is_whole)
    }
}

impl Rows {
    /// Lend the batch at hand of a table and the place of its next row to `take`, which returns how many rows it takes.
    /// Returns the same; 0 if the rows are not a table, or the next one is of the next batch.
    pub fn with_batch(&mut self, take: impl FnOnce(&arrow::BatchRows, usize) -> u64) -> u64 {
        let Source::Table(table) = &mut self.source else { return 0 };
        let Some(rows) = table.rows.as_ref().filter(|rows| table.at < rows.len()) else { return 0 };
        let taken = take(rows, table.at);
        table.at += taken as usize;
        self.index += taken;
        taken
    }

    /// Lend the next row to `take`, which returns whether it takes the row. Returns None when there are no more rows.
    pub fn with_next<T>(&mut self, py: Python<'_>, take: impl FnOnce(&Row<'_>) -> (bool, T)) -> PyResult<Option<T>> {
        let (names, extras) = (&self.names, &self.extras);
        let (taken, result) = match &mut self.source {
            Source::Table(table) => {
                let Table { batches, rows, at } = table.as_mut();
                while rows.as_ref().is_none_or(|rows| *at == rows.len()) {
                    let Some(batch) = batches.next(py) else {
                        return Ok(None);
                    };
                    let batch = batch.map_err(|error| input_error(py, &format!("the table failed: {error}")))?;
                    *rows = Some(
                        arrow::BatchRows::new(&batch, names, extras)
                            .map_err(|error| input_error(py, &error.to_string()))?,
                    );
                    *at = 0;
                }
                let Some(rows) = rows else { return Ok(None) };
                let row = rows.row(*at);
                let (taken, result) = take(&row);
                *at += usize::from(taken);
                if let Some(given) = self.given.as_mut().filter(|given| taken && !given.is_whole) {
                    given.fingerprint.add(fingerprint::given(&row));
                }
                (taken, result)
            }
            Source::Objects { iterator, attributes, pending } => {
                if pending.is_none() {
                    let Some(object) = iterator.bind(py).clone().next() else {
                        return Ok(None);
                    };
                    let object = object?;
                    let own = || Owned::new(&object, &SourceColumns { attributes, names, extras }, self.index);
                    // Other names and further keys are looked for one by one, and whatever cannot be read so is
                    // refused with a reason.
                    if names.are_own()
                        && extras.is_empty()
                        && let Ok(Some(values)) = UsualObjects::get(py)?.values(&object)
                        && let Some(row) = values.row()
                    {
                        let (taken, result) = take(&row);
                        if !taken {
                            *pending = Some(Box::new(own()?));
                        }
                        self.index += u64::from(taken);
                        return Ok(Some(result));
                    }
                    *pending = Some(Box::new(own()?));
                }
                let Some(owned) = pending else {
                    return Ok(None);
                };
                let (taken, result) = take(&owned.row());
                if taken {
                    *pending = None;
                }
                (taken, result)
            }
        };
        self.index += u64::from(taken);
        Ok(Some(result))
    }

    /// Whether the next object is a sitemap entry, which decides on the kind of the first document.
    pub fn next_is_sitemap(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.with_next(py, |_| (false, ()))?;
        Ok(
            matches!(&self.source, Source::Objects { pending: Some(owned), .. } if owned.kind == Some(Kind::Sitemapindex)),
        )
    }
}

/// A row that owns its texts, made from one Python object.
#[derive(Default)]
struct Owned {
    kind: Option<Kind>,
    loc: String,
    lastmod: Option<String>,
    changefreq: Option<String>,
    priority: Option<OwnedPriority>,
    images: Vec<[Option<String>; 5]>,
    videos: Vec<Video<Option<String>>>,
    alternates: Vec<[Option<String>; 4]>,
    /// Boxed, because few rows have it and it would be half of all.
    news: Option<Box<News<Option<String>>>>,
    extras: Vec<Option<String>>,
    /// What is wrong with a value that cannot be taken at all.
    fault: Option<Refusal>,
}

const IMAGE_FIELDS: [&str; 5] = ["loc", "title", "caption", "geo_location", "license"];
const ALTERNATE_FIELDS: [&str; 4] = ["hreflang", "href", "media", "rel"];

/// Return the kind of document that an object belongs to, by its class.
fn kind_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Kind>> {
    let class = object.get_type().name()?;
    Ok(match class.to_str()? {
        "SitemapEntry" => Some(Kind::Sitemapindex),
        "UrlEntry" => Some(Kind::Urlset),
        _ => None,
    })
}

impl Owned {
    /// Take the values of an object. What is not text at all is a fault of its row, and does not end the reading.
    fn new(object: &Bound<'_, PyAny>, columns: &SourceColumns<'_>, index: u64) -> PyResult<Self> {
        match Owned::taken(object, columns, index) {
            Err(error) if is_not_a_text(object.py(), &error) => {
                let message = format!("a value is not valid Unicode: {}", error.value(object.py()));
                Ok(Owned { fault: Some(Refusal::new(&catalogue::XML007, message)), ..Owned::default() })
            }
            owned => owned,
        }
    }

    fn taken(object: &Bound<'_, PyAny>, columns: &SourceColumns<'_>, index: u64) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            let loc = text(Some(object.clone()), "loc", index)?.unwrap_or_default();
            return Ok(Owned { loc, ..Owned::default() });
        }
        let (RowValues { own, extras }, kind) = match object.cast::<PyDict>() {
            Ok(dict) => (RowValues::of_dict(dict, columns, index)?, None),
            Err(_) => match as_dict(object, columns, index)? {
                Some(dict) => (RowValues::of_dict(&dict, columns, index)?, None),
                None => (RowValues::of_object(object, columns, index)?, kind_of(object)?),
            },
        };
        let [loc, typed, changefreq, own_priority, images, videos, alternates, news, raw] = own;
        let (typed, raw) = (lastmod(typed, index)?, lastmod(raw, index)?);
        Ok(Owned {
            kind,
            loc: text(loc, "loc", index)?.unwrap_or_default(),
            lastmod: match typed {
                Some(typed) => match as_written(Some(Lastmod::Text(&typed)), raw.as_deref()) {
                    Some(Lastmod::Text(text)) => Some(text.to_owned()),
                    _ => None,
                },
                None => raw,
            },
            changefreq: text(changefreq, "changefreq", index)?,
            priority: priority(own_priority, index)?,
            images: items(images, "images", IMAGE_FIELDS, Some(0), index)?,
            videos: extensions::videos(videos, index)?,
            alternates: items(alternates, "alternates", ALTERNATE_FIELDS, None, index)?,
            news: extensions::news(news, index)?.map(Box::new),
            extras: extras.into_iter().map(printed).collect::<PyResult<_>>()?,
            fault: None,
        })
    }

    fn row(&self) -> Row<'_> {
        Row {
            kind: self.kind,
            loc: &self.loc,
            lastmod: self.lastmod.as_deref().map(Lastmod::Text),
            changefreq: self.changefreq.as_deref(),
            priority: self.priority.as_ref().map(|priority| match priority {
                OwnedPriority::Text(text) => Priority::Text(text),
                OwnedPriority::Number(number) => Priority::Number(*number),
            }),
            images: self
                .images
                .iter()
                .map(|[loc, title, caption, geo_location, license]| Image {
                    loc: loc.as_deref().unwrap_or_default(),
                    title: title.as_deref(),
                    caption: caption.as_deref(),
                    geo_location: geo_location.as_deref(),
                    license: license.as_deref(),
                })
                .collect(),
            videos: self.videos.iter().map(|video| video.map(Option::as_deref)).collect(),
            alternates: self
                .alternates
                .iter()
                .map(|[hreflang, href, media, rel]| Alternate {
                    hreflang: hreflang.as_deref(),
                    href: href.as_deref().unwrap_or_default(),
                    media: media.as_deref(),
                    rel: rel.as_deref(),
                })
                .collect(),
            news: self.news.as_ref().map(|news| news.each_ref().map(Option::as_deref)),
            extras: self.extras.iter().map(Option::as_deref).collect(),
            fault: self.fault.as_ref(),
        }
    }
}
