//! The graph: a read model of a repository's commits, files, tools and runs, as of one commit. Queried with Cypher.
//!
//! Everything is derived from a [`Source`]. Commits and facts of files are cached in one SQLite file, which is rebuilt when it is
//! missing or damaged. Queries run in memory, within a [`QueryBudget`].

mod answers;
mod cypher;
mod exec;
mod graph_error;
mod limits;
mod model;
mod records;
mod source;
mod store;
#[cfg(test)]
mod tests;
mod view;

pub use answers::{Dependent, HistoryEntry, Impact, ImpactRun, Ingested};
pub use graph_error::{GraphError, QueryFault, StoreFault};
pub use limits::{GraphLimits, QueryBudget};
pub use records::{
    Activity, ActivityState, ChangeStatus, CommitId, CommitRecord, FileChange, FileFacts, RunRecord, SessionWrite,
    TreeFile,
};
pub use source::{EachActivity, EachCommit, Source};
pub use store::GraphStore;

/// Parses a query without running it.
///
/// # Errors
/// `Query` with line and column.
pub fn check_query(cypher: &str) -> Result<(), GraphError> {
    cypher::parse(cypher).map(drop)
}
pub use view::{View, Visible};
