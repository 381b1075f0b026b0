//! Errors of the compiler.

use tgp_base::error::{Details, ErrorCode, PartError};

use super::diagnostic::Diagnostic;
use crate::positions::source_index::Position;

/// An error of [`crate::Compiler::compile`]. Each message tells a model how to change the source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    #[error("{path}:{line}:{column}: {message}")]
    Syntax { path: String, line: u32, column: u32, message: String },
    #[error("{path}:{line}:{column}: nested too deeply; split the code into smaller functions")]
    TooDeep { path: String, line: u32, column: u32 },
    #[error("{path} has {bytes} bytes, the limit is {limit}; move data into a JSON file or split the tool")]
    TooLarge { path: String, bytes: usize, limit: usize },
    #[error("{path} is too dense to compile safely; split it into several files")]
    TooDense { path: String },
    #[error("{path}: JSX is not supported, a tool returns data; write it as .ts without markup")]
    Jsx { path: String },
    #[error("{path} is not a source file that can be compiled; use .ts, .mts, .cts, .js, .mjs or .cjs")]
    UnknownLanguage { path: String },
    #[error(
        "{path}:{line}:{column}: this syntax is too ambiguous to parse; move nested conditional or generic arrow functions \
         into named functions, and put comparisons with '<' in parentheses"
    )]
    TooAmbiguous { path: String, line: u32, column: u32 },
    #[error("{path} was not compiled: no thread could be started; free memory and try again")]
    NoThread { path: String },
    #[error("{path} caused an internal compiler error; rewrite its most unusual construct and try again")]
    Internal { path: String },
}

impl CompileError {
    fn path(&self) -> &str {
        match self {
            Self::Syntax { path, .. }
            | Self::TooDeep { path, .. }
            | Self::TooLarge { path, .. }
            | Self::TooDense { path }
            | Self::Jsx { path }
            | Self::UnknownLanguage { path }
            | Self::TooAmbiguous { path, .. }
            | Self::NoThread { path }
            | Self::Internal { path } => path,
        }
    }

    /// Line and column of the error; `None` for an error of the whole source.
    #[must_use]
    pub fn position(&self) -> Option<(u32, u32)> {
        match self {
            Self::Syntax { line, column, .. }
            | Self::TooDeep { line, column, .. }
            | Self::TooAmbiguous { line, column, .. } => Some((*line, *column)),
            Self::TooLarge { .. }
            | Self::TooDense { .. }
            | Self::Jsx { .. }
            | Self::UnknownLanguage { .. }
            | Self::NoThread { .. }
            | Self::Internal { .. } => None,
        }
    }

    /// The error as a diagnostic, for `check`.
    pub(crate) fn into_diagnostic(self) -> Diagnostic {
        let (line, column) = self.position().unwrap_or((1, 1));
        let message = match self {
            Self::Syntax { message, .. } => message,
            other @ (Self::TooDeep { .. }
            | Self::TooLarge { .. }
            | Self::TooDense { .. }
            | Self::Jsx { .. }
            | Self::UnknownLanguage { .. }
            | Self::TooAmbiguous { .. }
            | Self::NoThread { .. }
            | Self::Internal { .. }) => other.to_string(),
        };
        Diagnostic::error_at(Position { line, column }, "syntax", message)
    }
}

impl PartError for CompileError {
    fn code(&self) -> ErrorCode {
        ErrorCode::Compilation
    }

    fn details(&self) -> Details {
        let mut details = Details::new();
        details.insert("path".to_owned(), self.path().into());
        if let Some((line, column)) = self.position() {
            details.insert("line".to_owned(), line.into());
            details.insert("column".to_owned(), column.into());
        }
        details
    }
}

#[cfg(test)]
mod tests {
    use super::CompileError;
    use tgp_base::error::Error;

    #[test]
    fn a_syntax_error_has_its_position_in_message_and_details() {
        let error: Error = CompileError::Syntax {
            path: "tools/x.ts".to_owned(),
            line: 3,
            column: 9,
            message: "Expression expected".to_owned(),
        }
        .into();
        assert_eq!(error.message, "tools/x.ts:3:9: Expression expected");
        assert_eq!(error.code.as_str(), "ERR_COMPILATION");
        assert_eq!(
            serde_json::Value::Object(error.details),
            serde_json::json!({"path": "tools/x.ts", "line": 3, "column": 9})
        );
    }
}
