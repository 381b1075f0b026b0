//! The network route of a client: its proxy and its TLS trust.

use super::ca_bundle::CaBundle;
use super::net_error::NetError;
use super::no_proxy::{NoProxyHosts, client_syntax, entry_matches};
use super::trust;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy};
use rustls::ClientConfig;
use std::{fmt, iter};
use tgp_base::loopback::is_loopback;
use url::Url;

/// Loopback hosts, in `NO_PROXY` syntax. A proxy would resolve them to itself.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// The choice of a proxy.
#[derive(Clone, Default)]
pub enum ProxyChoice {
    /// No proxy, even if the environment sets one.
    #[default]
    Direct,
    /// The proxy of the environment variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    Environment,
    Through(NamedProxy),
}

/// A proxy from the configuration.
#[derive(Clone)]
pub struct NamedProxy {
    proxy: Box<Proxy>,
    /// The host name of the proxy.
    host: String,
    port: Option<u16>,
    /// `NO_PROXY` entries.
    no_proxy: Vec<String>,
}

impl NamedProxy {
    /// `url` is an http or https address, with a user and a password if the proxy requires them. `no_proxy` lists hosts that
    /// are reached directly, in `NO_PROXY` syntax; loopback hosts always are.
    ///
    /// # Errors
    /// `BadProxy`.
    pub fn parse(url: &str, no_proxy: &[String]) -> Result<Self, NetError> {
        let bad = |why| NetError::BadProxy { why };
        let parsed = Url::parse(url).map_err(|_| bad("is not a URL, such as 'http://proxy.example:3128'"))?;
        if parsed.scheme().starts_with("socks") {
            return Err(bad(
                "is a SOCKS proxy, which is not supported. Use the URL of an HTTP proxy, which begins with http:// or \
                 https://, or put one in front of it",
            ));
        }
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(bad("must begin with http:// or https://, such as 'http://proxy.example:3128'"));
        }
        let host = parsed.host_str().ok_or_else(|| bad("has no host"))?.to_owned();
        let proxy = Proxy::all(url).map_err(|_| bad("cannot be used as a proxy"))?;
        let without: Vec<&str> =
            iter::once(LOOPBACK).chain(no_proxy.iter().map(|entry| client_syntax(entry))).collect();
        Ok(Self {
            proxy: Box::new(proxy.no_proxy(NoProxy::from_string(&without.join(",")))),
            host,
            port: parsed.port_or_known_default(),
            no_proxy: no_proxy.to_vec(),
        })
    }
}

/// Omits the address, which may contain a password.
impl fmt::Debug for NamedProxy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("NamedProxy")
    }
}

/// A proxy and additional trusted CAs.
#[derive(Clone, Default)]
pub struct Route {
    pub proxy: ProxyChoice,
    /// CAs trusted in addition to those of the system.
    pub ca: CaBundle,
}

impl Route {
    /// The TLS settings. Slow: reads the system's certificates.
    ///
    /// # Errors
    /// `NoTrust`, `NoRuntime`.
    pub(super) fn tls(&self) -> Result<ClientConfig, NetError> {
        trust::tls(&self.ca)
    }

    /// A client builder; redirects are not followed.
    pub(super) fn client(&self, tls: ClientConfig) -> ClientBuilder {
        match &self.proxy {
            ProxyChoice::Direct => direct_client(tls),
            ProxyChoice::Environment => plain_client(tls),
            ProxyChoice::Through(named) => direct_client(tls).proxy(Proxy::clone(&named.proxy)),
        }
    }

    /// Wildcard `NO_PROXY` hosts, which the HTTP client does not support.
    pub(super) fn no_proxy_hosts(&self) -> NoProxyHosts {
        match &self.proxy {
            ProxyChoice::Environment => NoProxyHosts::from_environment(),
            ProxyChoice::Direct | ProxyChoice::Through(_) => NoProxyHosts::default(),
        }
    }

