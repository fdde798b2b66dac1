//! robots.txt.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::UInt32Type;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use urlset_core::robots::{self, Census, Crawler, Finder, Sites, Tally, Target};

use crate::table::table_reader;

/// A line that states something: its number, its group, its field, its key, its value, whether nothing is odd about how it
/// is written, whether it has a colon, whether it is cut off, the User-agent line whose group it joins over a record
/// that is not a rule, and what is wrong with its value. A tuple, because a robots.txt can have tens of thousands.
type Row<'r> = (
    u32,
    Option<u32>,
    Option<&'static str>,
    &'r str,
    &'r str,
    bool,
    bool,
    bool,
    Option<u32>,
    Option<Cow<'static, str>>,
);

/// The fields that are known, as they are usually written, each with whether it is about the whole file.
#[pyfunction]
pub fn robots_fields() -> Vec<(&'static str, bool)> {
    robots::Field::ALL.iter().map(|(field, name)| (*name, field.is_of_file())).collect()
}

/// Return the preferences that the value of a record states, each a name and an answer.
#[pyfunction]
pub fn robots_pairs(value: &str) -> Vec<(&str, &str)> {
    robots::pairs(value).collect()
}

/// A robots.txt. Any bytes are one.
#[pyclass(frozen)]
pub struct Robots {
    inner: robots::Robots,
}

#[pymethods]
impl Robots {
    /// How many bytes count.
    #[classattr]
    const MAX_BYTES: usize = robots::MAX_BYTES;

    #[new]
    fn new(py: Python<'_>, data: &[u8]) -> Self {
        Robots { inner: py.detach(|| robots::Robots::new(data)) }
    }

    /// The first so many of the lines that state something.
    fn rows(&self, most: usize) -> Vec<Row<'_>> {
        let rows = self.inner.rows.iter().take(most);
        rows.map(|row| {
            let field = row.field.map(robots::Field::name);
            let is_plain = row.is_plain();
            let (key, value, problem) = (&*row.key, &*row.value, row.problem());
            (row.number, row.group, field, key, value, is_plain, row.has_colon, row.is_cut, row.joins, problem)
        })
        .collect()
    }

    /// How many lines state something.
    fn __len__(&self) -> usize {
        self.inner.rows.len()
    }

    /// Whether it has more bytes than count.
    #[getter]
    fn is_cut(&self) -> bool {
        self.inner.is_cut
    }

    /// Whether it begins as UTF-16 does.
    #[getter]
    fn is_utf_16(&self) -> bool {
        self.inner.is_utf_16
    }

    /// The values of its Sitemap lines.
    #[getter]
    fn sitemaps(&self) -> Vec<&str> {
        self.inner.sitemaps().collect()
    }

    /// The crawlers that it names, each as it is first written.
    #[getter]
    fn agents(&self) -> Vec<&str> {
        self.inner.named().iter().map(|each| each.name.as_str()).collect()
    }

    /// What it says to a crawler.
    fn crawler(&self, agent: &str) -> RobotsCrawler {
        RobotsCrawler { inner: Arc::new(self.inner.crawler(agent)) }
    }

    /// A line as it is usually written, by its number.
    fn written(&self, line: u32) -> Option<String> {
        self.inner.written(line)
    }

    /// Begin to count what it says about URLs to each crawler that it names.
    fn census(&self, py: Python<'_>) -> RobotsCensus {
        RobotsCensus { inner: Mutex::new(py.detach(|| self.inner.census())) }
    }
}

/// What a robots.txt says to one crawler.
#[pyclass(frozen)]
pub struct RobotsCrawler {
    inner: Arc<Crawler>,
}

#[pymethods]
impl RobotsCrawler {
    /// Seconds between two requests.
    #[getter]
    fn delay(&self) -> Option<f64> {
        self.inner.delay
    }

    /// Whether no rule is for it.
    #[getter]
    fn is_free(&self) -> bool {
        self.inner.is_free()
    }

