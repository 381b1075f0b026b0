//! Whether a tool that is about to be written does a job that another one does.

mod argument_fit;
mod behaviour;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod reuse;
mod same_result;
mod signature;

pub use reuse::{Candidate, Reuse};
