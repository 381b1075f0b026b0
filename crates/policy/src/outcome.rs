//! What the rules say, before it is put into words.

use super::effect::Effects;
use super::verdict::Decision;

/// What was decided, and by which rule; by the default where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    pub decision: Decision,
    pub rule: Option<usize>,
    /// Where the default decided: effects that no rule covers.
    pub uncovered: Effects,
}
