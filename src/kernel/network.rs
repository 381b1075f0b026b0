//! The way out of this machine, as the configuration wants it: for Git, and for tools.

use crate::error::{Error, ErrorCode};
use crate::git::{HttpAnswer, HttpClient, HttpExchange, HttpRequest, Secret};
use crate::net::{CaBundle, ExchangeRequest, Exchanges, NamedProxy, NetError, ProxyChoice, Route};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// As `git` names itself: some servers look at it.
const GIT_USER_AGENT: &str = concat!("git/2.0 (tgp ", env!("CARGO_PKG_VERSION"), ")");

/// The section `network`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Shown masked: its address may hold a password. Without it, Git goes by the environment and tools go directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Secret>,
    /// Hosts that are reached without the proxy.
    pub no_proxy: Vec<String>,
    /// A file of certificates, relative to the folder of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// Whether all this holds for what tools fetch as well.
    pub for_tools: bool,
}

impl NetworkConfig {
    pub fn check(&self) -> Result<(), Error> {
        self.named_proxy()?;
        if self.proxy.is_none() && !self.no_proxy.is_empty() {
            return Err(refused("network.noProxy", "belongs to a network.proxy"));
        }
        if self.no_proxy.iter().any(|host| host.trim().is_empty() || host.contains([',', '\n', '\r', '\0'])) {
            return Err(refused("network.noProxy", "must name one host or network in each entry"));
        }
        if self.for_tools && self.proxy.is_none() && self.ca.is_none() {
            return Err(refused("network.forTools", "needs a network.proxy or a network.ca"));
        }
        Ok(())
    }

    /// The way that tools' requests take.
    pub fn tools_route(&self, base_dir: &Path) -> Result<Route, Error> {
        if !self.for_tools {
            return Ok(Route::default());
        }
        let proxy = self.named_proxy()?.map_or(ProxyChoice::Direct, ProxyChoice::Through);
        Ok(Route { proxy, ca: self.ca(base_dir)? })
    }

    /// The client for Git servers and their APIs.
    pub fn git_http(&self, base_dir: &Path) -> Result<Arc<dyn HttpClient>, Error> {
        let proxy = self.named_proxy()?.map_or(ProxyChoice::Environment, ProxyChoice::Through);
        let route = Route { proxy, ca: self.ca(base_dir)? };
        Ok(Arc::new(GitHttp(Exchanges::new(route, GIT_USER_AGENT))))
    }

    fn named_proxy(&self) -> Result<Option<NamedProxy>, NetError> {
        self.proxy.as_ref().map(|url| NamedProxy::parse(url.expose(), &self.no_proxy)).transpose()
    }

    fn ca(&self, base_dir: &Path) -> Result<CaBundle, NetError> {
        self.ca.as_ref().map_or_else(|| Ok(CaBundle::default()), |path| CaBundle::read(&base_dir.join(path)))
    }
}

fn refused(key: &str, why: &str) -> Error {
    Error::new(ErrorCode::Config, format!("{key} {why}.")).with("key", key.to_owned())
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
