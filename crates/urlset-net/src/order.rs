//! A request that is to be sent, and the forms in which HTTP writes it.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION};
use http::uri::{Authority, Scheme, Uri};
use http::{Method, Request, Version};
use http_body_util::Full;
use tokio::time::Instant;

use crate::fault::{Fault, FaultKind};
use crate::proxy::Proxy;

/// No exchange takes longer, so that its end can be counted in any clock.
pub const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// The body of a request.
pub type Body = Full<Bytes>;

/// The server of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    pub is_secure: bool,
    /// Without the brackets of an address.
    pub host: String,
    pub port: u16,
}

impl Target {
    /// The address that the URL itself names.
    pub fn literal(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// The host and the port, as a tunnel is asked for.
    pub fn with_port(&self) -> String {
        format!("{}:{}", self.bracketed(), self.port)
    }

    fn bracketed(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }

    /// The host, and the port if it is not the usual one.
    fn authority(&self) -> String {
        let usual = if self.is_secure { 443 } else { 80 };
        if self.port == usual { self.bracketed() } else { self.with_port() }
    }
}

/// An exchange that was asked for.
#[derive(Debug)]
pub struct Order {
    pub number: u64,
    pub method: Method,
    pub target: Target,
    authority: Authority,
    /// The path and the query.
    path: Uri,
    headers: HeaderMap,
    body: Bytes,
    pub deadline: Instant,
    /// Whether addresses that are not of the public internet may be reached.
    pub private: bool,
    /// How many bytes of the content are wanted with the answer; without it, the body is streamed.
    pub most: Option<usize>,
}

/// Which bounds an exchange has.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// How long it may take in all.
    pub left: Duration,
    pub private: bool,
    pub most: Option<usize>,
}

impl Order {
    /// Check what is to be sent. The fault says what HTTP cannot express.
    pub fn new(
        number: u64,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Option<Vec<u8>>,
        bounds: Bounds,
    ) -> Result<Self, Fault> {
        let wrong = |what: &str| Fault::new(FaultKind::Protocol, format!("the request cannot be sent: {what}"));
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| wrong("its method is not a token"))?;
        let uri: Uri = url.parse().map_err(|_| wrong("its URL is not valid"))?;
        let target = target(&uri).map_err(wrong)?;
        let authority = target.authority().parse().map_err(|_| wrong("its host is not valid"))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        // What follows `?` directly behind the host has no path before it.
        let path = if path.starts_with('/') { path.parse() } else { format!("/{path}").parse() };
        let path = path.map_err(|_| wrong("its path is not valid"))?;
        Ok(Order {
            number,
            method,
            headers: header_map(target.authority(), headers).ok_or_else(|| wrong("a header is not valid"))?,
            target,
            authority,
            path,
            body: body.map_or_else(Bytes::new, Bytes::from),
            deadline: Instant::now() + bounds.left.min(LONGEST),
            private: bounds.private,
            most: bounds.most,
        })
    }

    /// The request as HTTP/1.1 sends it to the server itself. Source: RFC 9112, section 3.2.1.
    pub fn for_server(&self) -> Request<Body> {
        self.request(self.path.clone(), self.headers.clone(), Version::HTTP_11)
    }

    /// The request as HTTP/1.1 sends it to a proxy. Source: RFC 9112, section 3.2.2.
    pub fn for_proxy(&self, proxy: &Proxy) -> Request<Body> {
        let mut headers = self.headers.clone();
        if let Some(authorization) = &proxy.authorization {
            headers.insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        self.request(self.whole_url(Scheme::HTTP), headers, Version::HTTP_11)
    }

    /// The request as HTTP/2 sends it, which has no `Host`. Source: RFC 9113, sections 8.2.2 and 8.3.1.
    pub fn for_http2(&self) -> Request<Body> {
        let mut headers = self.headers.clone();
        for name in [HOST, http::header::CONNECTION, http::header::TRANSFER_ENCODING, http::header::UPGRADE] {
            headers.remove(name);
        }
        self.request(self.whole_url(Scheme::HTTPS), headers, Version::HTTP_2)
    }

    fn whole_url(&self, scheme: Scheme) -> Uri {
        let mut parts = self.path.clone().into_parts();
        parts.scheme = Some(scheme);
        parts.authority = Some(self.authority.clone());
        Uri::from_parts(parts).unwrap_or_else(|_| self.path.clone())
    }

    fn request(&self, uri: Uri, headers: HeaderMap, version: Version) -> Request<Body> {
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        *request.version_mut() = version;
        request
    }
}

