//! Values of Python objects and dicts, each with its own errors.

use pyo3::exceptions::{PyOverflowError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateTime, PyDict, PyFloat, PyInt, PyString};
use urlset_core::write::names::{ColumnNames, FURTHER};

use crate::interpreter::input_error;

pub fn field<'py>(object: &Bound<'py, PyAny>, is_dict: bool, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_dict {
        return object.cast::<PyDict>()?.get_item(name);
    }
    object.getattr_opt(name)
}

/// The fields of a row, in the order of [`RowValues`]. The last one is a lastmod as it was read.
const OWN: [&str; 9] =
    ["loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "news", "lastmod_raw"];

/// The names of [`OWN`] as Python objects: making them for each row would take longer than looking them up.
pub type Names = [Py<PyString>; 9];

pub fn names(py: Python<'_>) -> Names {
    OWN.map(|name| PyString::intern(py, name).unbind())
}

/// A priority as an object gives it.
pub enum OwnedPriority {
    Text(String),
    Number(f64),
}

/// What the objects of a source call their values.
pub struct SourceColumns<'c> {
    pub attributes: &'c Names,
    pub names: &'c ColumnNames,
    pub extras: &'c [String],
}

/// The values of one row: its own fields, and the extras that were asked for.
pub struct RowValues<'py> {
    pub own: [Option<Bound<'py, PyAny>>; 9],
    pub extras: Vec<Option<Bound<'py, PyAny>>>,
}

impl<'py> RowValues<'py> {
    /// Return the values of a dict, in one pass over its keys.
    pub fn of_dict(dict: &Bound<'py, PyDict>, columns: &SourceColumns<'_>, index: u64) -> PyResult<Self> {
        let SourceColumns { names, extras, .. } = columns;
        let mut values = RowValues { own: [const { None }; 9], extras: extras.iter().map(|_| None).collect() };
        for (key, value) in dict.iter() {
            let name = key.cast::<PyString>().ok().and_then(|key| key.to_str().ok());
            let ours = name.and_then(|name| names.ours(name, &OWN));
            let own = ours.and_then(|ours| OWN.iter().position(|own| *own == ours));
            let extra = name.and_then(|name| extras.iter().position(|extra| extra == name));
            let is_passed = |name: &str| FURTHER.contains(&name) || names.is_replaced(name);
            if own.is_none() && extra.is_none() && name.is_none_or(|name| !is_passed(name)) {
                let extras = extras.iter().map(String::as_str);
                let own = OWN.into_iter().filter_map(|own| names.of(own));
                let known: Vec<&str> = own.chain(FURTHER).chain(extras).collect();
                return Err(unknown_key(&key, &known, "", index));
            }
            if let Some(slot) = extra {
                values.extras[slot] = Some(value.clone());
            }
            if let Some(slot) = own {
                values.own[slot] = Some(value);
            }
        }
        Ok(values)
    }

    /// Return the values of an object. Extras can only come from a dict.
    pub fn of_object(object: &Bound<'py, PyAny>, columns: &SourceColumns<'_>, index: u64) -> PyResult<Self> {
        let py = object.py();
        let mut own = [const { None }; 9];
        for (value, name) in own.iter_mut().zip(columns.attributes) {
            *value = object.getattr_opt(name.bind(py))?;
        }
        if own[0].is_none() {
            let class = object.get_type().name()?;
            let row = index + 1;
            let message = format!("row {row} is {class}; an entry is a str, a dict, UrlEntry or SitemapEntry");
            return Err(input_error(py, &message));
        }
        Ok(RowValues { own, extras: vec![None; columns.extras.len()] })
    }
}

