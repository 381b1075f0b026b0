//! Where requests go out: those of Git, and those of tools.

use super::config::NetworkConfig;
use crate::error::Error;
use crate::git::{HttpAnswer, HttpClient, HttpExchange, HttpRequest};
use crate::net::{CaBundle, ExchangeRequest, Exchanges, NetError, ProxyChoice, Route};
use std::path::Path;
use std::sync::Arc;

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
    Ok(Arc::new(GitHttp(Exchanges::new(route, GIT_USER_AGENT))))
}

/// The certificates that are trusted beside the machine's.
pub fn authorities(config: &NetworkConfig, base_dir: &Path) -> Result<CaBundle, NetError> {
    config.ca.as_ref().map_or_else(|| Ok(CaBundle::default()), |path| CaBundle::read(&base_dir.join(path)))
}

struct GitHttp(Exchanges);

impl HttpClient for GitHttp {
    fn start(&self, request: HttpRequest) -> Result<HttpExchange, String> {
        let HttpRequest { method, url, headers, body, time, read_silence, write_silence } = request;
        let request = ExchangeRequest { method, url, headers, body, time, read_silence, write_silence };
        let exchange = self.0.start(request).map_err(|failure| failure.to_string())?;
        let cancel = Box::new(exchange.canceller());
        let answer = move || {
            let answer = exchange.answer().map_err(|failure| failure.to_string())?;
            let headers = answer.headers.iter();
            let headers = headers.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
            Ok(HttpAnswer { status: answer.status, headers: headers.collect(), body: Box::new(answer.body) })
        };
        Ok(HttpExchange { cancel, answer: Box::new(answer) })
    }
}
