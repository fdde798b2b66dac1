//! Rows as the objects of `urlset._model.entries`, made without running their constructors: what was read needs no
//! normalising, and a million objects should not take a minute.

use std::cell::RefCell;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Float64Type, Int8Type, Int32Type, TimestampMicrosecondType, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Fields};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDateTime, PyList, PyString, PyTuple, PyType, PyTzInfo};
use urlset_core::table::Batch;
use urlset_core::value::calendar::civil_from_days;

use crate::slotted::{Filling, Slotted};

static URL_ENTRY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SITEMAP_ENTRY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
/// The fields that every entry has, and those that only a page has, in the order in which they are given their values.
const OF_ALL: [&str; 6] = ["loc", "lastmod", "lastmod_raw", "document", "kind", "line"];
const OF_PAGES: [&str; 6] = ["changefreq", "priority", "images", "videos", "alternates", "news"];

/// Append the rows of a batch to a list.
pub fn append<'py>(py: Python<'py>, batch: &Batch, list: &Bound<'py, PyList>) -> PyResult<()> {
    const MODULE: &str = "urlset._model.entries";
    let page = Slotted::import(py, &URL_ENTRY, (MODULE, "UrlEntry"), OF_ALL.into_iter().chain(OF_PAGES))?;
    let sitemap = Slotted::import(py, &SITEMAP_ENTRY, (MODULE, "SitemapEntry"), OF_ALL)?;
    let columns = BatchColumns::new(py, &batch.record)?;
    for row in 0..batch.record.num_rows() {
        let is_sitemap = batch.sitemaps.get(row).copied().unwrap_or(false);
        let mut object = if is_sitemap { &sitemap } else { &page }.begin()?;
        columns.put_all(&mut object, row)?;
        if !is_sitemap {
            columns.put_of_page(&mut object, row)?;
        }
        list.append(object.end())?;
    }
    Ok(())
}

/// The columns of a batch, prepared to give Python values. A column that was not asked for gives None or nothing.
struct BatchColumns<'a, 'py> {
    loc: Option<&'a StringArray>,
    lastmod: Option<&'a TimestampMicrosecondArray>,
    lastmod_raw: Option<&'a StringArray>,
    changefreq: Option<Words<'a, 'py, Int8Type>>,
    priority: Option<&'a Float64Array>,
    images: Option<Nested<'a, 'py>>,
    videos: Option<Nested<'a, 'py>>,
    alternates: Option<Nested<'a, 'py>>,
    news: Option<Nested<'a, 'py>>,
    document: Option<Words<'a, 'py, Int32Type>>,
    kind: Option<Words<'a, 'py, Int8Type>>,
    line: Option<&'a UInt32Array>,
    instants: Instants<'py>,
    short_texts: ShortTexts<'py>,
    none: Bound<'py, PyAny>,
    empty: Bound<'py, PyAny>,
}

impl<'a, 'py> BatchColumns<'a, 'py> {
    fn new(py: Python<'py>, record: &'a RecordBatch) -> PyResult<Self> {
        let column = |name| record.column_by_name(name);
        // Most batches have nothing in most of these, and what its classes are takes longer than a few rows.
        let filled = |name| column(name).filter(|array| array.null_count() < array.len());
        let nested = |name| {
            filled(name).map(|array| PyResult::Ok((Shape::new(py, name, array.data_type())?, array))).transpose()
        };
        Ok(BatchColumns {
            loc: column("loc").map(|array| array.as_string()),
            lastmod: column("lastmod").map(|array| array.as_primitive::<TimestampMicrosecondType>()),
            lastmod_raw: column("lastmod_raw").map(|array| array.as_string()),
            changefreq: column("changefreq").map(|array| Words::new(py, array.as_dictionary())),
            priority: column("priority").map(|array| array.as_primitive::<Float64Type>()),
            images: nested("images")?,
            videos: nested("videos")?,
            alternates: nested("alternates")?,
            news: nested("news")?,
            document: column("document").map(|array| Words::new(py, array.as_dictionary())),
            kind: column("kind").map(|array| Words::new(py, array.as_dictionary())),
            line: column("line").map(|array| array.as_primitive::<UInt32Type>()),
            instants: Instants::new(py)?,
            short_texts: ShortTexts::new(py),
            none: py.None().into_bound(py),
            empty: PyTuple::empty(py).into_any(),
        })
    }

