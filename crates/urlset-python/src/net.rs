//! HTTP: settings and requests from Python, events for Python.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use urlset_net::content;
use urlset_net::event;
use urlset_net::fault::{Fault, FaultKind};
use urlset_net::order::{Bounds, LONGEST, Order};
use urlset_net::proxy::{NoProxy, Proxy};
use urlset_net::settings::Settings;

use crate::interpreter::{Signals, input_error, raised};
use crate::pipe::Pipe;

/// What a transport keeps to. It is made from the attributes of `TransportSettings`.
#[derive(FromPyObject)]
struct TransportSettings {
    ca_file: Option<PathBuf>,
    client_cert: Option<PathBuf>,
    verify: bool,
    http_proxy: Option<String>,
    https_proxy: Option<String>,
    no_proxy: Option<String>,
    http2: bool,
    timeout: f64,
    per_host: usize,
    max_header_bytes: usize,
}

impl TransportSettings {
    fn to_core(&self, py: Python<'_>) -> PyResult<Settings> {
        let proxy =
            |url: &Option<String>| url.as_deref().map(Proxy::parse).transpose().map_err(|error| input_error(py, error));
        Ok(Settings {
            ca_file: self.ca_file.clone(),
            client_cert: self.client_cert.clone(),
            verify: self.verify,
            http_proxy: proxy(&self.http_proxy)?,
            https_proxy: proxy(&self.https_proxy)?,
            no_proxy: NoProxy::parse(self.no_proxy.as_deref().unwrap_or_default()),
            http2: self.http2,
            timeout: seconds(self.timeout),
            per_host: self.per_host,
            max_header_bytes: self.max_header_bytes,
        })
    }
}

/// A time as Python has it, which may be endless.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(LONGEST).min(LONGEST)
}

/// What has become of an exchange.
#[pyclass(frozen, get_all)]
pub struct Event {
    number: u64,
    kind: &'static str,
    status: u16,
    headers: Py<PyTuple>,
    http_version: &'static str,
    address: Option<String>,
    body: Option<Py<PyBytes>>,
    is_cut: bool,
    is_whole: bool,
    received: u64,
    seconds: f64,
    fault: Option<&'static str>,
    message: Option<String>,
}

impl Event {
    fn new(py: Python<'_>, event: event::Event) -> PyResult<Self> {
        let pairs = event.headers.iter().map(|(name, value)| {
            // Source: RFC 9110, section 5.5: what is not ASCII was Latin-1 once, in which each byte is a character.
            let text = value.as_bytes().iter().copied().map(char::from).collect::<String>();
            (PyString::intern(py, name.as_str()), PyString::new(py, &text))
        });
        Ok(Event {
            headers: PyTuple::new(py, pairs.collect::<Vec<_>>())?.unbind(),
            number: event.number,
            kind: event.kind.name(),
            status: event.status,
            http_version: event.http_version(),
            address: event.address.as_ref().map(SocketAddr::ip).map(|address| address.to_string()),
            body: event.body.map(|body| PyBytes::new(py, &body).unbind()),
            is_cut: event.is_cut,
            is_whole: event.is_whole,
            received: event.received,
            seconds: event.seconds,
            fault: event.fault.as_ref().map(|fault| fault.kind).map(FaultKind::name),
            message: event.fault.map(|fault| fault.message),
        })
    }
}

/// HTTP for one thread that takes events, and any number that ask for exchanges.
#[pyclass(frozen, weakref)]
pub struct Transport(urlset_net::Transport);

#[pymethods]
impl Transport {
    /// Raises InputError if a file or the proxy of the settings cannot be used.
    #[new]
    fn new(py: Python<'_>, settings: TransportSettings) -> PyResult<Self> {
        let settings = settings.to_core(py)?;
        urlset_net::Transport::new(settings).map(Transport).map_err(|error| input_error(py, &error))
    }

