//! From what a model wrote to what the sandbox can run, or to a diagnostic it can act on.
//!
//! Source text is hostile input. It is bounded before it is parsed (`parse/source_limits.rs`), it is parsed and transformed
//! on a thread whose stack was sized for the worst that this text can ask of it (`parse/big_stack.rs`), and no syntax tree
//! ever leaves that thread.
//!
//! Folders import only those before them: diagnostics and positions, parse, syntax, imports, then transpile, describe and
//! subject, then secrets, then rules, then lint. The compiler runs them all.

// Not used by name: its features have the parser call out as it goes (`parse/parse_meter.rs`).
use swc_ecma_parser as _;

mod compiler;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod describe;
mod diagnostics;
mod imports;
mod lint;
mod parse;
mod positions;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod rules;
mod secrets;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod subject;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod syntax;
mod transpile;

#[cfg(test)]
mod tests;

pub use compiler::Compiler;
pub use describe::description::{Description, SourceRole};
pub use diagnostics::compile_error::CompileError;
pub use diagnostics::diagnostic::{Diagnostic, Fix, Severity};
pub use diagnostics::fix::{Fixed, apply_fixes};
pub use imports::import::Import;
pub use imports::interface::{DEFAULT, Exported, ImportedName};
pub use imports::named::{Named, TOOLS, without_scheme};
pub use imports::reference::Reference;
pub use imports::restricted::{Restricted, restricted};
pub use imports::std_library;
pub use lint::linter::{LintOptions, LintResult, MISSING_EXPORT, TYPES, is_safety, rule_ids};
pub use lint::test_file::{is_test_file, tested_stem};
pub use parse::source_limits::MAX_SOURCE_BYTES;
pub use parse::tool_form::{BodyKind, DefaultExport, ModuleKind, ToolForm};
pub use positions::covered_lines::CoveredLines;
pub use positions::position::Position;
pub use positions::position_map::PositionMap;
pub use rules::no_forbidden_globals::instead_of_global;
pub use secrets::patterns::{INSTEAD_OF_SECRETS, NO_SECRETS, mask_tokens};
pub use syntax::function_text::Callable;
pub use transpile::compiled::{Compiled, Judge};
