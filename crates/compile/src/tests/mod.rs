//! Tests of the whole crate: behaviour of the emitted body, error positions, hostile source text.

mod hostile_source;
mod language_features;
#[expect(clippy::disallowed_methods, reason = "Node is the oracle")]
mod node_oracle;
mod parser_limits;
mod source_positions;
mod syntax_errors;
mod tool_forms;
