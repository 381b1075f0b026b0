//! Syntax tree to a body that the sandbox can run.

mod body_scope;
pub(super) mod compiled;
mod import_meta;
mod last_value;
pub(super) mod transpiler;
