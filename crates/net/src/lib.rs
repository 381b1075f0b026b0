//! The HTTP client: one TLS trust policy and one proxy configuration.
//!
//! `fetch` sends requests of guests, `exchange` those of the application. The files here are shared by both.

mod ca_bundle;
mod exchange;
mod fetch;
mod net_error;
mod net_thread;
mod no_proxy;
mod proxy_auth;
mod route;
mod trust;
mod try_once_lock;

pub use ca_bundle::CaBundle;
pub use exchange::{ExchangeAnswer, ExchangeFailure, ExchangeRequest, Exchanges};
pub use fetch::{FetchLimits, FetchRequest, FetchResponse, FetchTask, Fetcher, RunningFetches};
pub use net_error::{NetError, shown_text};
pub use no_proxy::no_proxy_entry_error;
pub use route::{NamedProxy, ProxyChoice, Route, invalid_proxy_variables};
pub use trust::tls;
