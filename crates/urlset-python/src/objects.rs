//! Rows as the objects of `urlset._models`, made without running their constructors: what reading found needs no
//! normalising, and a million of them should not take a minute.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, TimestampMicrosecondType, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDateTime, PyList, PyString, PyTuple, PyType, PyTzInfo};
use urlset_core::table::Batch;

/// A frozen dataclass with slots, to be filled from outside.
struct Class<'py> {
    class: Bound<'py, PyType>,
    new: Bound<'py, PyAny>,
}

impl<'py> Class<'py> {
    fn import(py: Python<'py>, cell: &'static PyOnceLock<Py<PyType>>, name: &str) -> PyResult<Self> {
        let class = cell.import(py, "urlset._models", name)?.clone();
        let new = class.getattr(pyo3::intern!(py, "__new__"))?;
        Ok(Class { class, new })
    }

    fn make(&self) -> PyResult<Bound<'py, PyAny>> {
        self.new.call1((&self.class,))
    }
}

/// Sets a slot as `object.__setattr__` does, which a frozen class leaves to those who make its objects.
fn set(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: the three pointers are valid for the call, which takes no reference over; the interpreter is attached,
    // as the Bound values prove. It returns 0, or -1 with an exception set.
    let failed = unsafe { pyo3::ffi::PyObject_GenericSetAttr(object.as_ptr(), name.as_ptr(), value.as_ptr()) };
    if failed == 0 { Ok(()) } else { Err(PyErr::fetch(object.py())) }
}

static URL_ENTRY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SITEMAP_ENTRY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static IMAGE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static ALTERNATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Appends the rows of a batch to a list.
pub fn append<'py>(py: Python<'py>, batch: &Batch, list: &Bound<'py, PyList>) -> PyResult<()> {
    let url_entry = Class::import(py, &URL_ENTRY, "UrlEntry")?;
    let sitemap_entry = Class::import(py, &SITEMAP_ENTRY, "SitemapEntry")?;
    let fields = Fields::new(py, &batch.record)?;
    for row in 0..batch.record.num_rows() {
        let is_sitemap = batch.sitemaps.get(row).copied().unwrap_or(false);
        let object = if is_sitemap { sitemap_entry.make()? } else { url_entry.make()? };
        fields.fill(py, &object, row, is_sitemap)?;
        list.append(object)?;
    }
    Ok(())
}

/// Every column of a batch, ready to give Python values; a column that was not asked for gives None.
struct Fields<'py> {
    loc: Option<ArrayRef>,
    lastmod: Option<ArrayRef>,
    lastmod_raw: Option<ArrayRef>,
    changefreq: Option<ArrayRef>,
    priority: Option<ArrayRef>,
    images: Option<Objects<'py>>,
    alternates: Option<Objects<'py>>,
    document: Option<ArrayRef>,
    line: Option<ArrayRef>,
    words: Vec<Bound<'py, PyString>>,
    documents: Vec<Bound<'py, PyString>>,
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
        let (changefreq, document) = (column("changefreq"), column("document"));
        let image = Class::import(py, &IMAGE, "Image")?;
        let alternate = Class::import(py, &ALTERNATE, "Alternate")?;
        Ok(Fields {
            words: values(&changefreq),
            documents: values(&document),
            loc: column("loc"),
            lastmod: column("lastmod"),
            lastmod_raw: column("lastmod_raw"),
            changefreq,
            priority: column("priority"),
            images: column("images").map(|lists| Objects { lists, class: image }),
            alternates: column("alternates").map(|lists| Objects { lists, class: alternate }),
            document,
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
        let line = valid(&self.line, row).map(|array| array.as_primitive::<UInt32Type>().value(row));
        set(object, intern!(py, "line"), &line.into_pyobject(py)?)?;
        if is_sitemap {
            return Ok(());
        }
        let word = valid(&self.changefreq, row).map(|array| array.as_dictionary::<Int8Type>().keys().value(row));
        let word = word.and_then(|key| self.words.get(key as usize));
        set(object, intern!(py, "changefreq"), word.map_or(&none, |word| word.as_any()))?;
        let priority = valid(&self.priority, row).map(|array| array.as_primitive::<Float64Type>().value(row));
        set(object, intern!(py, "priority"), &priority.into_pyobject(py)?)?;
        set(object, intern!(py, "images"), &self.objects(py, &self.images, row, &none)?)?;
        set(object, intern!(py, "alternates"), &self.objects(py, &self.alternates, row, &none)?)
    }

    fn lastmod(&self, py: Python<'py>, row: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(array) = valid(&self.lastmod, row) else {
            return Ok(None);
        };
        let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
        let (days, in_day) = (micros.div_euclid(86_400_000_000), micros.rem_euclid(86_400_000_000));
        let (year, month, day) = urlset_core::value::lastmod::civil_from_days(days);
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

    fn objects(
        &self,
        py: Python<'py>,
        objects: &Option<Objects<'py>>,
        row: usize,
        none: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match objects {
            Some(objects) if objects.lists.is_valid(row) => objects.tuple(py, row, none),
            _ => Ok(self.empty.clone()),
        }
    }
}

/// A list column whose structs become objects of one class, field by field.
struct Objects<'py> {
    lists: ArrayRef,
    class: Class<'py>,
}

impl<'py> Objects<'py> {
    fn tuple(&self, py: Python<'py>, row: usize, none: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let lists = self.lists.as_list::<i32>();
        let structs = lists.values().as_struct();
        let (start, end) = (lists.value_offsets()[row] as usize, lists.value_offsets()[row + 1] as usize);
        let mut items = Vec::with_capacity(end - start);
        for at in start..end {
            let item = self.class.make()?;
            for (field, column) in structs.fields().iter().zip(structs.columns()) {
                let value = string(py, column.as_string(), at).unwrap_or_else(|| none.clone());
                set(&item, &PyString::intern(py, field.name()), &value)?;
            }
            items.push(item);
        }
        Ok(PyTuple::new(py, items)?.into_any())
    }
}

fn valid(array: &Option<ArrayRef>, row: usize) -> Option<&ArrayRef> {
    array.as_ref().filter(|array| array.is_valid(row))
}

fn text<'py>(py: Python<'py>, array: &Option<ArrayRef>, row: usize, none: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    array.as_ref().and_then(|array| string(py, array.as_string(), row)).unwrap_or_else(|| none.clone())
}

fn string<'py>(py: Python<'py>, array: &StringArray, row: usize) -> Option<Bound<'py, PyAny>> {
    array.is_valid(row).then(|| PyString::new(py, array.value(row)).into_any())
}
