//! `write_file`: a file changes on disk, then in Git.

use super::kernel::Kernel;
use super::write_rules::check_writable;
use crate::error::Error;
use crate::git::FileChange;
use crate::vfs::{JailPath, Vfs};
use serde::Serialize;

/// What became of a write.
#[derive(Debug, Serialize)]
pub struct Written {
    pub path: String,
    /// Whether the file as it is now is committed.
    pub persisted: bool,
    /// The commit that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Why it is not persisted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Kernel {
    /// Creates or replaces a file and commits it.
    pub fn write_file(&self, path: &str, content: &str) -> Result<Written, Error> {
        let path = JailPath::parse(path)?;
        let _one_writer = self.writes.lock();
        self.write_and_commit(&path, content, "Forge")
    }

    /// Writes a file that the caller may change. The caller holds the lock on writes.
    pub(super) fn write_and_commit(&self, path: &JailPath, content: &str, verb: &str) -> Result<Written, Error> {
        check_writable(path)?;
        self.vfs.write(path, content)?;
        let message = format!("{verb}: {}", path.as_str());
        let change = FileChange { path: path.as_str(), content: Some(content.as_bytes()) };
        let (commit, problem) = match self.git.commit(&message, &[change]) {
            Ok(committed) => (committed.id, None),
            // The file is safe on disk; saying so is more use to the agent than an error that hides it.
            Err(error) => (None, Some(Error::from(error).message)),
        };
        let commit = match (&commit, &problem) {
            (None, None) => self.git.head()?,
            _ => commit,
        };
        Ok(Written {
            path: path.as_str().to_owned(),
            persisted: problem.is_none(),
            commit: commit.map(|id| id.as_str().to_owned()),
            problem,
        })
    }
}
