//! One rule of a policy.

use super::matching::matchers::Matchers;
use super::matching::targets::Targets;
use super::verdict::{Decision, Verdict};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub id: Arc<str>,
    pub decision: Decision,
    pub targets: Targets,
    pub matchers: Matchers,
    pub reason: Arc<str>,
    /// File and line.
    pub at: Arc<str>,
}

impl Rule {
    pub fn verdict(&self) -> Verdict {
        Verdict {
            decision: self.decision,
            rule: Arc::clone(&self.id),
            at: Arc::clone(&self.at),
            reason: Arc::clone(&self.reason),
            nearest: None,
        }
    }
}
