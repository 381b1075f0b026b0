//! From what a model wrote to what the sandbox can run, or to a diagnostic it can act on.
//!
//! Source text is hostile input. It is bounded before it is parsed ([`source_limits`]), it is parsed and transformed on a
//! thread whose stack was sized for the worst that this text can ask of it ([`big_stack`]), and no syntax tree ever leaves
//! that thread.

mod big_stack;
mod body_scope;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod changes;
mod compile_error;
mod compiler;
mod declarations;
mod describe;
mod diagnostic;
mod doc_comment;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod entry;
mod entry_function;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod expr;
mod fix;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod function_facts;
mod imports;
mod language;
mod lint;
mod names;
mod nesting;
mod parse;
mod parse_meter;
mod position_map;
mod rule;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a syntax tree has dozens of kinds of node, and code names the few that it is about"
)]
mod rules;
mod schema_value;
mod source_index;
mod source_limits;
mod specifiers;
mod subject;
mod suppression;
mod tool_form;
mod top_level;
mod transpile;
mod type_schema;
mod words;

#[cfg(test)]
mod tests;

pub use compile_error::CompileError;
pub use compiler::{Compiled, Compiler};
pub use describe::{Description, SourceRole};
pub use diagnostic::{Diagnostic, Fix, Severity};
pub use fix::{Fixed, apply_fixes};
pub use imports::Import;
pub use lint::{LintOptions, TYPES, Verdict, is_safety, rule_ids};
pub use position_map::{Position, PositionMap};
pub use source_limits::MAX_SOURCE_BYTES;
pub use specifiers::Reference;
pub use tool_form::{BodyKind, DefaultExport, ModuleKind, ToolForm};
