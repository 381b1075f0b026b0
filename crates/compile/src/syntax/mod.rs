//! Questions about a syntax tree that more than one step asks: what an expression is, and whom a name means.

mod changes;
pub(super) mod comments;
pub(super) mod completion;
mod declarations;
pub(super) mod expr;
pub(super) mod function_facts;
pub(super) mod function_text;
pub(super) mod names;
pub(super) mod resolve;
