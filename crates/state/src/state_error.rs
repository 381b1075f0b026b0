//! The error enum of this part.

use super::refusal::Refusal;
use tgp_base::error::{Details, ErrorCode, PartError};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    #[error("{}", .0.message)]
    Refused(Box<Refusal>),
    #[error("The exempt glob '{glob}' {problem}.")]
    Glob { glob: String, problem: &'static str },
}

impl PartError for StateError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(_) => ErrorCode::State,
            Self::Glob { .. } => ErrorCode::Config,
        }
    }

    fn details(&self) -> Details {
        match self {
            Self::Refused(refusal) => refusal.details(),
            Self::Glob { .. } => Details::new(),
        }
    }
}
