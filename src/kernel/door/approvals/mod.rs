//! Approvals: requests, answers, and the store of pending ones.

mod approval_answer;
mod approval_errors;
mod approval_request;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod approvals;
mod permanent_rule;
mod wait;

pub use approval_answer::{AnswerVerdict, ApprovalAnswer};
pub use approval_errors::{no_approver, not_approved};
pub use approval_request::ApprovalRequest;
pub use approvals::{Approvals, Decider, Subject};
pub use permanent_rule::permanent_rule;
pub use wait::{FULL_LIMIT, after_refusal, ask_approval};
