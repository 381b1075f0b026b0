//! The error enum of this part.

use super::verdict::Verdict;
use tgp_base::error::{Details, ErrorCode, PartError};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The file or the object is invalid. `at` is file and line.
    #[error("The policy is not valid: {at}: {message}")]
    Malformed { at: String, message: String },
    /// A test in the file failed.
    #[error(
        "The policy is not valid: {at}: the test expects {expected}, but the rules decide {found} (rule '{rule}', {rule_at}). Change the rule or the test."
    )]
    TestFailed { at: String, expected: &'static str, found: &'static str, rule: String, rule_at: String },
    /// The caveats for a token are invalid.
    #[error("The caveats are not valid: {at}: {message}")]
    Caveats { at: String, message: String },
    #[error("The token key must have at least {least} bytes. Use random bytes and keep them secret.")]
    ShortKey { least: usize },
    /// The token is foreign, changed, revoked or used up.
    #[error("The token is refused: {reason}")]
    Token { reason: &'static str },
    #[error("The token was not created: the system provided no random bytes. Retry.")]
    NoRandomness,
    #[error("{tool} is denied by rule '{}' ({}): {}{}", verdict.rule, verdict.at, verdict.reason, nearest(verdict))]
    Denied { tool: String, verdict: Box<Verdict> },
}

fn nearest(verdict: &Verdict) -> String {
    verdict.nearest.as_ref().map(|nearest| format!(" Allowed instead: {nearest}")).unwrap_or_default()
}

impl PartError for PolicyError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Malformed { .. } | Self::TestFailed { .. } | Self::ShortKey { .. } => ErrorCode::Config,
            Self::Caveats { .. } => ErrorCode::Validation,
            Self::Token { .. } | Self::Denied { .. } => ErrorCode::Denied,
            Self::NoRandomness => ErrorCode::Io,
        }
    }

    fn details(&self) -> Details {
        let mut details = Details::new();
        match self {
            Self::Malformed { at, .. } | Self::TestFailed { at, .. } | Self::Caveats { at, .. } => {
                details.insert("at".to_owned(), at.as_str().into());
            }
            Self::Token { reason } => {
                details.insert("verdict".to_owned(), "deny".into());
                details.insert("rule".to_owned(), "token".into());
                details.insert("at".to_owned(), "token".into());
                details.insert("reason".to_owned(), (*reason).into());
            }
            Self::Denied { verdict, .. } => return verdict.details(),
            Self::ShortKey { .. } | Self::NoRandomness => {}
        }
        details
    }
}