/// Return a mapping that is not a dict, such as a `sqlite3.Row`, as a dict; None for any other object. Of two keys of the
/// same name one would be lost, so that is refused.
pub fn as_dict<'py>(
    object: &Bound<'py, PyAny>,
    columns: &SourceColumns<'_>,
    index: u64,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let py = object.py();
    if object.hasattr(columns.attributes[0].bind(py))? || !object.hasattr("keys")? {
        return Ok(None);
    }
    let dict = PyDict::new(py);
    for key in object.call_method0("keys")?.try_iter()? {
        let key = key?;
        if dict.contains(&key)? {
            let row = index + 1;
            return Err(input_error(py, &format!("row {row} has two columns {key}: rename one of them")));
        }
        dict.set_item(&key, object.get_item(&key)?)?;
    }
    Ok(Some(dict))
}

/// Whether an error says that a text holds half a character, which no encoding can represent.
pub fn is_not_a_text(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyUnicodeEncodeError>(py)
}

/// Return a value unless it is absent: None, or what data frames have in its place, NaN and the NA of pandas.
pub fn present<'py>(value: Option<Bound<'py, PyAny>>) -> Option<Bound<'py, PyAny>> {
    let is_nan = |value: &Bound<'_, PyAny>| value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    let is_na = |value: &Bound<'_, PyAny>| {
        let name = value.get_type().name();
        !value.is_instance_of::<PyString>() && name.is_ok_and(|name| name == "NAType")
    };
    value.filter(|value| !value.is_none() && !is_nan(value) && !is_na(value))
}

/// Refuse an unknown key: it is most likely a typing error, and its value would be lost.
fn check_keys(dict: &Bound<'_, PyDict>, known: &[&str], of: &str, index: u64) -> PyResult<()> {
    for key in dict.keys() {
        let name = key.cast::<PyString>().ok().and_then(|key| key.to_str().ok());
        if name.is_none_or(|name| !known.contains(&name)) {
            return Err(unknown_key(&key, known, of, index));
        }
    }
    Ok(())
}

fn unknown_key(key: &Bound<'_, PyAny>, known: &[&str], of: &str, index: u64) -> PyErr {
    let name = key.cast::<PyString>().ok().and_then(|key| key.to_str().ok());
    let shown = match name {
        Some(name) => format!("{name:?}"),
        None => match key.repr() {
            Ok(text) => text.to_string(),
            Err(error) => return error,
        },
    };
    let message = format!("row {} has a key {shown}{of}; the keys are {}", index + 1, known.join(", "));
    input_error(key.py(), &message)
}

pub fn wrong(object: &Bound<'_, PyAny>, name: &str, expected: &str, index: u64) -> PyErr {
    let class = object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    let row = index + 1;
    input_error(object.py(), &format!("row {row}: {name} is {class}, not {expected}"))
}

pub fn text(value: Option<Bound<'_, PyAny>>, name: &str, index: u64) -> PyResult<Option<String>> {
    match present(value) {
        None => Ok(None),
        // A lone surrogate is not valid Unicode; see `is_not_a_text`.
        Some(value) => match value.cast::<PyString>() {
            Ok(text) => Ok(Some(text.to_str()?.to_owned())),
            Err(_) => Err(wrong(&value, name, "str", index)),
        },
    }
}

/// Return any value as text.
pub fn printed(value: Option<Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    present(value).map(|value| value.str()?.to_str().map(str::to_owned)).transpose()
}

/// Return a lastmod as it is written: text as it is, a datetime with its own offset, a date as a day.
pub fn lastmod(value: Option<Bound<'_, PyAny>>, index: u64) -> PyResult<Option<String>> {
    let Some(value) = present(value) else {
        return Ok(None);
    };
    if value.is_instance_of::<PyDateTime>() || value.is_instance_of::<PyDate>() {
        let text: String = value.call_method0("isoformat")?.extract()?;
        return Ok(match text.strip_suffix("+00:00") {
            Some(utc) => Some(format!("{utc}Z")),
            // The absent time of data frames.
            None => Some(text).filter(|text| text != "NaT"),
        });
    }
    if !value.is_instance_of::<PyString>() {
        return Err(wrong(&value, "lastmod", "str, date or datetime", index));
    }
    text(Some(value), "lastmod", index)
}

