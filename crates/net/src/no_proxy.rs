//! `NO_PROXY` entries: validation and matching, including `*.` wildcards.
//!
//! Many programs accept `*.example.com`; the HTTP client accepts only `example.com` and `.example.com`.

use std::net::IpAddr;
use url::Url;

/// Converts a `NO_PROXY` entry to the syntax of the HTTP client.
pub(super) fn client_syntax(entry: &str) -> &str {
    let entry = entry.trim();
    if entry.starts_with("*.") { entry.trim_start_matches('*') } else { entry }
}

/// Why an entry can never match a host; `None` for one that can.
#[must_use]
pub fn no_proxy_entry_error(entry: &str) -> Option<&'static str> {
    let entry = client_syntax(entry);
    if entry == "*" || entry.parse::<IpAddr>().is_ok() {
        return None;
    }
    if entry.contains("://") {
        return Some("is an address; use the host name alone");
    }
    if let Some((address, bits)) = entry.split_once('/') {
        let most = address.parse::<IpAddr>().map(|address| if address.is_ipv4() { 32 } else { 128 });
        let is_network = most.is_ok_and(|most| bits.parse::<u8>().is_ok_and(|bits| bits <= most));
        return (!is_network).then_some("is not a network, such as '10.0.0.0/8'");
    }
    if entry.contains(['[', ']']) {
        return Some("has brackets; write the address without them, such as '::1'");
    }
    if entry.contains(':') {
        return Some("has a port; use the host name alone, which applies to all ports");
    }
    let name = entry.strip_prefix('.').unwrap_or(entry);
    let is_name = !name.is_empty()
        && name.split('.').all(|part| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        });
    (!is_name).then_some("is not a host, such as 'git.corp.example', '.corp.example' or '10.0.0.0/8'")
}

/// Whether a valid entry matches the host of `url`, by the rules of the HTTP client.
pub(super) fn entry_matches(entry: &str, url: &Url) -> bool {
    let entry = client_syntax(entry);
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase();
    if let Ok(address) = host.parse::<IpAddr>() {
        let (start, bits) =
            entry.split_once('/').map_or((entry, None), |(start, bits)| (start, bits.parse::<u32>().ok()));
        return match (start.parse::<IpAddr>(), address) {
            (Ok(IpAddr::V4(start)), IpAddr::V4(address)) => {
                let rest = 32 - bits.unwrap_or(32).min(32);
                u64::from(start.to_bits()) >> rest == u64::from(address.to_bits()) >> rest
            }
            (Ok(IpAddr::V6(start)), IpAddr::V6(address)) => {
                let rest = 128 - bits.unwrap_or(128).min(128);
                start.to_bits().checked_shr(rest) == address.to_bits().checked_shr(rest)
            }
            _ => false,
        };
    }
    let name = entry.strip_prefix('.').unwrap_or(entry).to_ascii_lowercase();
    entry == "*" || host == name || host.strip_suffix(&name).is_some_and(|rest| rest.ends_with('.'))
}

/// Wildcard entries of the environment's `NO_PROXY`, which the HTTP client ignores.
#[derive(Default)]
pub(super) struct NoProxyHosts(Vec<String>);

impl NoProxyHosts {
    pub(super) fn from_environment() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the client reads the same variables, in the same order")]
        let list = ["NO_PROXY", "no_proxy"].into_iter().find_map(|name| std::env::var(name).ok());
        Self::parse(&list.unwrap_or_default())
    }

    fn parse(list: &str) -> Self {
        let names = list.split(',').filter_map(|entry| entry.trim().strip_prefix("*."));
        Self(names.filter(|name| !name.is_empty()).map(str::to_ascii_lowercase).collect())
    }

    /// Whether the host is one of the names or a subdomain of one.
    pub(super) fn contains(&self, url: &Url) -> bool {
        let Some(host) = url.domain() else { return false };
        let is_below = |name: &String| host.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('.'));
        self.0.iter().any(|name| host == name || is_below(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{NoProxyHosts, client_syntax, entry_matches, no_proxy_entry_error};
    use url::Url;

    #[test]
    fn entries_that_never_match_are_invalid() {
        for entry in
            ["*", "a", "a.example", ".a.example", "*.a.example", "10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "_a-b.c"]
        {
            assert_eq!(no_proxy_entry_error(entry), None, "{entry}");
        }
        for (entry, why) in [
            ("a.example:8080", "port"),
            ("10.0.0.1:80", "port"),
            ("[::1]", "brackets"),
            ("10.0.0.0/33", "network"),
            ("a.example/8", "network"),
            ("10.0.0/8", "network"),
            ("http://a.example", "address"),
            ("a.*.example", "not a host"),
            ("bücher.example", "not a host"),
            ("a..b", "not a host"),
            (".", "not a host"),
            ("*.", "not a host"),
            ("a b", "not a host"),
        ] {
            assert!(no_proxy_entry_error(entry).is_some_and(|fault| fault.contains(why)), "{entry}");
        }
    }

    #[test]
    fn entries_match_hosts_networks_and_subdomains() {
        let names = |entry: &str, url: &str| entry_matches(entry, &Url::parse(url).unwrap());
        for (entry, url) in [
            ("*", "http://a.example/"),
            ("a.example", "https://A.example:9/"),
            (".a.example", "http://b.a.example/"),
            ("*.a.example", "http://b.a.example/"),
            ("10.0.0.0/8", "http://10.9.8.7/"),
            ("0.0.0.0/0", "http://1.2.3.4/"),
            ("10.0.0.1", "http://10.0.0.1/"),
            ("fd00::/8", "http://[fd12::1]/"),
            ("::/0", "http://[fd12::1]/"),
        ] {
            assert!(names(entry, url), "{entry} {url}");
        }
        for (entry, url) in [
            ("a.example", "http://ba.example/"),
            ("10.0.0.0/8", "http://11.0.0.1/"),
            ("10.0.0.1", "http://10.0.0.2/"),
            ("fd00::/8", "http://10.0.0.1/"),
            ("::/0", "http://a.example/"),
        ] {
            assert!(!names(entry, url), "{entry} {url}");
        }
    }

    #[test]
    fn a_wildcard_matches_all_subdomains() {
        let hosts = NoProxyHosts::parse("plain.example, *.Corp.example ,*,*.");
        let contains = |url| hosts.contains(&Url::parse(url).unwrap());
        for url in ["https://git.corp.example/a", "http://a.b.corp.example:8080/", "https://corp.example/"] {
            assert!(contains(url), "{url}");
        }
        for url in ["https://notcorp.example/", "https://plain.example/", "https://corp.example.org/", "http://[::1]/"]
        {
            assert!(!contains(url), "{url}");
        }
        for (entry, expected) in [("*.x.org", ".x.org"), (" *.x.org", ".x.org"), ("*", "*"), (".x", ".x"), ("x", "x")] {
            assert_eq!(client_syntax(entry), expected);
        }
    }
}
