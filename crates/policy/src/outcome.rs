//! The outcome of judging a call, without its explanation.

use super::verdict::Decision;
use tgp_base::effect::Effects;

/// The decision, and the index of the deciding rule; `None` for the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    pub decision: Decision,
    pub rule: Option<usize>,
    /// The effects that no rule covers, if the default decided.
    pub uncovered: Effects,
}
