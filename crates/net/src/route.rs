//! How requests leave this machine: through which proxy, and trusting whom.

use super::ca_bundle::CaBundle;
use super::direct_hosts::{DirectHosts, as_client_knows, names_host_of};
use super::net_error::NetError;
use super::trust;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy};
use rustls::ClientConfig;
use std::{fmt, iter};
use tgp_base::loopback::is_loopback;
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
    port: Option<u16>,
    /// Whose hosts are reached without it.
    direct: Vec<String>,
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
        if parsed.scheme().starts_with("socks") {
            return Err(bad(
                "is a SOCKS proxy, and only HTTP proxies are used. Name the address of one that begins with http:// or \
                 https://, or put one in front of it",
            ));
        }
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(bad("must begin with http:// or https://, such as 'http://proxy.example:3128'"));
        }
        let host = parsed.host_str().ok_or_else(|| bad("has no host"))?.to_owned();
        let proxy = Proxy::all(url).map_err(|_| bad("cannot be used as a proxy"))?;
        let without: Vec<&str> =
            iter::once(LOOPBACK).chain(direct.iter().map(|entry| as_client_knows(entry))).collect();
        Ok(Self {
            proxy: Box::new(proxy.no_proxy(NoProxy::from_string(&without.join(",")))),
            host,
            port: parsed.port_or_known_default(),
            direct: direct.to_vec(),
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

    /// Who may be between this machine and `url`, in words for messages; the user and the password of a proxy are left out.
    #[must_use]
    pub fn carrier_of(&self, url: &Url) -> Option<String> {
        if is_loopback(url) {
            return None;
        }
        match &self.proxy {
            ProxyChoice::Direct => None,
            ProxyChoice::Environment => {
                proxy_variable(url.scheme()).map(|name| format!("the proxy of the environment variable {name}"))
            }
            ProxyChoice::Through(named) if named.direct.iter().any(|entry| names_host_of(entry, url)) => None,
            ProxyChoice::Through(NamedProxy { host, port, .. }) => {
                let port = port.map(|port| format!(":{port}")).unwrap_or_default();
                Some(format!("the proxy '{host}{port}' (network.proxy)"))
            }
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

/// The variables that name a proxy for addresses of a scheme, as the client reads them.
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

/// The variables of the environment that name a proxy which the client does not understand, and so passes over.
#[must_use]
pub fn broken_proxy_variables() -> Vec<&'static str> {
    let mut names = [proxy_variables("https"), proxy_variables("http")].concat();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| variable(name).is_some_and(|text| !is_http_proxy(&text)));
    names
}

/// Whether a variable holds what the client takes for a proxy; the scheme may be left out.
fn is_http_proxy(text: &str) -> bool {
    let text = text.trim();
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    Url::parse(&full).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
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
    use super::{NamedProxy, ProxyChoice, Route, is_http_proxy};
    use url::Url;

    #[test]
    fn only_an_http_proxy_is_one_and_its_password_is_not_shown() {
        for url in ["proxy.example:3128", "socks5://proxy.example", "ftp://x", "", "http://"] {
            let error = NamedProxy::parse(url, &[]).unwrap_err().to_string();
            assert!(error.starts_with("network.proxy"), "{error}");
        }
        let proxy = NamedProxy::parse("http://me:hunter2@proxy.example:3128", &["localhost".to_owned()]).unwrap();
        assert_eq!(proxy.host, "proxy.example");
        assert!(!format!("{proxy:?}").contains("hunter2"));
        let route = Route { proxy: ProxyChoice::Through(proxy), ..Route::default() };
        let carrier = |url: &str| route.carrier_of(&Url::parse(url).unwrap());
        assert_eq!(carrier("https://a.example/").as_deref(), Some("the proxy 'proxy.example:3128' (network.proxy)"));
        assert_eq!(carrier("http://127.0.0.1:9/"), None);
    }

    #[test]
    fn a_variable_may_leave_the_scheme_out_but_must_name_an_http_proxy() {
        for text in ["proxy.example:3128", "http://proxy.example", " https://u:p@proxy.example:1 "] {
            assert!(is_http_proxy(text), "{text}");
        }
        for text in ["socks5://proxy.example", "http://", "http://[x", "://", "proxy example"] {
            assert!(!is_http_proxy(text), "{text}");
        }
    }
}
