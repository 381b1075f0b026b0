//! Approvals: requests, answers, and the store of pending ones.

mod approval_errors;
mod approval_request;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod approvals;
mod decider_answer;
mod permanent_rule;
mod wait;

pub use approval_errors::{no_approver, not_approved};
pub use approval_request::ApprovalRequest;
#[cfg(test)]
pub use approval_request::SentRequest;
pub use approvals::{Approvals, Decider, Subject};
pub use decider_answer::DeciderAnswer;
pub use permanent_rule::permanent_rule;
pub use wait::{FULL_LIMIT, after_refusal, ask_approval};
