//! Where requests go out: those of Git, and those of tools.

use super::config::NetworkConfig;
use std::path::Path;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_git::{HttpAnswer, HttpClient, HttpExchange, HttpRequest};
use tgp_ledger::TlsSettings;
use tgp_net::{
    CaBundle, ExchangeFailure, ExchangeRequest, Exchanges, NetError, ProxyChoice, Route, invalid_proxy_variables, tls,
};

/// The status of a proxy that does not know who asks.
const PROXY_WANTS_PASSWORD: u16 = 407;

/// As `git` names itself: some servers look at it.
const GIT_USER_AGENT: &str = concat!("git/2.0 (tgp ", env!("CARGO_PKG_VERSION"), ")");

/// The way that tools' requests take.
pub fn tools_route(config: &NetworkConfig, base_dir: &Path) -> Result<Route, Error> {
    if !config.for_tools {
        return Ok(Route::default());
    }
    let proxy = config.named_proxy()?.map_or(ProxyChoice::Direct, ProxyChoice::Through);
    Ok(Route { proxy, ca: authorities(config, base_dir)? })
}

/// The client for Git servers and their APIs.
pub fn git_http(config: &NetworkConfig, base_dir: &Path) -> Result<Arc<dyn HttpClient>, Error> {
    let proxy = config.named_proxy()?.map_or(ProxyChoice::Environment, ProxyChoice::Through);
    let route = Route { proxy, ca: authorities(config, base_dir)? };
    Ok(Arc::new(GitHttp { exchanges: Exchanges::new(route, GIT_USER_AGENT), warning: proxy_warning(config) }))
}

/// What the user should know about the environment's proxies, which Git goes by when the configuration names none.
pub fn proxy_warning(config: &NetworkConfig) -> Option<String> {
    let broken = if config.proxy.is_some() { Vec::new() } else { invalid_proxy_variables() };
    (!broken.is_empty()).then(|| {
        let names = broken.join(" and ");
        format!("{names} in the environment names no HTTP proxy and is ignored. Correct it, as http://host:port, or unset it.")
    })
}

/// The certificates that are trusted beside the machine's.
pub fn authorities(config: &NetworkConfig, base_dir: &Path) -> Result<CaBundle, NetError> {
    config.ca.as_ref().map_or_else(|| Ok(CaBundle::default()), |path| CaBundle::read(&base_dir.join(path)))
}

/// How connections of other kinds are encrypted: with the same trust. What cannot be made is told when it is needed.
pub fn tls_settings(config: &NetworkConfig, base_dir: &Path) -> Result<TlsSettings, Error> {
    let bundle = authorities(config, base_dir)?;
    Ok(Arc::new(move || tls(&bundle).ok().map(Arc::new)))
}

struct GitHttp {
    exchanges: Exchanges,
    /// What may be the reason when no server can be reached.
    warning: Option<String>,
}

impl HttpClient for GitHttp {
    fn start(&self, request: HttpRequest) -> Result<HttpExchange, String> {
        let carrier = self.exchanges.proxy_description(&request.url);
        let warning = self.warning.clone();
        let told = move |failure: ExchangeFailure| match (&carrier, &warning) {
            _ if !failure.may_be_caused_by_proxy() => failure.to_string(),
            (Some(carrier), _) => {
                format!("{failure}; the request went through {carrier}: check that it runs and lets it through")
            }
            (None, Some(warning)) => format!("{failure}. {}", warning.trim_end_matches('.')),
            (None, None) => failure.to_string(),
        };
        let HttpRequest { method, url, headers, body, total_timeout, read_idle_timeout, write_idle_timeout } = request;
        let request =
            ExchangeRequest { method, url, headers, body, total_timeout, read_idle_timeout, write_idle_timeout };
        let exchange = self.exchanges.start(request).map_err(&told)?;
        let cancel = Box::new(exchange.canceller());
        let answer = move || {
            let answer = exchange.answer().map_err(&told)?;
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
