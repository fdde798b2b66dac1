//! Rows as the objects of `urlset._model.entries`, made without running their constructors: what was read needs no
//! normalising, and a million objects should not take a minute.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, TimestampMicrosecondType, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDateTime, PyList, PyString, PyTuple, PyType, PyTzInfo};
use urlset_core::table::Batch;
use urlset_core::value::calendar::civil_from_days;

/// A frozen dataclass with slots, which are filled from outside.
struct Class<'py> {
    class: Bound<'py, PyType>,
    new: Bound<'py, PyAny>,
}

impl<'py> Class<'py> {
    fn import(py: Python<'py>, cell: &'static PyOnceLock<Py<PyType>>, module: &str, name: &str) -> PyResult<Self> {
        let class = cell.import(py, module, name)?.clone();
        let new = class.getattr(pyo3::intern!(py, "__new__"))?;
        Ok(Class { class, new })
    }

    fn make(&self) -> PyResult<Bound<'py, PyAny>> {
        self.new.call1((&self.class,))
    }
}

/// Set a slot as `object.__setattr__` does. A frozen class leaves that to whoever makes its objects.
fn set(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: the three pointers are valid for the call, which takes no reference over; the interpreter is attached,
    // as the Bound values prove. It returns 0, or -1 with an exception set.
    let failed = unsafe { pyo3::ffi::PyObject_GenericSetAttr(object.as_ptr(), name.as_ptr(), value.as_ptr()) };
    if failed == 0 { Ok(()) } else { Err(PyErr::fetch(object.py())) }
}

static URL_ENTRY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SITEMAP_ENTRY: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Append the rows of a batch to a list.
pub fn append<'py>(py: Python<'py>, batch: &Batch, list: &Bound<'py, PyList>) -> PyResult<()> {
    let url_entry = Class::import(py, &URL_ENTRY, "urlset._model.entries", "UrlEntry")?;
    let sitemap_entry = Class::import(py, &SITEMAP_ENTRY, "urlset._model.entries", "SitemapEntry")?;
    let fields = Fields::new(py, &batch.record)?;
    for row in 0..batch.record.num_rows() {
        let is_sitemap = batch.sitemaps.get(row).copied().unwrap_or(false);
        let object = if is_sitemap { sitemap_entry.make()? } else { url_entry.make()? };
        fields.fill(py, &object, row, is_sitemap)?;
        list.append(object)?;
    }
    Ok(())
}

/// The columns of a batch, prepared to give Python values. A column that was not asked for gives None.
struct Fields<'py> {
    loc: Option<ArrayRef>,
    lastmod: Option<ArrayRef>,
    lastmod_raw: Option<ArrayRef>,
    changefreq: Option<ArrayRef>,
    priority: Option<ArrayRef>,
    images: Option<Nested<'py>>,
    videos: Option<Nested<'py>>,
    alternates: Option<Nested<'py>>,
    news: Option<Nested<'py>>,
    document: Option<ArrayRef>,
    kind: Option<ArrayRef>,
    line: Option<ArrayRef>,
    words: Vec<Bound<'py, PyString>>,
    documents: Vec<Bound<'py, PyString>>,
    kinds: Vec<Bound<'py, PyString>>,
    empty: Bound<'py, PyAny>,
    utc: Bound<'py, PyTzInfo>,
}

impl<'py> Fields<'py> {
    fn new(py: Python<'py>, record: &RecordBatch) -> PyResult<Self> {
        let column = |name| record.column_by_name(name).cloned();
        let values = |array: &Option<ArrayRef>| -> Vec<Bound<'py, PyString>> {
            let Some(values) =
                array.as_ref().and_then(|array| array.as_any_dictionary_opt().map(|array| array.values()))
            else {
                return Vec::new();
            };
            values.as_string::<i32>().iter().map(|value| PyString::new(py, value.unwrap_or_default())).collect()
        };
        let (changefreq, document, kind) = (column("changefreq"), column("document"), column("kind"));
        let nested = |name| {
            column(name).map(|array| PyResult::Ok((Shape::new(py, name, array.data_type())?, array))).transpose()
        };
        Ok(Fields {
            words: values(&changefreq),
            documents: values(&document),
            kinds: values(&kind),
            loc: column("loc"),
            lastmod: column("lastmod"),
            lastmod_raw: column("lastmod_raw"),
            changefreq,
            priority: column("priority"),
            images: nested("images")?,
            videos: nested("videos")?,
            alternates: nested("alternates")?,
            news: nested("news")?,
            document,
            kind,
            line: column("line"),
            empty: PyTuple::empty(py).into_any(),
            utc: PyTzInfo::utc(py)?.to_owned(),
        })
    }

    fn fill(&self, py: Python<'py>, object: &Bound<'py, PyAny>, row: usize, is_sitemap: bool) -> PyResult<()> {
        use pyo3::intern;
        let none = py.None().into_bound(py);
        set(object, intern!(py, "loc"), &text(py, &self.loc, row, &none))?;
        set(object, intern!(py, "lastmod"), &self.lastmod(py, row)?.unwrap_or_else(|| none.clone()))?;
        set(object, intern!(py, "lastmod_raw"), &text(py, &self.lastmod_raw, row, &none))?;
        let document = valid(&self.document, row).map(|array| array.as_dictionary::<Int32Type>().keys().value(row));
        let document = document.and_then(|key| self.documents.get(key as usize));
        set(object, intern!(py, "document"), document.map_or(&none, |name| name.as_any()))?;
        set(object, intern!(py, "kind"), &word(&self.kind, &self.kinds, row).unwrap_or_else(|| none.clone()))?;
        let line = valid(&self.line, row).map(|array| array.as_primitive::<UInt32Type>().value(row));
        set(object, intern!(py, "line"), &line.into_pyobject(py)?)?;
        if is_sitemap {
            return Ok(());
        }
        let changefreq = word(&self.changefreq, &self.words, row).unwrap_or_else(|| none.clone());
        set(object, intern!(py, "changefreq"), &changefreq)?;
        let priority = valid(&self.priority, row).map(|array| array.as_primitive::<Float64Type>().value(row));
        set(object, intern!(py, "priority"), &priority.into_pyobject(py)?)?;
        set(object, intern!(py, "images"), &self.nested(py, &self.images, row, &self.empty)?)?;
        set(object, intern!(py, "videos"), &self.nested(py, &self.videos, row, &self.empty)?)?;
        set(object, intern!(py, "alternates"), &self.nested(py, &self.alternates, row, &self.empty)?)?;
        set(object, intern!(py, "news"), &self.nested(py, &self.news, row, &none)?)
    }

    fn lastmod(&self, py: Python<'py>, row: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(array) = valid(&self.lastmod, row) else {
            return Ok(None);
        };
        let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
        let (days, in_day) = (micros.div_euclid(86_400_000_000), micros.rem_euclid(86_400_000_000));
        let (year, month, day) = civil_from_days(days);
        let (seconds, fraction) = (in_day / 1_000_000, (in_day % 1_000_000) as u32);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        PyDateTime::new(
            py,
            year as i32,
            month as u8,
            day as u8,
            hour as u8,
            minute as u8,
            second as u8,
            fraction,
            Some(&self.utc),
        )
        .map(|value| Some(value.into_any()))
    }

    /// Return the value of a nested column; `otherwise` if the column was not asked for.
    fn nested(
        &self,
        py: Python<'py>,
        column: &Option<Nested<'py>>,
        row: usize,
        otherwise: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match column {
            // Most rows have no items, and need no tuple of their own.
            Some((shape, array)) if array.is_valid(row) => shape.value(py, array, row),
            _ => Ok(otherwise.clone()),
        }
    }
}

