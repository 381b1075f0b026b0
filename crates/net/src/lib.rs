//! Everything that leaves this machine over HTTP: one client, one policy of trust, one way to say which proxy.
//!
//! The files here are what the two folders share. `fetch` is for guests, `exchange` for the application itself.

mod ca_bundle;
mod direct_hosts;
mod exchange;
mod fetch;
mod made_once;
mod net_error;
mod net_thread;
mod proxy_refusal;
mod route;
mod trust;

pub use ca_bundle::CaBundle;
pub use direct_hosts::fault_of_direct_host;
pub use exchange::{ExchangeAnswer, ExchangeFailure, ExchangeRequest, Exchanges};
pub use fetch::{FetchLimits, FetchRequest, FetchResponse, FetchTask, Fetcher, RunningFetches};
pub use net_error::{NetError, shown_text};
pub use route::{NamedProxy, ProxyChoice, Route, broken_proxy_variables};
pub use trust::tls;
