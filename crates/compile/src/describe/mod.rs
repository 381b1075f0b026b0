//! Tool metadata read from source: description, tags, and the JSON Schema of the arguments.

mod closed_types;
pub(super) mod description;
mod doc_comment;
pub(super) mod entry_function;
mod schema_value;
mod type_schema;
