//! What the graph needs of a repository.

use crate::graph_error::GraphError;
use crate::records::{Activity, ActivityState, CommitId, CommitRecord, FileFacts, TreeFile};

/// Receives commits, one at a time.
pub type EachCommit<'f> = &'f mut dyn FnMut(CommitRecord) -> Result<(), GraphError>;
/// Receives events of the ledger with their positions.
pub type EachActivity<'f> = &'f mut dyn FnMut(u64, Activity) -> Result<(), GraphError>;

/// One repository, with the ledger of its kernel. Implementations limit what they read.
pub trait Source {
    /// The commit with this full or short hash; of `None`, HEAD. Unknown: [`GraphError::UnknownCommit`].
    fn resolve(&self, commit: Option<&str>) -> Result<CommitId, GraphError>;

    /// Passes the ancestors of `head` and `head` itself, parents first. Omits commits that are known, with their ancestors.
    fn commits(
        &self,
        head: &CommitId,
        known: &dyn Fn(&CommitId) -> bool,
        each: EachCommit<'_>,
    ) -> Result<(), GraphError>;

    /// All files of a commit.
    fn tree(&self, commit: &CommitId) -> Result<Vec<TreeFile>, GraphError>;

    /// The facts of a file. The answer is cached by blob, separately for paths below `tools/`.
    fn facts(&self, file: &TreeFile) -> Result<FileFacts, GraphError>;

    /// Passes the events after a position, in order.
    fn activity(&self, after: u64, each: EachActivity<'_>) -> Result<ActivityState, GraphError>;
}
