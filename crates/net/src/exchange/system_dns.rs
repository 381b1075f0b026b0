//! Unrestricted DNS resolution, for hosts that the application chose.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

pub(super) struct SystemDns;

/// The name has no address.
#[derive(Debug, thiserror::Error)]
#[error("the host is not known")]
pub(super) struct UnknownHost;

impl Resolve for SystemDns {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(|_| UnknownHost)?;
            Ok(Box::new(addresses.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}
