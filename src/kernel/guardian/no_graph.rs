use super::graph_rows::GraphRows;
use serde_json::{Map, Value};
use tgp_base::error::Error;
pub struct NoGraph;
impl GraphRows for NoGraph {
    fn has_rows(&self, _: &str, _: &Map<String, Value>) -> Result<bool, Error> { Ok(false) }
    fn files(&self) -> Result<Vec<String>, Error> { Ok(Vec::new()) }
}
