//! Limits of the store and of one query.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Limits of a [`crate::GraphStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLimits {
    /// The most commits of one repository.
    pub commits: usize,
    /// The most files of one commit.
    pub files: usize,
    /// The most changes of paths, over all commits of one repository.
    pub changes: usize,
    /// The newest runs and writes of sessions that are part of the graph.
    pub activities: usize,
    /// Bytes of views that are kept for later queries.
    pub view_bytes: usize,
}

impl Default for GraphLimits {
    fn default() -> Self {
        Self { commits: 200_000, files: 100_000, changes: 2_000_000, activities: 50_000, view_bytes: 128 * 1024 * 1024 }
    }
}

/// Limits of one query. Exceeding one is [`crate::GraphError::Limit`].
#[derive(Debug, Clone)]
pub struct QueryBudget {
    /// Rows of the result.
    pub rows: usize,
    /// The longest path of a pattern with variable length.
    pub hops: usize,
    /// Visited nodes, relationships, rows and values.
    pub steps: u64,
    /// Bytes of all values that the query holds at once.
    pub bytes: usize,
    pub time: Duration,
    /// Ends the query early when set.
    pub cancelled: Option<Arc<AtomicBool>>,
}

impl Default for QueryBudget {
    fn default() -> Self {
        Self {
            rows: 10_000,
            hops: 16,
            steps: 2_000_000,
            bytes: 16 * 1024 * 1024,
            time: Duration::from_secs(2),
            cancelled: None,
        }
    }
}
