//! What the rules and the type checker say of a tool, and what it may do then.

#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod checks;
mod export_check;
mod refusal;
mod type_gate;
mod type_sources;

pub use checks::{Caller, CheckParts, Checks, Depth, Judged};

#[cfg(test)]
pub use type_gate::Reply;
