//! Syntax tree to a body that the sandbox can run.

mod as_written;
mod body_scope;
pub(super) mod compiled;
mod import_assignments;
mod import_meta;
mod last_value;
mod loops;
pub(super) mod transpiler;
