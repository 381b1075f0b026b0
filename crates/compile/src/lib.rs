//! Compiler and linter for tools: source to a runnable body, or to diagnostics that a model can act on.
//!
//! Source text is hostile input. Its size is limited before it is parsed (`parse/source_limits.rs`), it is parsed and
//! transformed on a thread whose stack is sized for the worst case of that text (`parse/big_stack.rs`), and no syntax tree
//! leaves that thread.
//!
//! A folder imports only folders listed before it: diagnostics and positions, parse, syntax, imports, then transpile,
//! describe and `rule_context`, then secrets, then rules, then lint. The compiler runs them all.

// Not used by name: its features enable the trace points that `parse/parse_meter.rs` counts.
use swc_ecma_parser as _;

mod compiler;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of node kinds, and code handles only a few of them"
)]
mod describe;
mod diagnostics;
mod imports;
mod lint;
mod parse;
mod positions;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of node kinds, and code handles only a few of them"
)]
mod rule_context;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of node kinds, and code handles only a few of them"
)]
mod rules;
mod secrets;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of node kinds, and code handles only a few of them"
)]
mod syntax;
mod transpile;

#[cfg(test)]
mod tests;

pub use compiler::Compiler;
pub use describe::description::{Description, SourceRole};
pub use diagnostics::compile_error::CompileError;
pub use diagnostics::diagnostic::{Diagnostic, Fix, Fixed, Severity, apply_fixes};
pub use imports::import::Import;
pub use imports::import_target::{ImportTarget, TOOLS, without_scheme};
pub use imports::links::Links;
pub use imports::module_exports::{DEFAULT, ImportedName, ModuleExports};
pub use imports::reference::Reference;
pub use imports::restricted_import::{RestrictedImport, restricted_import};
pub use imports::std_library;
pub use imports::test_file::{TEST_IMPORT, is_test_file, tested_stem};
pub use lint::linter::{LintOptions, LintResult, MISSING_EXPORT, TYPES, is_safety, rule_ids};
pub use parse::source_limits::MAX_SOURCE_BYTES;
pub use parse::tool_form::{BodyKind, DefaultExport, ModuleKind, ToolForm};
pub use positions::covered_lines::CoveredLines;
pub use positions::position_map::PositionMap;
pub use positions::source_index::Position;
pub use rules::no_forbidden_globals::instead_of_global;
pub use rules::one_argument::ONE_ARGUMENT;
pub use secrets::patterns::{INSTEAD_OF_SECRETS, NO_SECRETS, mask_tokens};
pub use syntax::function_text::Callable;
pub use transpile::compiled::{Compiled, SyntaxChecker};
