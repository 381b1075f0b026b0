//! The arguments that one text of a tool takes.

use super::argument_check::{Problem, problems};
use super::argument_schema::ArgumentSchema;
use super::parameters_text::parameters_text;
use serde_json::Value;
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::Compiler;

/// What a tool takes, derived from its text.
pub struct ToolArguments {
    schema: ArgumentSchema,
    parameters: Value,
    /// Whether it needs more arguments than the one that it gets.
    pub is_positional: bool,
}

impl ToolArguments {
    /// Of a text that compiles.
    pub fn of(compiler: &Compiler, path: &str, source: &str) -> Self {
        let described = compiler.describe(path, source).ok();
        let text = described.as_ref().map(|described| parameters_text(compiler, &described.parameters));
        let parameters = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let is_positional = described.is_some_and(|described| described.is_positional);
        Self { schema: ArgumentSchema::new(&parameters), parameters, is_positional }
    }

    /// Refuses arguments that the tool does not take.
    ///
    /// # Errors
    /// `Validation`, with the problems and the schema in `details`.
    pub fn check(&self, path: &str, args_json: &str) -> Result<(), Error> {
        let found = problems(&self.schema, args_json);
        let Some(first) = found.first() else { return Ok(()) };
        let (field, text) = (first.key.clone(), joined(&found));
        let issues = serde_json::to_value(&found).unwrap_or_default();
        Err(Error::new(ErrorCode::Validation, format!("{path}: {text}"))
            .with("field", field)
            .with("issues", issues)
            .with("parameters", self.parameters.clone()))
    }
}

/// The problems as one sentence, which may end with a question.
fn joined(problems: &[Problem]) -> String {
    let text = problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ");
    if text.ends_with('?') { text } else { format!("{text}.") }
}
