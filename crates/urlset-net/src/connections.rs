//! Connections: made when one is needed, and kept for the next request of the same server.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use tokio::sync::Mutex;
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::{Instant, timeout};

use crate::addresses::is_public;
use crate::dial::{reach, refused};
use crate::fault::Fault;
use crate::order::{Body, Order, Target};
use crate::patience::{Patience, Pulse};
use crate::settings::Settings;
use crate::tls::Tls;
use crate::wire::Wire;

/// How long a connection is kept while nobody uses it.
const MAX_IDLE: Duration = Duration::from_secs(30);
/// Connections that are kept while nobody uses them, of all hosts.
const MAX_KEPT: usize = 256;
/// How long a connection may take until it is ready for the next request.
const SETTLING: Duration = Duration::from_secs(1);
/// Bytes that a server may send by HTTP/2 before they are read: of one answer, and of all on a connection. An answer
/// that waits holds at most its own share, so that the others go on.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 16 << 20;
/// The least that HTTP/1 may read at once.
const MIN_BUFFER: usize = 64 << 10;
/// Headers of one answer. Each parse makes room for so many, also those of the endless answers of a hostile server.
const MAX_HEADERS: usize = 1_024;

/// Runs as long as somebody holds it.
struct Driver(AbortHandle);

impl Driver {
    fn spawn(connection: impl Future + 'static) -> Self {
        Driver(spawn_local(async move { drop(connection.await) }).abort_handle())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A connection that one request uses at a time.
pub struct Http1 {
    pub sender: http1::SendRequest<Body>,
    pub address: SocketAddr,
    pub pulse: Pulse,
    pub is_reused: bool,
    /// Requests name the whole URL: the other end is a proxy.
    pub is_proxied: bool,
    key: Target,
    _driver: Driver,
}

/// A connection that requests share.
#[derive(Clone)]
pub struct Http2 {
    pub sender: http2::SendRequest<Body>,
    pub address: SocketAddr,
    pub is_reused: bool,
    key: Target,
    last_used: Instant,
    driver: Rc<Driver>,
}

/// A connection for a request.
pub enum Connection {
    One(Http1),
    Two(Http2),
}

#[derive(Default)]
struct Host {
    /// The connection used last stands last.
    idle: Vec<(Instant, Http1)>,
    shared: Option<Http2>,
    /// Held while a connection is made that others may share.
    making: Arc<Mutex<()>>,
    is_http1: bool,
}

/// The connections of a transport.
pub struct Connections {
    settings: Arc<Settings>,
    tls: Arc<Tls>,
    hosts: RefCell<HashMap<Target, Host>>,
    /// Idle connections of all hosts, with some that have closed since the last sweep.
    kept: Cell<usize>,
}

impl Connections {
    pub fn new(settings: Arc<Settings>, tls: Arc<Tls>) -> Self {
        Connections { settings, tls, hosts: RefCell::default(), kept: Cell::new(0) }
    }

    /// Take a connection for an order: one that is kept, unless it `is_fresh`, or a new one.
    pub async fn open(&self, order: &Order, is_fresh: bool, patience: &mut Patience) -> Result<Connection, Fault> {
        let target = &order.target;
        let proxy = self.settings.proxy_for(target);
        if let (Some(_), false, Some(address)) = (proxy, order.private, target.literal())
            && !is_public(address)
        {
            return Err(refused(&target.host, address)); // a name is known to the proxy alone
        }
        // What is said to a proxy in clear text may go to any server behind it.
        let key = match proxy {
            Some(proxy) if !target.is_secure => Target { is_secure: false, host: proxy.host.clone(), port: proxy.port },
            _ => target.clone(),
        };
        let is_allowed = |address: IpAddr| order.private || proxy.is_some() || is_public(address);
        if !is_fresh {
            while let Some(mut kept) = self.take_idle(&key, is_allowed) {
                if patience.wait(None, kept.sender.ready()).await?.is_ok() {
                    return Ok(Connection::One(kept));
                }
            }
        }
        let may_share = target.is_secure && self.settings.http2 && !self.is_http1(&key);
        let mut making = match may_share.then(|| self.making(&key)) {
            Some(making) => Some(patience.wait_until_deadline(making.lock_owned()).await?),
            None => None,
        };
        if self.is_http1(&key) {
            making = None; // whoever made the first connection has found out, and nobody need wait for anybody
        }
        if let Some(shared) = self.shared(&key, is_allowed) {
            return Ok(Connection::Two(shared));
        }
        let reached = reach(order, proxy, &self.tls, patience).await?;
        let pulse = Pulse::new();
        let wire = Wire::new(reached.stream, pulse.clone());
        if reached.is_http2 {
            let two = self.share(key, wire, reached.address, patience).await?;
            return Ok(Connection::Two(two));
        }
        if may_share {
            self.hosts.borrow_mut().entry(key.clone()).or_default().is_http1 = true;
        }
        drop(making);
        let (sender, connection) = self.http1().handshake(TokioIo::new(wire)).await.map_err(|error| broken(&error))?;
        let driver = Driver::spawn(connection);
        let is_proxied = proxy.is_some() && !target.is_secure;
        let address = reached.address;
        Ok(Connection::One(Http1 { sender, address, pulse, is_reused: false, is_proxied, key, _driver: driver }))
    }

    fn http1(&self) -> http1::Builder {
        let most = self.settings.max_header_bytes;
        let mut builder = http1::Builder::new();
        builder
            .title_case_headers(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .max_headers(MAX_HEADERS)
            .max_header_size(most)
            .max_buf_size(MIN_BUFFER.max(most));
        builder
    }

    async fn share(
        &self,
        key: Target,
        wire: Wire,
        address: SocketAddr,
        patience: &mut Patience,
    ) -> Result<Http2, Fault> {
        let mut builder = http2::Builder::new(Spawner);
        let most = u32::try_from(self.settings.max_header_bytes).unwrap_or(u32::MAX);
        builder
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(most);
        let (sender, connection) =
            patience.wait(None, builder.handshake(TokioIo::new(wire))).await?.map_err(|error| broken(&error))?;
        let driver = Rc::new(Driver::spawn(connection));
        let shared = Http2 { sender, address, is_reused: false, key: key.clone(), last_used: Instant::now(), driver };
        self.hosts.borrow_mut().entry(key).or_default().shared = Some(shared.clone());
        Ok(shared)
    }

    /// Take the connection of a host that was used last, if its address may be reached.
    fn take_idle(&self, key: &Target, is_allowed: impl Fn(IpAddr) -> bool) -> Option<Http1> {
        let mut hosts = self.hosts.borrow_mut();
        let idle = &mut hosts.get_mut(key)?.idle;
        idle.retain(|(since, kept)| !kept.sender.is_closed() && since.elapsed() < MAX_IDLE);
        let at = idle.iter().rposition(|(_, kept)| is_allowed(kept.address.ip()))?;
        let (_, mut kept) = idle.remove(at);
        self.kept.set(self.kept.get().saturating_sub(1));
        kept.is_reused = true;
        Some(kept)
    }

    fn shared(&self, key: &Target, is_allowed: impl Fn(IpAddr) -> bool) -> Option<Http2> {
        let mut hosts = self.hosts.borrow_mut();
        let shared = &mut hosts.get_mut(key)?.shared;
        if shared.as_ref().is_some_and(|shared| shared.sender.is_closed()) {
            *shared = None;
        }
        let found = shared.as_mut().filter(|shared| is_allowed(shared.address.ip()))?;
        found.last_used = Instant::now();
        Some(Http2 { is_reused: true, ..found.clone() })
    }

    fn is_http1(&self, key: &Target) -> bool {
        self.hosts.borrow().get(key).is_some_and(|host| host.is_http1)
    }

    fn making(&self, key: &Target) -> Arc<Mutex<()>> {
        self.hosts.borrow_mut().entry(key.clone()).or_default().making.clone()
    }

    /// A shared connection takes no more requests.
    pub fn forget(&self, broken: &Http2) {
        if let Some(host) = self.hosts.borrow_mut().get_mut(&broken.key) {
            host.shared.take_if(|shared| Rc::ptr_eq(&shared.driver, &broken.driver));
        }
    }

    /// Keep a connection whose answer has ended.
    pub fn keep(self: &Rc<Self>, mut used: Http1) {
        if used.sender.is_ready() {
            self.put(used);
            return;
        }
        if used.sender.is_closed() {
            return;
        }
        let connections = self.clone();
        spawn_local(async move {
            if let Ok(Ok(())) = timeout(SETTLING, used.sender.ready()).await {
                connections.put(used);
            }
        });
    }

    fn put(&self, used: Http1) {
        if self.settings.per_host == 0 {
            return;
        }
        if self.kept.get() >= MAX_KEPT {
            self.close_older_half();
        }
        let mut hosts = self.hosts.borrow_mut();
        let idle = &mut hosts.entry(used.key.clone()).or_default().idle;
        if idle.len() >= self.settings.per_host {
            idle.remove(0);
        } else {
            self.kept.set(self.kept.get() + 1);
        }
        idle.push((Instant::now(), used));
    }

    /// Make room at once for many, so that keeping one need not look through all hosts.
    fn close_older_half(&self) {
        let mut hosts = self.hosts.borrow_mut();
        let mut times: Vec<Instant> = hosts.values().flat_map(|host| &host.idle).map(|(since, _)| *since).collect();
        let middle = times.len() / 2;
        if middle < times.len() {
            let (_, middle, _) = times.select_nth_unstable(middle);
            hosts.values_mut().for_each(|host| host.idle.retain(|(since, _)| since > middle));
        }
        self.kept.set(hosts.values().map(|host| host.idle.len()).sum());
    }

    /// Close what has been idle for too long, and forget hosts without a connection.
    pub fn sweep(&self) {
        self.hosts.borrow_mut().retain(|_, host| {
            host.idle.retain(|(since, kept)| !kept.sender.is_closed() && since.elapsed() < MAX_IDLE);
            // Whoever uses it holds its driver, too.
            host.shared.take_if(|shared| {
                shared.sender.is_closed()
                    || (Rc::strong_count(&shared.driver) == 1 && shared.last_used.elapsed() >= MAX_IDLE)
            });
            !host.idle.is_empty() || host.shared.is_some() || Arc::strong_count(&host.making) > 1
        });
        self.kept.set(self.hosts.borrow().values().map(|host| host.idle.len()).sum());
    }
}

/// What a handshake of HTTP failed of.
fn broken(error: &hyper::Error) -> Fault {
    Fault::protocol(&error.to_string())
}

/// Runs the parts of HTTP/2 on the thread of the transport.
#[derive(Clone)]
struct Spawner;

impl<F: Future<Output = ()> + 'static> hyper::rt::Executor<F> for Spawner {
    fn execute(&self, future: F) {
        spawn_local(future);
    }
}
