//! How requests leave this machine: through which proxy, and trusting whom.

use super::ca_bundle::CaBundle;
use super::net_error::NetError;
use super::trust;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy};
use std::fmt;
use url::{Host, Url};

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
        Ok(Self {
            proxy: Box::new(proxy.no_proxy(NoProxy::from_string(&format!("{LOOPBACK},{}", direct.join(","))))),
            host,
        })
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
    /// A client that follows no redirect; `None` when the system does not let there be one.
    pub(super) fn client(&self) -> Option<ClientBuilder> {
        let builder =
            Client::builder().tls_backend_preconfigured(trust::tls(&self.ca)?).redirect(Policy::none()).referer(false);
        Some(match &self.proxy {
            ProxyChoice::Direct => builder.no_proxy(),
            ProxyChoice::Environment => builder,
            ProxyChoice::Through(named) => builder.no_proxy().proxy(Proxy::clone(&named.proxy)),
        })
    }

    /// The same, without anybody between.
    pub(super) fn without_proxy(&self) -> Self {
        Self { proxy: ProxyChoice::Direct, ca: self.ca.clone() }
    }

    /// The name of the proxy that the application named.
    pub(super) fn proxy_host(&self) -> Option<&str> {
        match &self.proxy {
            ProxyChoice::Through(named) => Some(&named.host),
            ProxyChoice::Direct | ProxyChoice::Environment => None,
        }
    }
}

/// Whether a request does not leave this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
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
