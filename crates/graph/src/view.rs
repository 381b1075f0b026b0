use crate::{CommitId, GraphError, HistoryEntry, Impact, QueryBudget};
use serde_json::{Map, Value};

/// Whether the caller may know that a path exists. Called once per path and query.
pub type Visible<'f> = &'f dyn Fn(&str) -> bool;

/// The graph of one repository as of one commit.
#[derive(Debug)]
pub struct View {
    commit: CommitId,
}

impl View {
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// The rows of a query.
    pub fn query(
        &self,
        _cypher: &str,
        _params: &Map<String, Value>,
        _budget: &QueryBudget,
        _visible: Visible<'_>,
    ) -> Result<Vec<Value>, GraphError> {
        Err(GraphError::Cancelled)
    }

    /// What a change of a path affects. A path that never existed is an error.
    pub fn impact(&self, path: &str, _visible: Visible<'_>) -> Result<Impact, GraphError> {
        Err(GraphError::UnknownCommit(path.to_owned()))
    }

    /// The changes of a path, newest first, through renames.
    pub fn history(&self, path: &str, _visible: Visible<'_>) -> Result<Vec<HistoryEntry>, GraphError> {
        Err(GraphError::UnknownCommit(path.to_owned()))
    }
}
