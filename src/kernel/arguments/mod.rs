//! Arguments of tools, validated against the schema of the text that runs.

mod argument_check;
mod argument_schema;
mod json_members;
mod parameters_text;
mod tool_arguments;

pub use parameters_text::parameters_text;
pub use tool_arguments::ToolArguments;