/// A column of lists or structs.
type Nested<'py> = (Shape<'py>, ArrayRef);

/// How the values of a nested column become Python values: structs become objects of a class, lists become tuples.
enum Shape<'py> {
    Text,
    Object(Class<'py>, Vec<(Bound<'py, PyString>, Shape<'py>)>),
    Tuple(Box<Shape<'py>>),
}

impl<'py> Shape<'py> {
    /// Return the shape of a column or field. Its name determines the class of its structs.
    fn new(py: Python<'py>, name: &str, kind: &DataType) -> PyResult<Self> {
        Ok(match kind {
            DataType::List(item) => Shape::Tuple(Box::new(Shape::new(py, name, item.data_type())?)),
            DataType::Struct(fields) => {
                let member = |field: &Arc<Field>| {
                    PyResult::Ok((PyString::intern(py, field.name()), Shape::new(py, field.name(), field.data_type())?))
                };
                let members: PyResult<Vec<_>> = fields.iter().map(member).collect();
                Shape::Object(class_of(py, name)?, members?)
            }
            _ => Shape::Text,
        })
    }

    /// Return the value at an index; None, or an empty tuple, if it is null.
    fn value(&self, py: Python<'py>, array: &ArrayRef, at: usize) -> PyResult<Bound<'py, PyAny>> {
        if array.is_null(at) {
            return Ok(match self {
                Shape::Tuple(_) => PyTuple::empty(py).into_any(),
                _ => py.None().into_bound(py),
            });
        }
        match self {
            Shape::Text => Ok(PyString::new(py, array.as_string::<i32>().value(at)).into_any()),
            Shape::Object(class, members) => {
                let object = class.make()?;
                for ((name, shape), column) in members.iter().zip(array.as_struct().columns()) {
                    set(&object, name, &shape.value(py, column, at)?)?;
                }
                Ok(object)
            }
            Shape::Tuple(item) => {
                let lists = array.as_list::<i32>();
                let (start, end) = (lists.value_offsets()[at] as usize, lists.value_offsets()[at + 1] as usize);
                let items: PyResult<Vec<_>> = (start..end).map(|at| item.value(py, lists.values(), at)).collect();
                Ok(PyTuple::new(py, items?)?.into_any())
            }
        }
    }
}

/// Return the class of the structs of a column or field.
fn class_of<'py>(py: Python<'py>, name: &str) -> PyResult<Class<'py>> {
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
        Some((_, class, cell)) => Class::import(py, cell, "urlset._model.extensions", class),
        None => Err(PyTypeError::new_err(format!("there is no class for {name}"))),
    }
}

fn valid(array: &Option<ArrayRef>, row: usize) -> Option<&ArrayRef> {
    array.as_ref().filter(|array| array.is_valid(row))
}

/// The word that a number of a row stands for.
fn word<'py>(array: &Option<ArrayRef>, words: &[Bound<'py, PyString>], row: usize) -> Option<Bound<'py, PyAny>> {
    let number = valid(array, row)?.as_dictionary::<Int8Type>().keys().value(row);
    words.get(number as usize).map(|word| word.clone().into_any())
}

fn text<'py>(py: Python<'py>, array: &Option<ArrayRef>, row: usize, none: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    array.as_ref().and_then(|array| string(py, array.as_string(), row)).unwrap_or_else(|| none.clone())
}

fn string<'py>(py: Python<'py>, array: &StringArray, row: usize) -> Option<Bound<'py, PyAny>> {
    array.is_valid(row).then(|| PyString::new(py, array.value(row)).into_any())
}