    /// Start an exchange, with a number that no other one has had. `most` bytes of content come with its only event;
    /// without it, a "head" comes first, and then `pour` says where the body goes. What cannot be sent has "failed".
    #[allow(
        clippy::too_many_arguments,
        reason = "an exchange has so many sides, and Python has no cheap struct for them"
    )]
    #[pyo3(signature = (number, method, url, headers, body, deadline, private, most))]
    fn start(
        &self,
        number: u64,
        method: &str,
        url: &str,
        headers: Vec<(String, String)>,
        body: Option<Vec<u8>>,
        deadline: f64,
        private: bool,
        most: Option<usize>,
    ) -> PyResult<()> {
        let bounds = Bounds { left: seconds(deadline), private, most };
        let order = Order::new(number, method, url, &headers, body, bounds);
        self.0.start(number, order).map_err(raised)
    }

    /// Wait until there are events, `wake` is called, or the time is over. Only one thread may take at a time.
    fn take(&self, py: Python<'_>, seconds: f64) -> PyResult<Vec<Event>> {
        // The locks of the transport are taken with the interpreter held, so that none of them is held during a fork.
        let Some(inbox) = self.0.inbox().map_err(raised)? else { return Ok(Vec::new()) };
        let wait = self::seconds(seconds);
        let events = py.detach(|| inbox.take(wait, &Signals)).map_err(raised)?;
        events.into_iter().map(|event| Event::new(py, event)).collect()
    }

    /// End the wait of `take`: the one that is going on, or else the next.
    fn wake(&self) -> PyResult<()> {
        self.0.wake().map_err(raised)
    }

    /// Pass the body of an exchange that has had its "head" to a pipe, raw, as fast as somebody reads it. The pipe is not
    /// ended: its owner does that after the last event, which says whether the body is whole.
    fn pour(&self, number: u64, pipe: &Pipe) -> PyResult<()> {
        self.0.pour(number, pipe.pipe.clone()).map_err(raised)
    }

    /// Drop an exchange and its connection. There may be events of it that were there before.
    fn cancel(&self, number: u64) -> PyResult<()> {
        self.0.cancel(number).map_err(raised)
    }

    /// End everything, and wait for the thread. What is called later does nothing, but `start`, which raises OSError.
    fn close(&self, py: Python<'_>) {
        let wait = self.0.close();
        py.detach(wait);
    }
}

/// The first bytes of a body without its compression, collected as they come.
#[pyclass]
pub struct Content(Option<content::Content>);

#[pymethods]
impl Content {
    /// `most` bytes are wanted of a body with this Content-Encoding. Raises ValueError if nobody knows that.
    #[new]
    fn new(coding: &str, most: usize) -> PyResult<Self> {
        content::Content::new(coding, most).map(Some).map(Content).map_err(unreadable)
    }

    /// Takes the next bytes. Returns whether more than enough has come. Raises ValueError for what is not of the coding.
    fn feed(&mut self, data: &[u8]) -> PyResult<bool> {
        self.0.as_mut().map_or(Ok(true), |content| content.feed(data)).map_err(unreadable)
    }

    /// Ends the body. Returns what is wanted of it, and whether there is more. Raises ValueError for what is not of the
    /// coding.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, bool)> {
        let ended = self.0.take().map_or_else(|| Ok((Vec::new(), false)), content::Content::finish);
        ended.map(|(body, is_cut)| (PyBytes::new(py, &body), is_cut)).map_err(unreadable)
    }
}

fn unreadable(fault: Fault) -> PyErr {
    PyValueError::new_err(fault.message)
}

/// Whether a text is an address that belongs to the public internet.
#[pyfunction]
pub fn is_public_address(address: &str) -> bool {
    // A zone means something on one machine only, and such networks are not public.
    let bare = address.split('%').next().unwrap_or_default();
    bare.parse::<IpAddr>().is_ok_and(urlset_net::addresses::is_public)
}
