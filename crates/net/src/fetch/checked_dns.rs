//! DNS resolution that refuses private addresses. Connections use exactly the checked addresses, which prevents DNS rebinding.

use super::address::is_public;
use crate::net_error::NetError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

pub struct CheckedDns {
    /// Names that may resolve to loopback addresses.
    local: Arc<HashSet<String>>,
    /// The host name of the proxy. It may have any address because the application configured it.
    proxy: Option<String>,
}

impl CheckedDns {
    pub fn new(local: HashSet<String>, proxy: Option<&str>) -> Self {
        Self { local: Arc::new(local), proxy: proxy.map(ToOwned::to_owned) }
    }
}

impl Resolve for CheckedDns {
    fn resolve(&self, name: Name) -> Resolving {
        let local = Arc::clone(&self.local);
        let is_proxy = self.proxy.as_deref() == Some(name.as_str());
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let addresses: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let may_be_local = local.contains(&host);
            let allowed =
                |address: &SocketAddr| is_public(address.ip()) || (may_be_local && address.ip().is_loopback());
            if is_proxy || addresses.iter().all(allowed) {
                Ok(Box::new(addresses.into_iter()) as Addrs)
            } else {
                Err(NetError::PrivateAddress { host }.into())
            }
        })
    }
}