pub fn priority(value: Option<Bound<'_, PyAny>>, index: u64) -> PyResult<Option<OwnedPriority>> {
    let Some(value) = present(value) else {
        return Ok(None);
    };
    if value.is_instance_of::<PyString>() {
        return Ok(text(Some(value), "priority", index)?.map(OwnedPriority::Text));
    }
    if let Ok(number) = value.cast_exact::<PyFloat>() {
        return Ok(Some(OwnedPriority::Number(number.value())));
    }
    if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() || value.hasattr("__float__")? {
        return match value.call_method0("__float__") {
            Ok(number) => Ok(Some(OwnedPriority::Number(number.extract()?))),
            // Too large for a float, and in any case for a priority.
            Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
                Ok(Some(OwnedPriority::Number(f64::INFINITY)))
            }
            Err(error) => Err(error),
        };
    }
    Err(wrong(&value, "priority", "a number", index))
}

/// Return the items of a list: objects or dicts with the fields, or plain texts for the field at `plain`. A plain text in
/// place of the list is its only item.
pub fn items<const N: usize>(
    value: Option<Bound<'_, PyAny>>,
    name: &str,
    fields: [&str; N],
    plain: Option<usize>,
    index: u64,
) -> PyResult<Vec<[Option<String>; N]>> {
    if let Some(place) = plain
        && let Some(only) = value.as_ref().filter(|value| value.is_instance_of::<PyString>())
    {
        let mut texts = [const { None }; N];
        texts[place] = text(Some(only.clone()), fields[place], index)?.filter(|text| !text.trim().is_empty());
        if texts[place].as_deref().is_some_and(is_several) {
            let message = format!("row {}: {name} is one text with several URLs: give a list of them", index + 1);
            return Err(input_error(only.py(), &message));
        }
        return Ok(if texts[place].is_some() { vec![texts] } else { Vec::new() });
    }
    listed(value, name, index, |item| match plain {
        Some(slot) if item.is_instance_of::<PyString>() => {
            let mut texts = [const { None }; N];
            texts[slot] = text(Some(item), fields[slot], index)?;
            Ok(texts)
        }
        _ => {
            check_item(&item, name, "a list of dicts or of urlset's own objects", &fields, index)?;
            texts(&item, &fields, index)
        }
    })
}

/// Whether a text is URLs with separators between them. One URL can have another in it, but not behind a separator.
fn is_several(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.match_indices(scheme).any(|(at, _)| text[..at].trim_start().ends_with([',', ';', '|', ' ', '\n', '\t']))
    })
}

/// Return what `make` makes of each item of a list. A single text or dict is refused: it would be split into letters or
/// keys.
pub fn listed<'py, T>(
    value: Option<Bound<'py, PyAny>>,
    name: &str,
    index: u64,
    mut make: impl FnMut(Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let Some(value) = present(value) else {
        return Ok(Vec::new());
    };
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyDict>() {
        return Err(wrong(&value, name, "a list", index));
    }
    let items = value.try_iter().map_err(|_: PyErr| wrong(&value, name, "a list", index))?;
    items.map(|item| make(item?)).collect()
}

/// Check that a value is a dict with only known keys, or an object that has the first of them.
pub fn check_item(item: &Bound<'_, PyAny>, name: &str, expected: &str, known: &[&str], index: u64) -> PyResult<()> {
    match item.cast::<PyDict>() {
        Ok(dict) => check_keys(dict, known, &format!(" in {name}"), index),
        Err(_) if !item.hasattr(known[0])? => Err(wrong(item, name, expected, index)),
        Err(_) => Ok(()),
    }
}

/// Return the texts of a dict or an object, by name.
pub fn texts<const N: usize>(item: &Bound<'_, PyAny>, names: &[&str; N], index: u64) -> PyResult<[Option<String>; N]> {
    let is_dict = item.is_instance_of::<PyDict>();
    let mut texts = [const { None }; N];
    for (value, name) in texts.iter_mut().zip(names) {
        *value = text(field(item, is_dict, name)?, name, index)?;
    }
    Ok(texts)
}
