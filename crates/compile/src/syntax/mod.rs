//! Syntax tree analysis shared by several passes: name resolution, expressions, functions.

mod changes;
pub(super) mod comments;
pub(super) mod completion;
mod declarations;
pub(super) mod expr;
pub(super) mod function_facts;
pub(super) mod function_text;
pub(super) mod names;
pub(super) mod namespaces;
pub(super) mod resolve;
