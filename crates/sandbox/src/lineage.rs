//! Where a run stands among those that started each other.

use tgp_base::ids::RunId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lineage {
    /// The run that no tool has started.
    pub root: RunId,
    /// The run that started this one; none for the root itself.
    pub parent: Option<RunId>,
    /// How many runs wait for this one.
    pub depth: u32,
}

impl Lineage {
    #[must_use]
    pub fn of_root(run: RunId) -> Self {
        Self { root: run, parent: None, depth: 0 }
    }

    /// The place of a run that `parent`, which stands here, starts.
    #[must_use]
    pub fn below(self, parent: RunId) -> Self {
        Self { root: self.root, parent: Some(parent), depth: self.depth.saturating_add(1) }
    }
}
