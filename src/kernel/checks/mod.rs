//! Tool checks by rules and type checker, and the gate that acts on them.

#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod checks;
mod export_check;
mod refusal;
mod type_gate;
mod type_sources;

pub use checks::{CheckDeps, CheckFindings, Checks, Depth};

#[cfg(test)]
pub use type_gate::Reply;
