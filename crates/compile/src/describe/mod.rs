//! What a tool says about itself: what it is for, and what it takes.

pub(super) mod description;
mod doc_comment;
pub(super) mod entry_function;
mod schema_value;
mod type_schema;
