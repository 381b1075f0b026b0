//! The parser: text to syntax tree, within limits that hold for hostile text.

mod await_calls;
pub(super) mod big_stack;
pub(super) mod fault;
pub(super) mod for_using;
pub(super) mod language;
mod markup;
pub(super) mod nesting;
pub(super) mod parse_meter;
pub(super) mod parser;
pub(super) mod source_limits;
pub(super) mod tool_form;
pub(super) mod top_level;
