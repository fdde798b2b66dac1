//! The proxy that requests go through, and the hosts that do without it.

use std::net::IpAddr;

use http::HeaderValue;
use http::uri::{Scheme, Uri};

/// A proxy, as its URL says.
#[derive(Clone)]
pub struct Proxy {
    pub host: String,
    pub port: u16,
    /// The proxy itself speaks TLS.
    pub is_secure: bool,
    /// The value of `Proxy-Authorization`.
    pub authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Read the URL of a proxy. The error names neither its user nor its password.
    pub fn parse(url: &str) -> Result<Self, &'static str> {
        const WRONG: &str = "the proxy must be a URL such as http://user:password@host:port";
        let parsed: Uri = url.parse().map_err(|_| WRONG)?;
        let is_secure = match parsed.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            _ => return Err(WRONG),
        };
        let authority = parsed.authority().ok_or(WRONG)?;
        let host = authority.host();
        if host.is_empty() {
            return Err(WRONG);
        }
        let port = authority.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let user = authority.as_str().rsplit_once('@').map(|(user, _)| user);
        let authorization = user.map(basic).transpose().map_err(|_| WRONG)?;
        Ok(Proxy { host: host.to_owned(), port, is_secure, authorization })
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Proxy { host, port, is_secure, .. } = self;
        formatter.debug_struct("Proxy").field("host", host).field("port", port).field("is_secure", is_secure).finish()
    }
}

/// The value of a header that names a user. Source: RFC 7617, section 2.
fn basic(user_info: &str) -> Result<HeaderValue, http::header::InvalidHeaderValue> {
    let (user, password) = user_info.split_once(':').unwrap_or((user_info, ""));
    let mut pair = unquoted(user);
    pair.push(b':');
    pair.extend(unquoted(password));
    let mut value = HeaderValue::from_str(&format!("Basic {}", base64(&pair)))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The bytes that percent-escapes stand for.
fn unquoted(text: &str) -> Vec<u8> {
    let (mut found, bytes, mut at) = (Vec::new(), text.as_bytes(), 0);
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                found.push(byte);
                at += 3;
            }
            None => {
                found.push(bytes[at]);
                at += 1;
            }
        }
    }
    found
}

/// Source: RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Direct {
    All,
    /// A name and those below it, with a port if only that is meant.
    Name(String, Option<u16>),
    /// Addresses that share so many bits with this one.
    Network(IpAddr, u32),
}

/// The hosts that are asked directly, in the form of the environment variable `NO_PROXY`.
#[derive(Debug, Clone, Default)]
pub struct NoProxy(Vec<Direct>);

impl NoProxy {
    /// Read a list with commas or spaces. As with curl, `*` is every host, a name includes those below it whether or
    /// not it begins with a dot, and an address may be one of a network.
    pub fn parse(list: &str) -> Self {
        let items = list.split([',', ' ']).map(str::trim).filter(|item| !item.is_empty());
        NoProxy(items.map(Direct::parse).collect())
    }

    /// Whether a host is asked directly. An address of IPv6 has no brackets here.
    pub fn includes(&self, host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let address = host.parse::<IpAddr>().ok();
        self.0.iter().any(|direct| match direct {
            Direct::All => true,
            Direct::Name(name, only) => {
                only.is_none_or(|only| only == port)
                    && host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Direct::Network(network, bits) => address.is_some_and(|address| shares(address, *network, *bits)),
        })
    }
}

impl Direct {
    fn parse(item: &str) -> Self {
        if item == "*" {
            return Direct::All;
        }
        let (text, bits) = item.split_once('/').map_or((item, None), |(text, bits)| (text, bits.parse().ok()));
        let bare = text.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse::<IpAddr>() {
            let most = if address.is_ipv4() { 32 } else { 128 };
            return Direct::Network(address, bits.unwrap_or(most).min(most));
        }
        let (name, port) = match text.rsplit_once(':').map(|(name, port)| (name, port.parse())) {
            Some((name, Ok(port))) => (name, Some(port)),
            _ => (text, None),
        };
        let name = name.trim_start_matches('*').trim_matches('.').to_ascii_lowercase();
        Direct::Name(name, port)
    }
}

/// Whether the first bits of two addresses are the same.
fn shares(one: IpAddr, other: IpAddr, bits: u32) -> bool {
    match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => {
            (one.to_bits() ^ other.to_bits()).checked_shr(32 - bits).is_none_or(|rest| rest == 0)
        }
        (IpAddr::V6(one), IpAddr::V6(other)) => {
            (one.to_bits() ^ other.to_bits()).checked_shr(128 - bits).is_none_or(|rest| rest == 0)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_has_a_user_and_says_nothing_of_it() {
        let proxy = Proxy::parse("http://al%40ice:p%3Aw%@proxy.example:3128").unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port, proxy.is_secure), ("proxy.example", 3128, false));
        // Python: base64.b64encode(b"al@ice:p:w%")
        assert_eq!(proxy.authorization.as_ref().unwrap(), "Basic YWxAaWNlOnA6dyU=");
        assert!(!format!("{proxy:?}").contains("YWx"));
        assert_eq!(Proxy::parse("https://proxy.example").unwrap().port, 443);
        for wrong in ["", "proxy:3128", "socks5://proxy:1", "http://", "http://user:secret@"] {
            assert!(!Proxy::parse(wrong).unwrap_err().contains("secret"), "{wrong}");
        }
    }

    #[test]
    fn base64_has_the_letters_of_the_standard() {
        // Source: RFC 4648, section 10.
        let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in vectors {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn hosts_without_a_proxy() {
        let direct =
            NoProxy::parse("shop.example, .corp.example,*.dev.example 10.0.0.0/8,[::1],fd00::/8,api.example:8443");
        for (host, port) in [
            ("shop.example", 80),
            ("WWW.shop.example.", 80),
            ("corp.example", 80),
            ("a.corp.example", 80),
            ("a.dev.example", 80),
            ("10.200.1.1", 80),
            ("::1", 80),
            ("fd12::1", 80),
            ("api.example", 8443),
        ] {
            assert!(direct.includes(host, port), "{host}");
        }
        for (host, port) in
            [("myshop.example", 80), ("example", 80), ("11.0.0.1", 80), ("::2", 80), ("api.example", 443), ("", 80)]
        {
            assert!(!direct.includes(host, port), "{host}");
        }
        assert!(NoProxy::parse("*").includes("any.example", 80));
        assert!(NoProxy::parse("0.0.0.0/0").includes("1.2.3.4", 80));
        assert!(!NoProxy::parse("").includes("any.example", 80));
    }
}
