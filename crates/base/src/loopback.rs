//! Addresses that do not leave this machine: a token may go there in the open, and no proxy hears of it.

use url::{Host, Url};

/// Whether a request to `url` stays on this machine. Names below `localhost` do not count: a resolver may send them
/// elsewhere.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
