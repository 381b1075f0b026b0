//! The transpiler: syntax tree to a function body for the sandbox.

mod alias_targets;
mod body_scope;
pub(super) mod compiled;
mod default_name;
mod hygiene;
mod import_assignments;
mod import_meta;
mod last_value;
mod loops;
pub(super) mod transpiler;
mod verbatim;
