//! The position of a run in its tree of nested runs.

use tgp_base::ids::RunId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lineage {
    /// The run at the root, which was not started by a tool.
    pub root: RunId,
    /// The run that started this one; `None` for the root.
    pub parent: Option<RunId>,
    /// Number of ancestors.
    pub depth: u32,
}

impl Lineage {
    #[must_use]
    pub fn of_root(run: RunId) -> Self {
        Self { root: run, parent: None, depth: 0 }
    }

    /// The lineage of a run started by `parent`, the run of this lineage.
    #[must_use]
    pub fn below(self, parent: RunId) -> Self {
        Self { root: self.root, parent: Some(parent), depth: self.depth.saturating_add(1) }
    }
}
