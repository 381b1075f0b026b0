//! Native core of `@tgp/core`.

pub mod compile;
pub mod error;
