//! The part as a whole, seen from outside: what the emitted body does, where its errors point, what hostile text can do.

mod forms;
mod hostile_source;
mod language_features;
#[expect(clippy::disallowed_methods, reason = "Node is the oracle")]
mod node_oracle;
mod parser_effort;
mod source_positions;
mod syntax_errors;
