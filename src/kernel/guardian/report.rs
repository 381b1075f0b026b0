//! What a check of the guardian found.

use super::contradictions::Contradiction;
use serde::Serialize;

/// The result of a check.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GuardianReport {
    pub ok: bool,
    pub contradictions: Vec<Contradiction>,
    pub violations: Vec<Violation>,
    /// Paths and ids of invariants that halt the workspace.
    pub halts: Vec<String>,
}

impl GuardianReport {
    /// The message of each finding.
    pub fn messages(self) -> Vec<String> {
        let contradictions = self.contradictions.into_iter().map(|found| found.message);
        contradictions.chain(self.violations.into_iter().map(|found| found.message)).collect()
    }
}

/// An invariant that does not hold.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Violation {
    pub invariant: String,
    #[cfg_attr(test, ts(type = "'rows' | 'no rows'"))]
    pub expected: &'static str,
    #[cfg_attr(test, ts(type = "'rows found' | 'no rows found'"))]
    pub actual: &'static str,
    /// File and line.
    pub at: String,
    pub message: String,
}
