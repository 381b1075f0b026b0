//! Native core of `@tgp/core`.

pub mod error;
pub mod vfs;
