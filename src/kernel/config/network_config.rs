//! Section `network`: proxy and certificates.

use super::refused::refused;
use serde::{Deserialize, Serialize};
use tgp_base::error::Error;
use tgp_git::Secret;
use tgp_net::{NamedProxy, NetError, no_proxy_entry_error, shown_text};

/// Every request is compared with all entries.
const MAX_DIRECT_HOSTS: usize = 1000;

/// The section `network`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Shown masked, as the address may hold a password. Without it, Git uses the environment's proxy, and tools use
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Secret>,
    /// Hosts that are reached without the proxy.
    pub no_proxy: Vec<String>,
    /// A file of certificates, relative to the folder of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// Whether this section also applies to requests of tools.
    pub for_tools: bool,
}

impl NetworkConfig {
    pub fn check(&self) -> Result<(), Error> {
        if self.proxy.is_none() && !self.no_proxy.is_empty() {
            return Err(refused("network.noProxy", "requires a network.proxy"));
        }
        if self.no_proxy.len() > MAX_DIRECT_HOSTS {
            return Err(refused("network.noProxy", "must have at most 1000 entries; name networks or domains instead"));
        }
        if self.no_proxy.iter().any(|host| host.trim().is_empty() || host.contains([',', '\n', '\r', '\0'])) {
            return Err(refused("network.noProxy", "must name one host or network in each entry"));
        }
        for host in &self.no_proxy {
            if let Some(fault) = no_proxy_entry_error(host) {
                return Err(refused("network.noProxy", &format!("never matches: '{}' {fault}", shown_text(host))));
            }
        }
        if self.for_tools && self.proxy.is_none() && self.ca.is_none() {
            return Err(refused("network.forTools", "requires a network.proxy or a network.ca"));
        }
        self.named_proxy()?;
        Ok(())
    }

    /// The proxy with its exceptions.
    pub fn named_proxy(&self) -> Result<Option<NamedProxy>, NetError> {
        self.proxy.as_ref().map(|url| NamedProxy::parse(url.expose(), &self.no_proxy)).transpose()
    }
}
