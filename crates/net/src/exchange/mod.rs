//! Blocking requests of the application to hosts that it chose, such as Git servers.

mod exchange_failure;
mod exchanges;
mod system_dns;
mod upload_body;

#[cfg(test)]
mod tests;

pub use exchange_failure::ExchangeFailure;
pub use exchanges::{ExchangeAnswer, ExchangeRequest, Exchanges};
