//! Hosts: which texts are one, which of them are the same, and which of them nobody outside can reach.
//!
//! Sources: RFC 3986, section 3.2.2, for what is in brackets; RFC 1034, section 3.1, for the lengths of a name and its
//! labels; URL Standard (WHATWG), "host parsing", for letters beyond ASCII, escapes and numbers, as clients read them.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::Host;

/// Most bytes of a label, and of a name.
const LABEL: usize = 63;
const NAME: usize = 253;

/// Whether a text without its port is a host.
pub fn is_host(text: &str) -> bool {
    is_usual(text.as_bytes()) || canonical(text).is_some()
}

/// Whether a text is a name as nearly every host is: labels of small letters, digits, `-` and `_`, the last of which
/// begins with a letter.
#[inline]
pub fn is_usual(text: &[u8]) -> bool {
    let (mut length, mut first) = (0, b'0');
    for byte in text {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => {
                first = if length == 0 { *byte } else { first };
                length += 1;
            }
            b'.' if (1..=LABEL).contains(&length) => length = 0,
            _ => return false,
        }
    }
    (1..=LABEL).contains(&length) && text.len() <= NAME && first.is_ascii_lowercase()
}

/// Return a host as all of its spellings have in common: in small letters, beyond ASCII as `xn--`, an address in its
/// shortest form. None if it is not a host.
pub fn canonical(text: &str) -> Option<String> {
    if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && address.starts_with(['v', 'V'])
    {
        return is_future(address).then(|| text.to_ascii_lowercase());
    }
    // The standard allows them, and nobody has such a name.
    if text.contains(['"', '`', '{', '}']) {
        return None;
    }
    match Host::parse(text).ok()? {
        Host::Domain(name) => {
            let bare = name.strip_suffix('.').unwrap_or(&name);
            let is_name = bare.len() <= NAME && bare.split('.').all(|label| (1..=LABEL).contains(&label.len()));
            is_name.then_some(name)
        }
        address => Some(address.to_string()),
    }
}

/// Whether two hosts are the same.
pub fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || canonical(one).is_some_and(|one| canonical(other).is_some_and(|other| one == other))
}

/// Whether the text inside of brackets is an address of a future version. Source: RFC 3986, section 3.2.2, IPvFuture.
fn is_future(address: &str) -> bool {
    let Some((version, rest)) = address[1..].split_once('.') else { return false };
    let is_digits = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:".contains(&byte);
    is_digits && !rest.is_empty() && rest.bytes().all(is_allowed)
}

/// Whether a host is one that a crawler cannot reach: a name without a dot, a name that is not resolved on the Internet,
/// or an address of a private network or of the machine itself.
///
/// Sources: RFC 6761 (localhost, test, invalid), RFC 6762 (local), RFC 8375 (home.arpa), ICANN's reservation of `internal`;
/// RFC 6890 for the addresses. `example` is left out, because documentation and tests need it.
pub fn is_private(text: &str) -> bool {
    const ENDS: [&str; 6] = ["localhost", "test", "invalid", "local", "internal", "home.arpa"];
    let Some(host) = canonical(text) else { return false };
    match Host::parse(&host) {
        Ok(Host::Ipv4(address)) => is_private_v4(address),
        Ok(Host::Ipv6(address)) => is_private_v6(address),
        Ok(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            let is_below =
                |end: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            !name.contains('.') || ENDS.into_iter().any(is_below)
        }
        Err(_) => false,
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    first == 0 || is_shared || address.is_private() || address.is_loopback() || address.is_link_local()
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let first = address.segments()[0];
    let is_local = first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80;
    is_local || address.is_loopback() || address.is_unspecified() || address.to_ipv4_mapped().is_some_and(is_private_v4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_what_is_none() {
        let (label, long) = ("a".repeat(63), format!("{}a.com", "a.".repeat(124)));
        for host in [
            "example.com",
            "a",
            "a_b.example",
            "-a.com",
            "xn--mnchen-3ya.example",
            "EXAMPLE.com",
            "example.com.",
            "münchen.example",
            "%65xample.com",
            "1.2.3.4",
            "0x7f.1",
            "a.1b",
            "[::1]",
            "[2001:DB8::1]",
            "[::ffff:1.2.3.4]",
            "[v1.a]",
            "[vF.a:b]",
            &format!("{label}.com"),
            &long,
        ] {
            assert!(is_host(host), "{host}");
        }
        for text in [
            "",
            ".",
            ".com",
            "example..com",
            "exa mple.com",
            "exa%20mple.com",
            "a<b.com",
            "a{b}.com",
            "256.1.1.1",
            "1.2.3.4.5",
            "a.1",
            "[1:2]",
            "[]",
            "[::1",
            "::1",
            "[fe80::1%25en0]",
            "[v.a]",
            "[v1.]",
            "[vg.a]",
            "[v1.a b]",
            &format!("{label}a.com"),
            &format!("a{long}"),
        ] {
            assert!(!is_host(text), "{text}");
        }
    }

    #[test]
    fn a_usual_name_is_a_name() {
        let characters = ["a", "z", "-", "_", ".", "0", "9", "aa", "xn--", "com"];
        for number in 0..characters.len().pow(4) {
            let pick = |power: u32| characters[number / characters.len().pow(power) % characters.len()];
            let text = format!("{}{}{}{}", pick(0), pick(1), pick(2), pick(3));
            // Whether `xn--` is followed by what it stands for is left to whoever resolves the name.
            if is_usual(text.as_bytes()) && !text.contains("xn--") {
                assert_eq!(canonical(&text).as_deref(), Some(text.as_str()));
            }
        }
    }

    #[test]
    fn spellings_of_one_host() {
        for (one, other, is_one) in [
            ("example.com", "EXAMPLE.com", true),
            ("münchen.example", "xn--mnchen-3ya.example", true),
            ("MÜNCHEN.example", "münchen.example", true),
            ("[::1]", "[0:0:0:0:0:0:0:1]", true),
            ("[::1]", "[::2]", false),
            ("127.0.0.1", "0x7f.1", true),
            ("example.com", "example.com.", false),
            ("www.example.com", "example.com", false),
            ("[v1.A]", "[v1.a]", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!((is_same(one, other), is_same(other, one)), (is_one, is_one), "{one} {other}");
        }
    }

    #[test]
    fn private_hosts() {
        for host in [
            "localhost",
            "LOCALHOST",
            "a.localhost",
            "web",
            "shop.local",
            "shop.internal",
            "shop.test",
            "a.home.arpa",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "127.1",
            "169.254.1.1",
            "100.64.0.1",
            "0.0.0.0",
            "[::1]",
            "[::]",
            "[fe80::1]",
            "[fd00::1]",
            "[::ffff:10.0.0.1]",
        ] {
            assert!(is_private(host), "{host}");
        }
        for host in [
            "example.com",
            "shop.example",
            "mylocalhost.com",
            "latest.com",
            "mytest.de",
            "local.com",
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "[2001:db8::1]",
            "[::ffff:8.8.8.8]",
            "[v1.a]",
            "..",
        ] {
            assert!(!is_private(host), "{host}");
        }
    }
}
