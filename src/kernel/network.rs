//! HTTP routes of Git and of tools: proxies and certificates.

use super::config::{Config, NetworkConfig};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::bound_secrets::BoundSecrets;
use tgp_base::error::Error;
use tgp_git::{HttpAnswer, HttpClient, HttpExchange, HttpRequest};
use tgp_ledger::TlsSettings;
use tgp_net::{
    CaBundle, ExchangeFailure, ExchangeRequest, Exchanges, FetchLimits, Fetcher, NetError, ProxyChoice, Route,
    invalid_proxy_variables, tls,
};

/// 407 Proxy Authentication Required.
const PROXY_WANTS_PASSWORD: u16 = 407;

/// Begins like that of `git`, which some servers require.
const GIT_USER_AGENT: &str = concat!("git/2.0 (tgp ", env!("CARGO_PKG_VERSION"), ")");

/// The route of tools' requests.
fn tools_route(config: &NetworkConfig, base_dir: &Path) -> Result<Route, Error> {
    if !config.for_tools {
        return Ok(Route::default());
    }
    let proxy = config.named_proxy()?.map_or(ProxyChoice::Direct, ProxyChoice::Through);
    Ok(Route { proxy, ca: authorities(config, base_dir)? })
}

/// The client for requests of tools.
pub fn fetcher(config: &Config, base_dir: &Path, secrets: BoundSecrets) -> Result<Fetcher, Error> {
    let limits = FetchLimits {
        bytes: config.sandbox.fetch_bytes as usize,
        time: Duration::from_millis(config.sandbox.fetch_timeout_ms.into()),
    };
    Ok(Fetcher::new(&config.allowed_fetch_urls, limits, tools_route(&config.network, base_dir)?, secrets)?)
}

/// The client for Git servers and their APIs.
pub fn git_http(config: &NetworkConfig, base_dir: &Path) -> Result<Arc<dyn HttpClient>, Error> {
    let proxy = config.named_proxy()?.map_or(ProxyChoice::Environment, ProxyChoice::Through);
    let route = Route { proxy, ca: authorities(config, base_dir)? };
    Ok(Arc::new(GitHttp { exchanges: Exchanges::new(route, GIT_USER_AGENT), warning: proxy_warning(config) }))
}

/// A warning about invalid proxy variables, which Git uses when the configuration names no proxy.
pub fn proxy_warning(config: &NetworkConfig) -> Option<String> {
    let broken = if config.proxy.is_some() { Vec::new() } else { invalid_proxy_variables() };
    (!broken.is_empty()).then(|| {
        let names = broken.join(" and ");
        format!("The environment variable {names} is not a valid HTTP proxy and is ignored. Set it to http://host:port, or unset it.")
    })
}

/// Certificates that are trusted in addition to the system's.
pub fn authorities(config: &NetworkConfig, base_dir: &Path) -> Result<CaBundle, NetError> {
    config.ca.as_ref().map_or_else(|| Ok(CaBundle::default()), |path| CaBundle::read(&base_dir.join(path)))
}

/// TLS settings for other connections, with the same certificates. Errors are reported when a connection is made.
pub fn tls_settings(config: &NetworkConfig, base_dir: &Path) -> Result<TlsSettings, Error> {
    let bundle = authorities(config, base_dir)?;
    Ok(Arc::new(move || tls(&bundle).ok().map(Arc::new)))
}

struct GitHttp {
    exchanges: Exchanges,
    /// A likely reason when a server cannot be reached.
    warning: Option<String>,
}

impl HttpClient for GitHttp {
    fn start(&self, request: HttpRequest) -> Result<HttpExchange, String> {
        let carrier = self.exchanges.proxy_description(&request.url);
        let warning = self.warning.clone();
        let explain = move |failure: ExchangeFailure| match (&carrier, &warning) {
            _ if !failure.may_be_caused_by_proxy() => failure.to_string(),
            (Some(carrier), _) => {
                format!("{failure}; the request went through {carrier}: check that it runs and allows the request")
            }
            (None, Some(warning)) => format!("{failure}. {}", warning.trim_end_matches('.')),
            (None, None) => failure.to_string(),
        };
        let HttpRequest { method, url, headers, body, total_timeout, read_idle_timeout, write_idle_timeout } = request;
        let request =
            ExchangeRequest { method, url, headers, body, total_timeout, read_idle_timeout, write_idle_timeout };
        let exchange = self.exchanges.start(request).map_err(&explain)?;
        let cancel = Box::new(exchange.canceller());
        let answer = move || {
            let answer = exchange.answer().map_err(&explain)?;
            if answer.status == PROXY_WANTS_PASSWORD {
                return Err(ExchangeFailure::ProxyPassword.to_string());
            }
            let headers = answer.headers.iter();
            let headers = headers.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
            Ok(HttpAnswer { status: answer.status, headers: headers.collect(), body: Box::new(answer.body) })
        };
        Ok(HttpExchange { cancel, answer: Box::new(answer) })
    }
}
