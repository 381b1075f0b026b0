//! Who decides about a pending call.

use tgp_policy::Verdict;

#[derive(Debug, Clone)]
pub enum Decider {
    /// The policy function of the application, which replaces rules.
    Hook,
    /// The approver.
    Approver(Verdict),
}
