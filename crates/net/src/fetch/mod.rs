//! Fetches of guests. The URL, every redirect and every address are checked.

mod address;
mod allow_list;
mod checked_dns;
mod fetch_request;
mod fetch_response;
mod fetch_slots;
mod fetcher;
mod filled_request;
#[cfg(test)]
mod fuzz_tests;
mod running_fetches;

pub use fetch_request::FetchRequest;
pub use fetch_response::FetchResponse;
pub use fetcher::{FetchLimits, FetchTask, Fetcher};
pub use running_fetches::RunningFetches;
