//! Queries of the graph on behalf of the guardian: rules about the caller do not apply.

use crate::kernel::graph::{Graph, GraphAnswer, GraphQuestion};
use crate::kernel::visibility::with_visibility;
use serde_json::{Map, Value};
use std::sync::Arc;
use tgp_base::call::SharedVisibility;
use tgp_base::error::Error;

/// The graph of the root, at the current commit.
pub struct GraphRows(pub Arc<Graph>);

impl GraphRows {
    /// Whether a query has rows.
    ///
    /// # Errors
    /// `Validation` for a query that does not parse, `Limit`, and those of the repository.
    pub fn has_rows(&self, cypher: &str, params: &Map<String, Value>) -> Result<bool, Error> {
        Ok(!self.rows(cypher, params)?.is_empty())
    }

    /// The paths of the files.
    ///
    /// # Errors
    /// Those of the repository.
    pub fn files(&self) -> Result<Vec<String>, Error> {
        let rows = self.rows("MATCH (f:File) RETURN f.path AS path", &Map::new())?;
        Ok(rows.iter().filter_map(|row| row.get("path")?.as_str().map(str::to_owned)).collect())
    }

    fn rows(&self, cypher: &str, params: &Map<String, Value>) -> Result<Vec<Value>, Error> {
        let question = GraphQuestion {
            query: Some(cypher.to_owned()),
            params: Some(params.clone()),
            root: Some(".".to_owned()),
            ..GraphQuestion::default()
        };
        // Rules about the caller do not apply to the guardian.
        match with_visibility(SharedVisibility::default(), || self.0.ask(&question))? {
            GraphAnswer::Rows { results } => Ok(results),
            GraphAnswer::Impact(_) | GraphAnswer::History { .. } | GraphAnswer::Picture { .. } => Ok(Vec::new()),
        }
    }
}
