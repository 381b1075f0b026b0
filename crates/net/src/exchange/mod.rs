//! Requests of the application itself, to hosts that it chose: for callers that wait, such as Git.

mod exchange_failure;
mod exchanges;
mod plain_dns;
mod upload_body;

#[cfg(test)]
mod tests;

pub use exchange_failure::ExchangeFailure;
pub use exchanges::{ExchangeAnswer, ExchangeRequest, Exchanges};
