//! Tool metadata read from source: description, tags, and the JSON Schema of the arguments.

pub(super) mod description;
mod doc_comment;
pub(super) mod entry_function;
mod schema_value;
mod type_schema;
