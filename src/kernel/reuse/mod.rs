//! Duplicate detection: whether a new tool does the job of an existing one.

mod argument_fit;
mod behaviour;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod reuse;
mod same_result;
mod signature;

pub use reuse::{Candidate, Reuse};
