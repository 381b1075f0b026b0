//! The graph as users of this part see it.

use crate::answers::{HistoryEntry, Impact};
use crate::exec;
use crate::graph_error::GraphError;
use crate::limits::QueryBudget;
use crate::model::graph::Graph;
use crate::model::graph_data::GraphData;
use crate::model::path_answers;
use crate::records::CommitId;
use serde_json::{Map, Value};

/// Whether the caller may know that a path exists. Called at most once per path and query, also for paths of runs.
pub type Visible<'f> = &'f dyn Fn(&str) -> bool;

/// The graph of one repository as of one commit.
#[derive(Debug)]
pub struct View {
    pub(crate) data: GraphData,
}

impl View {
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.data.history.commit(self.data.state.commit).map_or(CommitId([0; 20]), |commit| commit.id)
    }

    /// The rows of a query. With one column of nodes or relationships, a row is the object of its properties; otherwise a row has
    /// a member per column.
    pub fn query(
        &self,
        cypher: &str,
        params: &Map<String, Value>,
        budget: &QueryBudget,
        visible: Visible<'_>,
    ) -> Result<Vec<Value>, GraphError> {
        exec::run(&Graph::new(&self.data, visible), cypher, params, budget)
    }

    /// What a change of a path affects. A path that never existed is an error.
    pub fn impact(&self, path: &str, visible: Visible<'_>) -> Result<Impact, GraphError> {
        path_answers::impact(&Graph::new(&self.data, visible), path)
    }

    /// The changes of a path, newest first, through renames.
    pub fn history(&self, path: &str, visible: Visible<'_>) -> Result<Vec<HistoryEntry>, GraphError> {
        path_answers::history(&Graph::new(&self.data, visible), path)
    }
}
