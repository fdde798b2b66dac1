//! Which addresses belong to the public internet. What is dialled is judged, so that no name can hide it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not of the public internet, with the length of their prefix.
/// Source: the special-purpose address registries of IANA (RFC 6890).
const PRIVATE_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The same for IPv6.
const PRIVATE_V6: [(Ipv6Addr, u32); 10] = [
    (Ipv6Addr::UNSPECIFIED, 127),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8),
];

/// Networks whose addresses contain one of IPv4, the length of their prefix, and how many bits follow it: mapped and
/// compatible ones, NAT64 (RFC 6052, and RFC 8215 for a network of one's own) and 6to4.
const EMBEDDING: [(Ipv6Addr, u32, u32); 5] = [
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, 0),
    (Ipv6Addr::UNSPECIFIED, 96, 0),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96, 0),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, 0),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, 80),
];

/// Whether an address belongs to the public internet, and not to a machine or a network of its own.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !PRIVATE_V4.iter().any(|(network, length)| (bits ^ network.to_bits()) >> (32 - length) == 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let is_in = |network: Ipv6Addr, length: u32| (bits ^ network.to_bits()) >> (128 - length) == 0;
    if PRIVATE_V6.iter().any(|(network, length)| is_in(*network, *length)) {
        return false;
    }
    let embedding = EMBEDDING.iter().find(|(network, length, _)| is_in(*network, *length));
    // The 32 bits that are the address of IPv4.
    embedding.is_none_or(|(_, _, shift)| is_public_v4(Ipv4Addr::from_bits((bits >> shift) as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIVATE: [&str; 39] = [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.7",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "ff02::1",
    ];

    const PUBLIC: [&str; 13] = [
        "1.1.1.1",
        "93.184.215.14",
        "172.15.255.255",
        "172.32.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "::ffff:93.184.215.14",
        "64:ff9b::5db8:d70e",
        "2002:5db8:d70e::1",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
    ];

    #[test]
    fn vectors() {
        let judged = |text: &&str| is_public(text.parse().unwrap());
        assert_eq!(PRIVATE.iter().copied().filter(judged).collect::<Vec<_>>(), [""; 0]);
        assert_eq!(PUBLIC.iter().copied().filter(|text| !judged(text)).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn nothing_is_public_that_the_standard_library_calls_special() {
        let mut bits: u32 = 1;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let address = Ipv4Addr::from_bits(bits);
            let is_special = address.is_private() || address.is_loopback() || address.is_link_local();
            let is_special = is_special || address.is_multicast() || address.is_documentation();
            assert!(!(is_special && is_public(address.into())), "{address}");
            // A mapped address is as public as the one in it.
            assert_eq!(is_public(address.to_ipv6_mapped().into()), is_public(address.into()), "{address}");
        }
    }
}