/// The server of a URL, without the user that it may name.
fn target(uri: &Uri) -> Result<Target, &'static str> {
    let is_secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => return Err("its scheme is neither http nor https"),
    };
    let host = uri.host().unwrap_or_default();
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    // An address in brackets may have a zone, which means something on one machine only.
    if bare.is_some_and(|bare| bare.parse::<std::net::Ipv6Addr>().is_err()) {
        return Err("its host is not an address that can be dialled");
    }
    let host = bare.unwrap_or(host).to_ascii_lowercase();
    if host.is_empty() || host.contains('%') {
        return Err("its host is not valid");
    }
    let port = match uri.authority().and_then(|authority| authority.as_str().rsplit_once(':')) {
        Some((_, port)) if !port.is_empty() && !port.contains(']') => {
            port.parse().map_err(|_| "its port is not valid")?
        }
        _ if is_secure => 443,
        _ => 80,
    };
    Ok(Target { is_secure, host, port })
}

/// The headers, of which each character is one byte. Source: RFC 9110, section 5.5.
fn header_map(authority: String, pairs: &[(String, String)]) -> Option<HeaderMap> {
    let mut headers = HeaderMap::with_capacity(pairs.len() + 1);
    headers.insert(HOST, HeaderValue::try_from(authority).ok()?);
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let bytes: Option<Vec<u8>> = value.chars().map(|letter| u8::try_from(letter).ok()).collect();
        let value = HeaderValue::from_bytes(&bytes?).ok()?;
        if name == HOST {
            headers.insert(name, value);
        } else {
            headers.try_append(name, value).ok()?;
        }
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(url: &str) -> Result<Order, Fault> {
        let bounds = Bounds { left: LONGEST, private: false, most: None };
        Order::new(1, "GET", url, &[("X-Name".into(), "caf\u{e9}".into())], None, bounds)
    }

    #[test]
    fn each_form_of_a_request_names_the_server() {
        let order = order("https://user:secret@[2606:2800::1]:8443?q=1").unwrap();
        assert_eq!(order.target.with_port(), "[2606:2800::1]:8443");
        let (server, shared) = (order.for_server(), order.for_http2());
        assert_eq!(server.uri(), "/?q=1");
        assert_eq!(server.headers()[HOST], "[2606:2800::1]:8443");
        assert_eq!(server.headers()["x-name"].as_bytes(), b"caf\xe9");
        assert_eq!(shared.uri(), "https://[2606:2800::1]:8443/?q=1");
        assert!(!shared.headers().contains_key(HOST));
        let proxy = Proxy::parse("http://al:ice@proxy:3128").unwrap();
        let proxied = self::order("http://Shop.example:80/a%20b#").unwrap().for_proxy(&proxy);
        assert_eq!(proxied.uri(), "http://shop.example/a%20b");
        assert_eq!(proxied.headers()[HOST], "shop.example");
        assert_eq!(proxied.headers()[PROXY_AUTHORIZATION], "Basic YWw6aWNl");
        assert!(!format!("{:?}", proxied.headers()).contains("YWw6"));
    }

    #[test]
    fn what_is_no_server_is_refused() {
        for url in
            ["", "/path", "ftp://e.com/", "http://", "http://e.com:99999/", "http://e.com:x/", "http://[fe80::1%25a]/"]
        {
            assert!(order(url).unwrap_err().message.starts_with("the request cannot be sent: "), "{url}");
        }
        assert_eq!(order("http://e.com:/").unwrap().target.port, 80);
    }
}
