//! From what a model wrote to what the sandbox can run, or to a diagnostic it can act on.
//!
//! Source text is hostile input. It is bounded before it is parsed ([`source_limits`]), it is parsed and transformed on a
//! thread whose stack was sized for the worst that this text can ask of it ([`big_stack`]), and no syntax tree ever leaves
//! that thread.

mod big_stack;
mod body_scope;
mod compile_error;
mod compiler;
mod describe;
mod diagnostic;
mod doc_comment;
mod entry_function;
mod imports;
mod language;
mod lexical_depth;
mod nesting;
mod parse;
mod position_map;
mod schema_value;
mod source_index;
mod source_limits;
mod tool_form;
mod top_level;
mod transpile;
mod type_schema;

#[cfg(test)]
mod tests;

pub use compile_error::CompileError;
pub use compiler::{Compiled, Compiler};
pub use describe::{Description, SourceRole};
pub use diagnostic::{Diagnostic, Severity};
pub use imports::Import;
pub use position_map::{Position, PositionMap};
pub use source_limits::MAX_SOURCE_BYTES;
pub use tool_form::{BodyKind, DefaultExport, ModuleKind, ToolForm};
