//! Rows of usual objects, which are lent without a copy: texts, dicts with only the fields of the protocol, and entries
//! without extensions. All others are left to [`Owned`](super::Owned), which takes any object, and says what is wrong with
//! it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFloat, PyString, PyTuple, PyType};
use urlset_core::read::Kind;
use urlset_core::value::calendar::{DAY_MICROS, days_from_civil};
use urlset_core::write::{Lastmod, Priority, Row};

use crate::slotted::Getter;

/// The classes of such objects, and how their values are read.
pub struct UsualObjects {
    entry: Py<PyType>,
    fields: EntryFields,
    keys: [Py<PyString>; 4],
    instants: Instants,
}

/// The fields of an entry.
struct EntryFields {
    loc: Getter,
    lastmod: Getter,
    lastmod_raw: Getter,
    changefreq: Getter,
    priority: Getter,
    lists: [Getter; 3],
    news: Getter,
}

/// The values of a row.
pub struct UsualValues<'py> {
    kind: Option<Kind>,
    loc: Bound<'py, PyString>,
    lastmod: Option<UsualLastmod<'py>>,
    changefreq: Option<Bound<'py, PyString>>,
    priority: Option<f64>,
}

enum UsualLastmod<'py> {
    Text(Bound<'py, PyString>),
    Instant(i64),
    Day(i32),
}

impl UsualObjects {
    pub fn get(py: Python<'_>) -> PyResult<&UsualObjects> {
        static OBJECTS: PyOnceLock<UsualObjects> = PyOnceLock::new();
        OBJECTS.get_or_try_init(py, || {
            let entry = py.import("urlset._model.entries")?.getattr("UrlEntry")?.cast_into::<PyType>()?;
            let field = |name| Getter::of(&entry, name);
            Ok(UsualObjects {
                fields: EntryFields {
                    loc: field("loc")?,
                    lastmod: field("lastmod")?,
                    lastmod_raw: field("lastmod_raw")?,
                    changefreq: field("changefreq")?,
                    priority: field("priority")?,
                    lists: [field("images")?, field("videos")?, field("alternates")?],
                    news: field("news")?,
                },
                entry: entry.unbind(),
                keys: KEYS.map(|key| PyString::intern(py, key).unbind()),
                instants: Instants::new(py)?,
            })
        })
    }

    /// Return the values of an object; None if it is not a usual one.
    #[inline(always)]
    pub fn values<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Option<UsualValues<'py>>> {
        if object.get_type_ptr() == self.entry.as_ptr().cast() {
            return self.of_entry(object);
        }
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            return self.of_dict(dict);
        }
        let Ok(loc) = object.cast_exact::<PyString>() else { return Ok(None) };
        Ok(Some(UsualValues { kind: None, loc: loc.clone(), lastmod: None, changefreq: None, priority: None }))
    }

    #[inline(always)]
    fn of_entry<'py>(&self, entry: &Bound<'py, PyAny>) -> PyResult<Option<UsualValues<'py>>> {
        let fields = &self.fields;
        for list in &fields.lists {
            if !list.get(entry)?.cast_exact::<PyTuple>().is_ok_and(|items| items.is_empty()) {
                return Ok(None);
            }
        }
        if !fields.news.get(entry)?.is_none() {
            return Ok(None);
        }
        let raw = fields.lastmod_raw.get(entry)?;
        // An entry has either both or none.
        if raw.is_none() && !fields.lastmod.get(entry)?.is_none() {
            return Ok(None);
        }
        let (loc, changefreq) = (fields.loc.get(entry)?, fields.changefreq.get(entry)?);
        let (Ok(loc), Some(raw), Some(changefreq), Some(priority)) =
            (loc.cast_into_exact(), text(&raw), text(&changefreq), number(&fields.priority.get(entry)?))
        else {
            return Ok(None);
        };
        let lastmod = raw.map(UsualLastmod::Text);
        Ok(Some(UsualValues { kind: Some(Kind::Urlset), loc, lastmod, changefreq, priority }))
    }

    #[inline(always)]
    fn of_dict<'py>(&self, dict: &Bound<'py, PyDict>) -> PyResult<Option<UsualValues<'py>>> {
        let (mut loc, mut lastmod, mut changefreq, mut priority) = (None, None, None, None);
        for (key, value) in dict.iter() {
            let Some(known) = self.position(&key) else { return Ok(None) };
            let is_taken = match known {
                0 => text(&value).map(|text| loc = text),
                1 => self.instants.lastmod(&value)?.map(|value| lastmod = value),
                2 => text(&value).map(|text| changefreq = text),
                _ => number(&value).map(|number| priority = number),
            };
            if is_taken.is_none() {
                return Ok(None);
            }
        }
        Ok(loc.map(|loc| UsualValues { kind: None, loc, lastmod, changefreq, priority }))
    }

    /// Return the position of a key in [`KEYS`]. Those that a program writes down are the objects that we have.
    #[inline(always)]
    fn position(&self, key: &Bound<'_, PyAny>) -> Option<usize> {
        self.keys.iter().position(|known| known.is(key)).or_else(|| {
            let name = key.cast_exact::<PyString>().ok()?.to_str().ok()?;
            KEYS.iter().position(|known| *known == name)
        })
    }
}

