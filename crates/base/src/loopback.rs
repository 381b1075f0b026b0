//! Detection of loopback URLs, which may receive tokens over plain http and bypass the proxy.

use url::{Host, Url};

/// Whether a request to `url` stays on this machine. Subdomains of `localhost` do not count: a resolver may map them to
/// another machine.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
