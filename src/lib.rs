//! Native core of `@tgp/core`.

pub mod error;
pub mod git;
pub mod vfs;
