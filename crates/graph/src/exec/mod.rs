//! Runs queries over a view, within a budget.

mod aggregate;
mod arithmetic;
mod candidates;
mod compare;
mod eval;
mod executor;
mod functions;
mod json;
mod list_slice;
mod matcher;
mod meter;
mod operations;
mod pipeline;
mod plan;
mod projection;
mod properties;
mod quantified;
mod text_functions;
pub mod value;

pub use executor::run;
