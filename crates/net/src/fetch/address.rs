//! Classification of public IP addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is on the public internet: not private, local, reserved or a translation of such.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19));
    !(reserved
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, fourth, ..] = address.segments();
    let [.., a, b, c, d] = address.octets();
    let inner = Ipv4Addr::new(a, b, c, d);
    if address.to_ipv4_mapped().is_some() || (first == 0x64 && second == 0xff9b && third == 0 && fourth == 0) {
        return is_public_v4(inner);
    }
    if first == 0x2002 {
        let [_, _, a, b, c, d, ..] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    // Global unicast is 2000::/3; of it, Teredo, benchmarks and documentation are not public.
    let reserved = first == 0x2001 && (second == 0 || second == 2 || second == 0xdb8) || first == 0x3fff;
    (0x2000..0x4000).contains(&first) && !reserved
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn only_the_public_internet_is_public() {
        for address in ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2002:808:808::1", "64:ff9b::808:808"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "0.1.2.3",
            "100.64.0.1",
            "192.0.0.1",
            "198.18.0.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }
}
