//! What the guardian needs of the graph.

use serde_json::{Map, Value};
use tgp_base::error::Error;

pub trait GraphRows: Send + Sync {
    /// Whether a query of the current commit has rows.
    ///
    /// # Errors
    /// `Validation` for a query that does not parse, `Limit`, and those of the repository.
    fn has_rows(&self, cypher: &str, params: &Map<String, Value>) -> Result<bool, Error>;

    /// The files of the current commit, according to the graph.
    ///
    /// # Errors
    /// Those of the repository.
    fn files(&self) -> Result<Vec<String>, Error>;
}
