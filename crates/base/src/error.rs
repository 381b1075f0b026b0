//! The closed list of error codes, and the error type that crosses to JavaScript.
//!
//! Every part has its own error enum; all of them convert to [`Error`].

use std::fmt;

/// Machine-readable reason of a failure. Closed: JavaScript maps exactly these strings to classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    Validation,
    Config,
    NotFound,
    SecurityViolation,
    Compilation,
    IsolateTimeout,
    IsolateMemory,
    IsolateCrashed,
    ToolThrown,
    Result,
    Limit,
    Sql,
    Fetch,
    Git,
    GitConflict,
    Duplicate,
    Io,
    Aborted,
    Shutdown,
    /// The policy, or a token, does not allow the call.
    Denied,
    /// The policy requires an approval, which was missing or refused.
    Approval,
    /// Another call must come first: a failing or a passing run of the tool's test.
    State,
    /// The records of the workspace contradict each other, or an invariant does not hold.
    Halt,
    Ledger,
    /// A defect of this package.
    Internal,
}

impl ErrorCode {
    /// Every code; a test compares the list with the one in JavaScript.
    pub const ALL: [Self; 25] = [
        Self::Validation,
        Self::Config,
        Self::NotFound,
        Self::SecurityViolation,
        Self::Compilation,
        Self::IsolateTimeout,
        Self::IsolateMemory,
        Self::IsolateCrashed,
        Self::ToolThrown,
        Self::Result,
        Self::Limit,
        Self::Sql,
        Self::Fetch,
        Self::Git,
        Self::GitConflict,
        Self::Duplicate,
        Self::Io,
        Self::Aborted,
        Self::Shutdown,
        Self::Denied,
        Self::Approval,
        Self::State,
        Self::Halt,
        Self::Ledger,
        Self::Internal,
    ];

    /// The code with this string.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

    /// The string that users see in `error.code`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "ERR_VALIDATION",
            Self::Config => "ERR_CONFIG",
            Self::NotFound => "ERR_NOT_FOUND",
            Self::SecurityViolation => "ERR_SECURITY_VIOLATION",
            Self::Compilation => "ERR_COMPILATION",
            Self::IsolateTimeout => "ERR_ISOLATE_TIMEOUT",
            Self::IsolateMemory => "ERR_ISOLATE_MEMORY",
            Self::IsolateCrashed => "ERR_ISOLATE_CRASHED",
            Self::ToolThrown => "ERR_TOOL_THROWN",
            Self::Result => "ERR_RESULT",
            Self::Limit => "ERR_LIMIT",
            Self::Sql => "ERR_SQL",
            Self::Fetch => "ERR_FETCH",
            Self::Git => "ERR_GIT",
            Self::GitConflict => "ERR_GIT_CONFLICT",
            Self::Duplicate => "ERR_DUPLICATE",
            Self::Io => "ERR_IO",
            Self::Aborted => "ERR_ABORTED",
            Self::Shutdown => "ERR_SHUTDOWN",
            Self::Denied => "ERR_DENIED",
            Self::Approval => "ERR_APPROVAL",
            Self::State => "ERR_STATE",
            Self::Halt => "ERR_HALT",
            Self::Ledger => "ERR_LEDGER",
            Self::Internal => "ERR_INTERNAL",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Extra facts about a failure, as JSON members of `error.details`.
pub type Details = serde_json::Map<String, serde_json::Value>;

/// Implemented by the error enum of every part.
pub trait PartError: std::error::Error {
    fn code(&self) -> ErrorCode;

    /// Facts in addition to the message. Never a host path or a secret.
    fn details(&self) -> Details {
        Details::new()
    }
}

/// An error as it crosses to JavaScript.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub code: ErrorCode,
    pub message: String,
    pub details: Details,
}

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Details::new() }
    }

    /// The error of a job that panicked.
    #[must_use]
    pub fn panicked() -> Self {
        Self::new(
            ErrorCode::Internal,
            "The kernel failed because of an internal error; the application keeps running. Retry, and report the defect.",
        )
    }

    /// The same error with one more fact in `details`.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}

impl<E: PartError> From<E> for Error {
    fn from(error: E) -> Self {
        Self { code: error.code(), message: error.to_string(), details: error.details() }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;
    use std::collections::HashSet;

    #[test]
    fn every_code_has_its_own_string() {
        let strings: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(strings.len(), ErrorCode::ALL.len());
        assert!(strings.iter().all(|text| text.starts_with("ERR_")));
    }
}
