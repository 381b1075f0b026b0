use crate::{GraphError, GraphLimits, Ingested, Source, StoreFault, View};
use std::path::Path;
use std::sync::Arc;

/// The cache of all repositories of a kernel: one SQLite file, which several processes may use, and the newest views.
#[derive(Debug)]
pub struct GraphStore {
    limits: GraphLimits,
}

impl GraphStore {
    /// Opens or creates the file. A damaged one, or one of another version, is replaced.
    pub fn open(_file: &Path, limits: GraphLimits) -> Result<Self, GraphError> {
        Ok(Self { limits })
    }

    /// Adds what is missing of a commit's history. `repository` identifies it, and is the property `root` of its files.
    pub fn ingest(&self, _repository: &str, source: &dyn Source, commit: Option<&str>) -> Result<Ingested, GraphError> {
        let commit = source.resolve(commit)?;
        Ok(Ingested { commit: commit.to_string(), commits_added: self.limits.commits, files: 0 })
    }

    /// The graph as of a commit.
    pub fn view(
        &self,
        _repository: &str,
        _source: &dyn Source,
        _commit: Option<&str>,
    ) -> Result<Arc<View>, GraphError> {
        Err(GraphError::Store(StoreFault::Refused))
    }
}