    /// The number of the line that disallows a URL; None if it is allowed.
    fn disallowing(&self, url: &str) -> Option<u32> {
        self.inner.disallowing(&Target::of(url))
    }
}

/// How many URLs, and the first of them.
type Count = (u64, Option<String>);

/// Counts of what a robots.txt says to each crawler that it names.
#[pyclass(frozen)]
pub struct RobotsCensus {
    inner: Mutex<Census>,
}

#[pymethods]
impl RobotsCensus {
    /// Count URLs.
    fn take(&self, py: Python<'_>, urls: Vec<PyBackedStr>) {
        py.detach(|| {
            let mut census = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            urls.iter().for_each(|url| census.take(url));
        });
    }

    /// What each crawler must not fetch, in the order of `Robots.agents`.
    fn crawlers(&self) -> Vec<Count> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).crawlers().map(count).collect()
    }

    /// What each line disallows, by its number.
    fn lines(&self) -> Vec<(u32, Count)> {
        let census = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        census.lines().map(|(line, tally)| (line, count(tally))).collect()
    }
}

fn count(tally: &Tally) -> Count {
    (tally.urls, tally.example.clone())
}

/// The robots.txt files of several sites, each with what it says to the same crawlers.
#[pyclass(frozen)]
pub struct RobotsSites {
    inner: Arc<Sites<Vec<Arc<Crawler>>>>,
}

#[pymethods]
impl RobotsSites {
    /// Sites by their schemes, which may be unknown, and their hosts, as `url_origin` has them.
    #[new]
    fn new(sites: Vec<(Option<String>, String, Vec<Py<RobotsCrawler>>)>) -> Self {
        let mut found = Sites::default();
        for (scheme, host, crawlers) in sites {
            found.insert(scheme, host, crawlers.iter().map(|each| each.get().inner.clone()).collect());
        }
        RobotsSites { inner: Arc::new(found) }
    }

    /// The URLs of a table that some of the crawlers must not fetch. Its columns are two numbers and the URL.
    fn refused(&self, table: &Bound<'_, PyAny>) -> PyResult<Refused> {
        let reader = table_reader(table)?.map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Refused { sites: self.inner.clone(), reader: Mutex::new(reader) })
    }
}

/// The two numbers and the URL of a row, and which of the crawlers must not fetch it.
type Refusal = (u32, u32, String, Vec<usize>);

/// What is refused, by batches of the table.
#[pyclass(frozen)]
pub struct Refused {
    sites: Arc<Sites<Vec<Arc<Crawler>>>>,
    reader: Mutex<RecordBatchStreamReader>,
}

#[pymethods]
impl Refused {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Vec<Refusal>>> {
        py.detach(|| {
            let batch = self.reader.lock().unwrap_or_else(PoisonError::into_inner).next();
            batch.transpose().map(|batch| batch.map(|batch| refused(&self.sites, &batch)))
        })
        .map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

fn refused(sites: &Sites<Vec<Arc<Crawler>>>, batch: &RecordBatch) -> Vec<Refusal> {
    let (first, second) = (batch.column(0).as_primitive::<UInt32Type>(), batch.column(1).as_primitive::<UInt32Type>());
    let urls = batch.column(2).as_string::<i32>();
    let mut finder = Finder::new(sites);
    let mut found = Vec::new();
    for (at, url) in urls.iter().enumerate().filter_map(|(at, url)| Some((at, url?))) {
        let Some(crawlers) = finder.of(url).filter(|all| all.iter().any(|each| !each.is_free())) else { continue };
        let target = Target::of(url);
        let refusing = crawlers.iter().enumerate().filter(|(_, crawler)| crawler.disallowing(&target).is_some());
        let agents: Vec<usize> = refusing.map(|(agent, _)| agent).collect();
        if !agents.is_empty() {
            found.push((first.value(at), second.value(at), url.to_owned(), agents));
        }
    }
    found
}
