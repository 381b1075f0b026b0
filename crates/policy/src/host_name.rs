//! Host names and host patterns, compared in canonical form.

use serde::{Deserialize, Serialize};
use std::fmt;
use url::Host;

/// A host in canonical form, and a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostPort {
    host: String,
    port: u16,
}

impl HostPort {
    /// `None` for a text that is not a host.
    #[must_use]
    pub fn new(host: &str, port: u16) -> Option<Self> {
        canonical(host).map(|host| Self { host, port })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        write!(formatter, "{host}:{port}")
    }
}

/// An entry of `hosts`: a host or its subdomains (`*.example.com`), at one port or any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostPattern {
    name: Name,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Exact(String),
    /// All subdomains; begins with a dot: `.example.com`.
    Below(String),
}

impl HostPattern {
    /// # Errors
    /// What is wrong, as text that follows the entry.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.contains("://") || text.contains('/') {
            return Err("must be a host, such as 'api.example.com', without 'https://' and without a path");
        }
        if text.contains('@') {
            return Err("must not contain a user name");
        }
        let (host, port) = split_port(text)?;
        if host == "*" {
            return Err("matches every host; remove 'hosts' instead");
        }
        let name = match host.strip_prefix("*.") {
            Some(parent) => {
                let parent = plain(parent)?;
                if parent.parse::<std::net::Ipv4Addr>().is_ok() || parent.starts_with('[') {
                    return Err("has a '*' before an address; '*.' is allowed before names only");
                }
                Name::Below(format!(".{parent}"))
            }
            None => Name::Exact(plain(host)?),
        };
        Ok(Self { name, port })
    }

    #[must_use]
    pub fn matches(&self, call: &HostPort) -> bool {
        let named = match &self.name {
            Name::Exact(host) => *host == call.host,
            Name::Below(parent) => call.host.len() > parent.len() && call.host.ends_with(parent.as_str()),
        };
        named && self.port.is_none_or(|port| port == call.port)
    }

    /// A request that this entry matches.
    #[must_use]
    pub fn example(&self) -> HostPort {
        let host = match &self.name {
            Name::Exact(host) => host.clone(),
            Name::Below(parent) => format!("www{parent}"),
        };
        HostPort { host, port: self.port.unwrap_or(443) }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Name::Exact(host) => formatter.write_str(host)?,
            Name::Below(parent) => write!(formatter, "*{parent}")?,
        }
        self.port.map_or(Ok(()), |port| write!(formatter, ":{port}"))
    }
}

fn plain(host: &str) -> Result<String, &'static str> {
    if host.contains('*') {
        return Err("has a misplaced '*'; it is allowed only as the first label, as in '*.example.com'");
    }
    canonical(host).ok_or("is not a host, such as 'api.example.com', '*.example.com' or 'localhost:8080'")
}

fn split_port(text: &str) -> Result<(&str, Option<u16>), &'static str> {
    let Some((host, port)) = text.rsplit_once(':') else { return Ok((text, None)) };
    // An IPv6 address ends with its bracket.
    if text.ends_with(']') {
        return Ok((text, None));
    }
    if host.contains(':') && !host.ends_with(']') {
        return Err("is an IPv6 address without its brackets, as in '[::1]:8080'");
    }
    match port.parse() {
        Ok(port) if port != 0 => Ok((host, Some(port))),
        Ok(_) | Err(_) => Err("has an invalid port; use a number from 1 to 65535"),
    }
}

/// The canonical form of a host: lower case, punycode, numeric addresses, no trailing dot.
fn canonical(host: &str) -> Option<String> {
    let host = host.strip_suffix('.').unwrap_or(host);
    match Host::parse(host).ok()? {
        Host::Domain(name) if name.is_empty() || name.ends_with('.') || name.starts_with('.') => None,
        Host::Domain(name) => Some(name),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(match address.to_canonical() {
            std::net::IpAddr::V4(address) => address.to_string(),
            std::net::IpAddr::V6(address) => format!("[{address}]"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{HostPattern, HostPort};

    #[test]
    fn every_spelling_of_a_host_is_the_same_host() {
        for (pattern, host, port, expected) in [
            ("api.example.com", "API.Example.com", 443, true),
            ("api.example.com", "api.example.com.", 443, true),
            ("api.example.com.", "api.example.com", 1, true),
            ("api.example.com", "api.example.com.evil.org", 443, false),
            ("api.example.com", "xapi.example.com", 443, false),
            ("*.example.com", "a.example.com", 443, true),
            ("*.example.com", "a.b.example.com", 443, true),
            ("*.example.com", "example.com", 443, false),
            ("*.example.com", "badexample.com", 443, false),
            ("example.com:8443", "example.com", 8443, true),
            ("example.com:8443", "example.com", 443, false),
            ("bücher.example", "xn--bcher-kva.example", 443, true),
            ("127.0.0.1", "0x7f.1", 80, true),
            ("127.0.0.1", "2130706433", 80, true),
            ("127.0.0.1", "[::ffff:127.0.0.1]", 80, true),
            ("[::1]:8080", "[0:0:0:0:0:0:0:1]", 8080, true),
            ("[::1]", "[::2]", 8080, false),
        ] {
            let call = HostPort::new(host, port).unwrap();
            assert_eq!(HostPattern::parse(pattern).unwrap().matches(&call), expected, "{pattern} {host}");
        }
    }

    #[test]
    fn invalid_entries_are_refused() {
        for entry in [
            "",
            "*",
            "*.",
            "a.*.com",
            "*x.com",
            "https://x.com",
            "x.com/v1",
            "u@x.com",
            "x.com:0",
            "x.com:99999",
            "::1",
            "x y",
            "*.127.0.0.1",
            "*.[::1]",
            "..",
            "[::1",
        ] {
            assert!(HostPattern::parse(entry).is_err(), "{entry}");
        }
    }
}