    /// Describes the proxy used for `url` in messages, without its user and password; `None` for a direct connection.
    #[must_use]
    pub fn proxy_description(&self, url: &Url) -> Option<String> {
        if is_loopback(url) {
            return None;
        }
        match &self.proxy {
            ProxyChoice::Direct => None,
            ProxyChoice::Environment => {
                proxy_variable(url.scheme()).map(|name| format!("the proxy of the environment variable {name}"))
            }
            ProxyChoice::Through(named) if named.no_proxy.iter().any(|entry| entry_matches(entry, url)) => None,
            ProxyChoice::Through(NamedProxy { host, port, .. }) => {
                let port = port.map(|port| format!(":{port}")).unwrap_or_default();
                Some(format!("the proxy '{host}{port}' (network.proxy)"))
            }
        }
    }

    /// The host name of the configured proxy.
    pub(super) fn proxy_host(&self) -> Option<&str> {
        match &self.proxy {
            ProxyChoice::Through(named) => Some(&named.host),
            ProxyChoice::Direct | ProxyChoice::Environment => None,
        }
    }
}

/// The proxy variables for a URL scheme, in the order of the HTTP client.
fn proxy_variables(scheme: &str) -> [&'static str; 4] {
    match scheme {
        "https" => ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
        _ => ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
    }
}

fn proxy_variable(scheme: &str) -> Option<&'static str> {
    proxy_variables(scheme).into_iter().find(|name| variable(name).is_some_and(|text| is_http_proxy(&text)))
}

#[expect(clippy::disallowed_methods, reason = "the client reads the same variables")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.trim().is_empty())
}

/// The proxy variables whose value is not an HTTP proxy and which the HTTP client therefore ignores.
#[must_use]
pub fn invalid_proxy_variables() -> Vec<&'static str> {
    let mut names = [proxy_variables("https"), proxy_variables("http")].concat();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| variable(name).is_some_and(|text| !is_http_proxy(&text)));
    names
}

/// Whether the HTTP client accepts the value of a variable as a proxy. The scheme is optional.
fn is_http_proxy(text: &str) -> bool {
    let text = text.trim();
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    Url::parse(&full).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
}

/// A client without a proxy.
pub(super) fn direct_client(tls: ClientConfig) -> ClientBuilder {
    plain_client(tls).no_proxy()
}

fn plain_client(tls: ClientConfig) -> ClientBuilder {
    Client::builder().tls_backend_preconfigured(tls).redirect(Policy::none()).referer(false)
}

#[cfg(test)]
mod tests {
    use super::{NamedProxy, ProxyChoice, Route, is_http_proxy};
    use url::Url;

    #[test]
    fn only_http_proxies_are_accepted_and_passwords_are_not_shown() {
        for url in ["proxy.example:3128", "socks5://proxy.example", "ftp://x", "", "http://"] {
            let error = NamedProxy::parse(url, &[]).unwrap_err().to_string();
            assert!(error.starts_with("network.proxy"), "{error}");
        }
        let proxy = NamedProxy::parse("http://me:hunter2@proxy.example:3128", &["localhost".to_owned()]).unwrap();
        assert_eq!(proxy.host, "proxy.example");
        assert!(!format!("{proxy:?}").contains("hunter2"));
        let route = Route { proxy: ProxyChoice::Through(proxy), ..Route::default() };
        let proxy_for = |url: &str| route.proxy_description(&Url::parse(url).unwrap());
        assert_eq!(proxy_for("https://a.example/").as_deref(), Some("the proxy 'proxy.example:3128' (network.proxy)"));
        assert_eq!(proxy_for("http://127.0.0.1:9/"), None);
    }

    #[test]
    fn proxy_variables_may_omit_the_scheme() {
        for text in ["proxy.example:3128", "http://proxy.example", " https://u:p@proxy.example:1 "] {
            assert!(is_http_proxy(text), "{text}");
        }
        for text in ["socks5://proxy.example", "http://", "http://[x", "://", "proxy example"] {
            assert!(!is_http_proxy(text), "{text}");
        }
    }
}
