//! Syntax tree to a body that the sandbox can run.

mod body_scope;
pub(super) mod compiled;
pub(super) mod transpiler;
