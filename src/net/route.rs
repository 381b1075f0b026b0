//! How requests leave this machine: through which proxy, and trusting whom.

use super::ca_bundle::CaBundle;
use super::direct_hosts::{DirectHosts, as_client_knows};
use super::net_error::NetError;
use super::trust;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy};
use rustls::ClientConfig;
use std::{fmt, iter};
use url::Url;

/// Hosts that are this machine, in the words of `NO_PROXY`. A proxy would take them for itself.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// Who carries requests to their host.
#[derive(Clone, Default)]
pub enum ProxyChoice {
    /// Nobody, whatever the environment says.
    #[default]
    Direct,
    /// Whom the usual variables name: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`.
    Environment,
    Through(NamedProxy),
}

/// A proxy that the application named.
#[derive(Clone)]
pub struct NamedProxy {
    proxy: Box<Proxy>,
    /// Its own name, which is looked up here.
    host: String,
}

impl NamedProxy {
    /// `url` is an http or https address, with a user and a password if the proxy wants them; `direct` are the hosts that
    /// are reached without it, in the words of `NO_PROXY`; this machine is in any case.
    ///
    /// # Errors
    /// `BadProxy`.
    pub fn parse(url: &str, direct: &[String]) -> Result<Self, NetError> {
        let bad = |why| NetError::BadProxy { why };
        let parsed = Url::parse(url).map_err(|_| bad("is no address, such as 'http://proxy.example:3128'"))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(bad("must begin with http:// or https://"));
        }
        let host = parsed.host_str().ok_or_else(|| bad("has no host"))?.to_owned();
        let proxy = Proxy::all(url).map_err(|_| bad("cannot be used as a proxy"))?;
        let direct: Vec<&str> = iter::once(LOOPBACK).chain(direct.iter().map(|entry| as_client_knows(entry))).collect();
        Ok(Self { proxy: Box::new(proxy.no_proxy(NoProxy::from_string(&direct.join(",")))), host })
    }
}

/// Shown without its address, which may hold a password.
impl fmt::Debug for NamedProxy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("NamedProxy")
    }
}

/// A way out of this machine.
#[derive(Clone, Default)]
pub struct Route {
    pub proxy: ProxyChoice,
    /// Authorities that are trusted beside the machine's.
    pub ca: CaBundle,
}

impl Route {
    /// Whom its clients trust. Takes a while.
    ///
    /// # Errors
    /// `NoTrust`, `NoRuntime`.
    pub(super) fn tls(&self) -> Result<ClientConfig, NetError> {
        trust::tls(&self.ca)
    }

    /// A client that follows no redirect.
    pub(super) fn client(&self, tls: ClientConfig) -> ClientBuilder {
        match &self.proxy {
            ProxyChoice::Direct => direct_client(tls),
            ProxyChoice::Environment => plain_client(tls),
            ProxyChoice::Through(named) => direct_client(tls).proxy(Proxy::clone(&named.proxy)),
        }
    }

    /// Hosts that are to be reached without anybody between, though the client would not.
    pub(super) fn direct_hosts(&self) -> DirectHosts {
        match &self.proxy {
            ProxyChoice::Environment => DirectHosts::of_environment(),
            ProxyChoice::Direct | ProxyChoice::Through(_) => DirectHosts::default(),
        }
    }

    /// The name of the proxy that the application named.
    pub(super) fn proxy_host(&self) -> Option<&str> {
        match &self.proxy {
            ProxyChoice::Through(named) => Some(&named.host),
            ProxyChoice::Direct | ProxyChoice::Environment => None,
        }
    }
}

/// A client without anybody between.
pub(super) fn direct_client(tls: ClientConfig) -> ClientBuilder {
    plain_client(tls).no_proxy()
}

fn plain_client(tls: ClientConfig) -> ClientBuilder {
    Client::builder().tls_backend_preconfigured(tls).redirect(Policy::none()).referer(false)
}

#[cfg(test)]
mod tests {
    use super::NamedProxy;

    #[test]
    fn only_an_http_proxy_is_one_and_its_password_is_not_shown() {
        for url in ["proxy.example:3128", "socks5://proxy.example", "ftp://x", "", "http://"] {
            let error = NamedProxy::parse(url, &[]).unwrap_err().to_string();
            assert!(error.starts_with("network.proxy"), "{error}");
        }
        let proxy = NamedProxy::parse("http://me:hunter2@proxy.example:3128", &["localhost".to_owned()]).unwrap();
        assert_eq!(proxy.host, "proxy.example");
        assert!(!format!("{proxy:?}").contains("hunter2"));
    }
}
