//! Everything that leaves this machine over HTTP: one client, one policy of trust, one way to say which proxy.
//!
//! Guests' requests (`Fetcher`) are held against the allow-list: each URL, every redirect and every address. The
//! application's own (`Exchanges`) go to hosts that it chose itself.

mod address;
mod allow_list;
mod ca_bundle;
mod checked_dns;
mod exchange;
mod exchange_body;
mod exchange_failure;
mod fetch_request;
mod fetch_response;
mod fetch_slots;
mod fetcher;
mod net_error;
mod net_thread;
mod plain_dns;
mod route;
mod running_fetches;
mod trust;

#[cfg(test)]
mod tests;

pub use ca_bundle::CaBundle;
pub use exchange::{ExchangeAnswer, ExchangeRequest, Exchanges};
pub use exchange_failure::ExchangeFailure;
pub use fetch_request::FetchRequest;
pub use fetch_response::FetchResponse;
pub use fetcher::{FetchLimits, FetchTask, Fetcher};
pub use net_error::NetError;
pub use route::{NamedProxy, ProxyChoice, Route};
pub use running_fetches::RunningFetches;
