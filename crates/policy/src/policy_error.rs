//! Every way in which a policy or a token can fail.

use super::verdict::Verdict;
use tgp_base::error::{Details, ErrorCode, PartError};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The file or the object says something that cannot be meant. `at` is file and line.
    #[error("The policy is not in force: {at}: {message}")]
    Malformed { at: String, message: String },
    /// A test inside the file came out otherwise.
    #[error(
        "The policy is not in force: {at}: the test expects {expected}, and the rules say {found} (rule '{rule}', {rule_at}). Change the rule or the test."
    )]
    TestFailed { at: String, expected: &'static str, found: &'static str, rule: String, rule_at: String },
    /// What was to be put into a token cannot be meant.
    #[error("The caveats are not valid: {at}: {message}")]
    Caveats { at: String, message: String },
    #[error("The key for tokens must have at least {least} bytes; make one at random and keep it secret.")]
    ShortKey { least: usize },
    /// The token is not one of ours, was changed, was revoked, or is used up.
    #[error("The token is refused: {reason}")]
    Token { reason: &'static str },
    #[error("The machine gives no random bytes, so no token can be made. Try again.")]
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