    /// Put the values of the fields that every entry has.
    fn put_all(&self, object: &mut Filling<'_, 'py>, row: usize) -> PyResult<()> {
        let py = self.none.py();
        self.put(object, text(py, self.loc, row).as_ref())?;
        let lastmod = valid(self.lastmod, row).map(|array| self.instants.at(array.value(row))).transpose()?;
        self.put(object, lastmod.as_ref())?;
        self.put(object, text(py, self.lastmod_raw, row).as_ref())?;
        self.put(object, self.document.as_ref().and_then(|words| words.at(row)))?;
        self.put(object, self.kind.as_ref().and_then(|words| words.at(row)))?;
        let line = valid(self.line, row).map(|array| array.value(row).into_pyobject(py)).transpose()?;
        self.put(object, line.map(Bound::into_any).as_ref())
    }

    /// Put the values of the fields that only a page has.
    fn put_of_page(&self, object: &mut Filling<'_, 'py>, row: usize) -> PyResult<()> {
        let py = self.none.py();
        self.put(object, self.changefreq.as_ref().and_then(|words| words.at(row)))?;
        let priority = valid(self.priority, row).map(|array| array.value(row).into_pyobject(py)).transpose()?;
        self.put(object, priority.map(Bound::into_any).as_ref())?;
        self.put_nested(object, &self.images, row, &self.empty)?;
        self.put_nested(object, &self.videos, row, &self.empty)?;
        self.put_nested(object, &self.alternates, row, &self.empty)?;
        self.put_nested(object, &self.news, row, &self.none)
    }

    /// Put a value, or None.
    fn put(&self, object: &mut Filling<'_, 'py>, value: Option<&Bound<'py, PyAny>>) -> PyResult<()> {
        object.put(value.unwrap_or(&self.none))
    }

    /// Put the value of a nested column; `otherwise` if it is null, or was not asked for.
    fn put_nested(
        &self,
        object: &mut Filling<'_, 'py>,
        column: &Option<Nested<'a, 'py>>,
        row: usize,
        otherwise: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        match column {
            // Most rows have no items, and need no tuple of their own.
            Some((shape, array)) if array.is_valid(row) => object.put(&shape.value(&self.short_texts, array, row)?),
            _ => object.put(otherwise),
        }
    }
}

/// A column of words, each of which is one text of Python.
struct Words<'a, 'py, K: ArrowDictionaryKeyType> {
    array: &'a DictionaryArray<K>,
    words: Vec<Bound<'py, PyAny>>,
}

impl<'a, 'py, K: ArrowDictionaryKeyType> Words<'a, 'py, K> {
    fn new(py: Python<'py>, array: &'a DictionaryArray<K>) -> Self {
        let words = array.values().as_string::<i32>().iter();
        let words = words.map(|word| PyString::new(py, word.unwrap_or_default()).into_any()).collect();
        Words { array, words }
    }

    fn at(&self, row: usize) -> Option<&Bound<'py, PyAny>> {
        self.words.get(self.array.key(row)?)
    }
}

/// Makes instants in UTC.
struct Instants<'py> {
    class: Bound<'py, PyType>,
    utc: Bound<'py, PyTzInfo>,
}

impl<'py> Instants<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        Ok(Instants { class: py.get_type::<PyDateTime>(), utc: PyTzInfo::utc(py)?.to_owned() })
    }

    /// The instant of so many microseconds since the epoch, made as a pickle does, from the bytes of its state: from eight
    /// numbers takes twice as long. Those bytes are not checked, but what is a lastmod is within the calendar.
    fn at(&self, micros: i64) -> PyResult<Bound<'py, PyAny>> {
        let (days, in_day) = (micros.div_euclid(86_400_000_000), micros.rem_euclid(86_400_000_000));
        let (year, month, day) = civil_from_days(days);
        let (seconds, fraction) = (in_day / 1_000_000, in_day % 1_000_000);
        let [_, _, .., year_high, year_low] = year.to_be_bytes();
        let [.., fraction_high, fraction_middle, fraction_low] = fraction.to_be_bytes();
        let (hour, minute, second) = ((seconds / 3_600) as u8, (seconds / 60 % 60) as u8, (seconds % 60) as u8);
        let (month, day) = (month as u8, day as u8);
        let state =
            [year_high, year_low, month, day, hour, minute, second, fraction_high, fraction_middle, fraction_low];
        self.class.call1((PyBytes::new(self.class.py(), &state), &self.utc))
    }
}

/// Texts of nested values. Those that were used last are kept, if they are short: codes of languages, `alternate`, `yes` come
/// back in every entry.
struct ShortTexts<'py> {
    py: Python<'py>,
    /// Each at a place that follows from its key.
    recent: RefCell<[Option<ShortText<'py>>; 64]>,
}

