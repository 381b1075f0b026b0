//! Errors of statements and databases.

use tgp_base::error::{Details, ErrorCode, PartError};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// A statement that tools may not run.
    #[error("Security Violation: {what}. {advice}")]
    Refused { what: String, advice: &'static str },
    /// A schema change where that is not allowed.
    #[error("Security Violation: {verb} would change the schema, which tools may not do on this database. {advice}")]
    SchemaFixed { verb: &'static str, advice: &'static str },
    #[error("{0}")]
    Unreadable(String),
    #[error("{0}")]
    Parameters(String),
    /// An error reported by the database.
    #[error("{message}")]
    Database { message: String, code: Option<String> },
    #[error(
        "The statement timed out after {ms} ms (statementTimeoutMs) and was stopped. Narrow it: fewer rows, fewer joins, a condition on a column with an index."
    )]
    Timeout { ms: u64 },
    #[error("The statement was cancelled.")]
    Cancelled,
    #[error(
        "The database was changed by another connection after this run's first read, so its write was refused. Run the tool again."
    )]
    Conflict,
    #[error("The database is locked by another process. Try again when it has finished.")]
    Busy,
    #[error(
        "The statement returns more than {limit} rows (maxRows). Aggregate, filter, or page with LIMIT and OFFSET."
    )]
    TooManyRows { limit: usize },
    #[error("The rows are more than {limit} bytes of JSON (maxBytes). Select fewer columns or rows.")]
    TooManyBytes { limit: usize },
    #[error("A value is nested deeper than {levels} levels. Select the part that is needed, or select it as text.")]
    TooDeep { levels: usize },
    #[error(
        "The statement creates or reads a value of more than {limit} bytes (maxBytes). Compute less in one statement, because complex statements have a lower limit, or read long values in parts with substr()."
    )]
    TooLong { limit: usize },
    #[error(
        "The statement needs more memory than the embedded database may use: {megabytes} MB for all its statements, less while other databases need memory. Sort, group or return less, add an index, or try again later."
    )]
    OutOfMemory { megabytes: usize },
    #[error("The connection to the database is closed.")]
    Closed,
    #[error("The options are not valid: {0}.")]
    Options(String),
}

/// A refusal: what is refused, and the alternative.
pub(super) fn refused(what: impl Into<String>, advice: &'static str) -> SqlError {
    SqlError::Refused { what: what.into(), advice }
}

/// Maximum length of a quoted name in a message.
const QUOTED_CHARS: usize = 60;

pub(super) fn shortened(name: &str) -> String {
    if name.chars().count() <= QUOTED_CHARS {
        return name.to_owned();
    }
    name.chars().take(QUOTED_CHARS).chain(['…']).collect()
}

impl PartError for SqlError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Refused { .. } | Self::SchemaFixed { .. } => ErrorCode::SecurityViolation,
            Self::Parameters(_) => ErrorCode::Validation,
            Self::Options(_) => ErrorCode::Config,
            Self::Cancelled => ErrorCode::Aborted,
            Self::Unreadable(_)
            | Self::Database { .. }
            | Self::Timeout { .. }
            | Self::Conflict
            | Self::Busy
            | Self::TooManyRows { .. }
            | Self::TooManyBytes { .. }
            | Self::TooDeep { .. }
            | Self::TooLong { .. }
            | Self::OutOfMemory { .. }
            | Self::Closed => ErrorCode::Sql,
        }
    }

    fn details(&self) -> Details {
        let mut details = Details::new();
        let reason = match self {
            Self::Refused { .. } => "refused",
            Self::SchemaFixed { .. } => "ddl",
            Self::Unreadable(_) => "unreadable",
            Self::Parameters(_) => "parameters",
            Self::Database { code, .. } => {
                if let Some(code) = code {
                    details.insert("databaseCode".to_owned(), code.as_str().into());
                }
                "database"
            }
            Self::Timeout { .. } => "timeout",
            Self::Cancelled => "cancelled",
            Self::Conflict => "conflict",
            Self::Busy => "busy",
            Self::TooManyRows { .. } => "maxRows",
            Self::TooManyBytes { .. } => "maxBytes",
            Self::TooDeep { .. } => "depth",
            Self::TooLong { .. } => "length",
            Self::OutOfMemory { .. } => "memory",
            Self::Closed => "closed",
            Self::Options(_) => "options",
        };
        details.insert("reason".to_owned(), reason.into());
        details
    }
}
