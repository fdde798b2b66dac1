//! What a transport is to keep to.

use std::path::PathBuf;
use std::time::Duration;

use crate::order::Target;
use crate::proxy::{NoProxy, Proxy};

/// What a transport is to keep to.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A PEM file of the authorities to trust, or of the one certificate of a server; the system's without one.
    pub ca_file: Option<PathBuf>,
    /// A PEM file of a certificate with its key, to show to servers that ask for one.
    pub client_cert: Option<PathBuf>,
    /// Whether the certificates of servers are verified.
    pub verify: bool,
    /// The proxy for URLs with http, and the one for URLs with https.
    pub http_proxy: Option<Proxy>,
    pub https_proxy: Option<Proxy>,
    pub no_proxy: NoProxy,
    /// Whether HTTP/2 is offered to servers that speak TLS.
    pub http2: bool,
    /// How long connecting may take, and each wait for bytes.
    pub timeout: Duration,
    /// Connections of a host that are kept while nobody uses them.
    pub per_host: usize,
    /// The most bytes of the headers of an answer.
    pub max_header_bytes: usize,
}

impl Settings {
    /// The proxy that a server is asked through, if it is.
    pub fn proxy_for(&self, target: &Target) -> Option<&Proxy> {
        let proxy = if target.is_secure { &self.https_proxy } else { &self.http_proxy };
        proxy.as_ref().filter(|_| !self.no_proxy.includes(&target.host, target.port))
    }
}