/// Bytes and length as one number, and the text.
type ShortText<'py> = (u128, Bound<'py, PyAny>);

impl<'py> ShortTexts<'py> {
    fn new(py: Python<'py>) -> Self {
        ShortTexts { py, recent: RefCell::new([const { None }; 64]) }
    }

    fn get(&self, text: &str) -> Bound<'py, PyAny> {
        let make = || PyString::new(self.py, text).into_any();
        let mut key = [0; 16];
        let [start @ .., length] = &mut key;
        let Some(start) = start.get_mut(..text.len()) else { return make() };
        start.copy_from_slice(text.as_bytes());
        *length = text.len() as u8;
        let key = u128::from_le_bytes(key);
        // Fibonacci hashing: the upper bits of the product depend on all bits.
        let place = ((key as u64) ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        let recent = &mut self.recent.borrow_mut()[place as usize];
        match recent {
            Some((known, text)) if *known == key => text.clone(),
            _ => recent.insert((key, make())).1.clone(),
        }
    }
}

/// A column of lists or structs.
type Nested<'a, 'py> = (Shape<'py>, &'a ArrayRef);

/// How the values of a nested column become Python values: structs become objects of a class, lists become tuples.
enum Shape<'py> {
    Text,
    /// With the shapes of its fields.
    Object(Slotted<'py>, Vec<Shape<'py>>),
    Tuple(Box<Shape<'py>>),
}

impl<'py> Shape<'py> {
    /// Return the shape of a column or field. Its name determines the class of its structs.
    fn new(py: Python<'py>, name: &str, kind: &DataType) -> PyResult<Self> {
        Ok(match kind {
            DataType::List(item) => Shape::Tuple(Box::new(Shape::new(py, name, item.data_type())?)),
            DataType::Struct(fields) => {
                let member = |field: &Arc<Field>| Shape::new(py, field.name(), field.data_type());
                let members: PyResult<Vec<_>> = fields.iter().map(member).collect();
                Shape::Object(class_of(py, name, fields)?, members?)
            }
            _ => Shape::Text,
        })
    }

    /// Return the value at an index; None, or an empty tuple, if it is null.
    fn value(&self, texts: &ShortTexts<'py>, array: &ArrayRef, at: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = texts.py;
        if array.is_null(at) {
            return Ok(match self {
                Shape::Tuple(_) => PyTuple::empty(py).into_any(),
                _ => py.None().into_bound(py),
            });
        }
        match self {
            Shape::Text => Ok(texts.get(array.as_string::<i32>().value(at))),
            Shape::Object(class, members) => {
                let mut object = class.begin()?;
                for (shape, column) in members.iter().zip(array.as_struct().columns()) {
                    object.put(&shape.value(texts, column, at)?)?;
                }
                Ok(object.end())
            }
            Shape::Tuple(item) => {
                let lists = array.as_list::<i32>();
                let (start, end) = (lists.value_offsets()[at] as usize, lists.value_offsets()[at + 1] as usize);
                let items: PyResult<Vec<_>> = (start..end).map(|at| item.value(texts, lists.values(), at)).collect();
                Ok(PyTuple::new(py, items?)?.into_any())
            }
        }
    }
}

/// Return the class of the structs of a column or field.
fn class_of<'py>(py: Python<'py>, name: &str, fields: &Fields) -> PyResult<Slotted<'py>> {
    static CLASSES: [(&str, &str, PyOnceLock<Py<PyType>>); 8] = [
        ("images", "Image", PyOnceLock::new()),
        ("videos", "Video", PyOnceLock::new()),
        ("alternates", "Alternate", PyOnceLock::new()),
        ("news", "News", PyOnceLock::new()),
        ("content_segments", "ContentSegment", PyOnceLock::new()),
        ("prices", "Price", PyOnceLock::new()),
        ("tvshow", "TvShow", PyOnceLock::new()),
        ("ids", "VideoId", PyOnceLock::new()),
    ];
    match CLASSES.iter().find(|(column, ..)| *column == name) {
        Some((_, class, cell)) => {
            let fields = fields.iter().map(|field| field.name().as_str());
            Slotted::import(py, cell, ("urlset._model.extensions", class), fields)
        }
        None => Err(PyTypeError::new_err(format!("there is no class for {name}"))),
    }
}

fn valid<A: Array>(array: Option<&A>, row: usize) -> Option<&A> {
    array.filter(|array| array.is_valid(row))
}

fn text<'py>(py: Python<'py>, array: Option<&StringArray>, row: usize) -> Option<Bound<'py, PyAny>> {
    valid(array, row).map(|array| PyString::new(py, array.value(row)).into_any())
}
