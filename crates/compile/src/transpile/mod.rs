//! The transpiler: syntax tree to a function body for the sandbox.

mod body_scope;
pub(super) mod compiled;
mod import_assignments;
mod import_meta;
mod last_value;
mod loops;
pub(super) mod transpiler;
mod verbatim;
