//! The error enum of this part.

use tgp_base::error::{Details, Error, ErrorCode, PartError};
use tgp_base::spelling::did_you_mean;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// The text of a query is not valid.
    #[error("{}", .0.message())]
    Query(Box<QueryFault>),
    #[error("The parameter '${0}' is missing. Pass it with the query.")]
    MissingParameter(String),
    /// A parameter, or the text of the query, is too large or too deep.
    #[error("The {what} {problem}.")]
    Input { what: &'static str, problem: String },
    #[error(
        "The commit '{0}' does not exist in this repository. Use a full hash, or at least seven of its first digits."
    )]
    UnknownCommit(String),
    /// A path that no commit and no file of the graph has.
    #[error("The path '{path}' does not exist in this repository, and never did.{}", did_you_mean(.suggestion.as_deref()))]
    UnknownPath { path: String, suggestion: Option<String> },
    #[error("'{0}' needs the ledger, which is off. Set \"ledger\" to record sessions and runs.")]
    NoLedger(&'static str),
    #[error("The query exceeded its limit of {limit} {what}. {advice}.")]
    Limit { what: &'static str, limit: u64, advice: &'static str },
    #[error("The repository has more than {limit} {what}, the most that the graph supports.")]
    TooLarge { what: &'static str, limit: u64 },
    #[error("The query was cancelled.")]
    Cancelled,
    #[error("The cache of the graph cannot be used ({0}). Check its folder and its disk, then retry.")]
    Store(StoreFault),
    /// An error of the source.
    #[error("{0}")]
    Source(Box<Error>),
}

/// What is wrong with a query, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFault {
    /// One or two sentences, without a position.
    pub problem: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// A known name that is similar.
    pub suggestion: Option<String>,
}

impl QueryFault {
    fn message(&self) -> String {
        let Self { problem, line, column, suggestion } = self;
        format!("Line {line}, column {column} of the query: {problem}{}", did_you_mean(suggestion.as_deref()))
    }
}

/// Why the file of the cache failed. Never a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StoreFault {
    #[error("the disk is full")]
    DiskFull,
    #[error("access is not allowed")]
    NotAllowed,
    #[error("another process holds a lock for too long")]
    Busy,
    #[error("the file is damaged")]
    Damaged,
    #[error("the system refused the operation")]
    Refused,
}

impl From<Error> for GraphError {
    fn from(error: Error) -> Self {
        Self::Source(Box::new(error))
    }
}

impl PartError for GraphError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Query(_) | Self::MissingParameter(_) | Self::Input { .. } => ErrorCode::Validation,
            Self::UnknownCommit(_) | Self::UnknownPath { .. } => ErrorCode::NotFound,
            Self::NoLedger(_) => ErrorCode::Ledger,
            Self::Limit { .. } | Self::TooLarge { .. } => ErrorCode::Limit,
            Self::Cancelled => ErrorCode::Aborted,
            Self::Store(_) => ErrorCode::Io,
            Self::Source(error) => error.code,
        }
    }

    fn details(&self) -> Details {
        let mut details = Details::new();
        if let Self::Query(fault) = self {
            details.insert("line".to_owned(), fault.line.into());
            details.insert("column".to_owned(), fault.column.into());
            if let Some(suggestion) = &fault.suggestion {
                details.insert("suggestion".to_owned(), suggestion.as_str().into());
            }
        } else if let Self::Limit { what, limit, .. } | Self::TooLarge { what, limit } = self {
            details.insert("limit".to_owned(), (*what).into());
            details.insert("max".to_owned(), (*limit).into());
        } else if let Self::Source(error) = self {
            details.clone_from(&error.details);
        }
        details
    }
}
