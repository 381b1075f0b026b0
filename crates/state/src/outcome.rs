//! The outcome of a test run, and the set of outcomes seen with the same texts.

use super::event::{CaseEnd, Ending};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Every case ran, had an expectation, and passed.
    Passed,
    /// A case failed, or the tool is missing.
    Failed,
    Empty,
    Broken,
    LeftOut,
    Hollow,
}

impl Outcome {
    pub fn of(ending: &Ending) -> Self {
        let cases = match ending {
            Ending::Ran { cases } => cases,
            Ending::ToolMissing => return Self::Failed,
            Ending::Broken => return Self::Broken,
        };
        let has = |end: CaseEnd| cases.iter().any(|case| case.end == end);
        if has(CaseEnd::Failed) {
            Self::Failed
        } else if cases.is_empty() {
            Self::Empty
        } else if has(CaseEnd::LeftOut) {
            Self::LeftOut
        } else if has(CaseEnd::Hollow) {
            Self::Hollow
        } else {
            Self::Passed
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// All outcomes seen with the same texts. The set only grows, so the order of runs does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outcomes(u8);

impl Outcomes {
    pub const fn of(outcome: Outcome) -> Self {
        Self(outcome.bit())
    }

    pub const fn has(self, outcome: Outcome) -> bool {
        self.0 & outcome.bit() != 0
    }

    pub const fn join(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