/// The keys of a dict, in the order of [`UsualObjects::keys`].
const KEYS: [&str; 4] = ["loc", "lastmod", "changefreq", "priority"];

/// Return a value that is a text, or absent; None if it is neither.
#[inline(always)]
fn text<'py>(value: &Bound<'py, PyAny>) -> Option<Option<Bound<'py, PyString>>> {
    match value.cast_exact::<PyString>() {
        Ok(text) => Some(Some(text.clone())),
        Err(_) => value.is_none().then_some(None),
    }
}

/// Return a value that is a number, or absent; None if it is neither.
#[inline(always)]
fn number(value: &Bound<'_, PyAny>) -> Option<Option<f64>> {
    match value.cast_exact::<PyFloat>() {
        Ok(number) => Some(Some(number.value())).filter(|number| !number.is_some_and(f64::is_nan)),
        Err(_) => value.is_none().then_some(None),
    }
}

impl UsualValues<'_> {
    /// Return the row; None if a text of it is not Unicode.
    #[inline(always)]
    pub fn row(&self) -> Option<Row<'_>> {
        let lastmod = match &self.lastmod {
            None => None,
            Some(UsualLastmod::Text(text)) => Some(Lastmod::Text(text.to_str().ok()?)),
            Some(UsualLastmod::Instant(micros)) => Some(Lastmod::Instant(*micros)),
            Some(UsualLastmod::Day(days)) => Some(Lastmod::Day(*days)),
        };
        let changefreq = match &self.changefreq {
            None => None,
            Some(word) => Some(word.to_str().ok()?),
        };
        let loc = self.loc.to_str().ok()?;
        Some(Row {
            kind: self.kind,
            loc,
            lastmod,
            changefreq,
            priority: self.priority.map(Priority::Number),
            ..Row::default()
        })
    }
}

/// Dates, and datetimes in UTC, by the functions in which their attributes end: a call of `isoformat` takes many times as
/// long.
struct Instants {
    date: Py<PyType>,
    datetime: Py<PyType>,
    utc: Py<PyAny>,
    day: [Getter; 3],
    time: [Getter; 4],
    zone: Getter,
}

impl Instants {
    fn new(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("datetime")?;
        let class = |name| PyResult::Ok(module.getattr(name)?.cast_into::<PyType>()?);
        let (date, datetime) = (class("date")?, class("datetime")?);
        let (of_date, of_datetime) = (|name| Getter::of(&date, name), |name| Getter::of(&datetime, name));
        Ok(Instants {
            day: [of_date("year")?, of_date("month")?, of_date("day")?],
            time: [of_datetime("hour")?, of_datetime("minute")?, of_datetime("second")?, of_datetime("microsecond")?],
            zone: of_datetime("tzinfo")?,
            utc: module.getattr("timezone")?.getattr("utc")?.unbind(),
            date: date.unbind(),
            datetime: datetime.unbind(),
        })
    }

    /// Return a lastmod; None if it is of another kind.
    #[inline(always)]
    fn lastmod<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Option<Option<UsualLastmod<'py>>>> {
        let class = value.get_type_ptr();
        let is_instant = class == self.datetime.as_ptr().cast();
        if !is_instant && class != self.date.as_ptr().cast() {
            return Ok(text(value).map(|text| text.map(UsualLastmod::Text)));
        }
        if is_instant && !self.zone.get(value)?.is(&self.utc) {
            return Ok(None);
        }
        let [year, month, day] = &self.day;
        let days = days_from_civil(year.number(value)?, month.number(value)? as u32, day.number(value)? as u32);
        if !is_instant {
            return Ok(Some(Some(UsualLastmod::Day(days as i32))));
        }
        let [hour, minute, second, micro] = &self.time;
        let seconds = (hour.number(value)? * 60 + minute.number(value)?) * 60 + second.number(value)?;
        let micros = days * DAY_MICROS + seconds * 1_000_000 + micro.number(value)?;
        Ok(Some(Some(UsualLastmod::Instant(micros))))
    }
}
