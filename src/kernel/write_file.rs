//! `write_file`: a file changes on disk, then in Git.

use super::check_config::CheckMode;
use super::find_tool::SimilarTool;
use super::kernel::Kernel;
use super::write_rules::check_writable;
use crate::error::Error;
use crate::git::FileChange;
use crate::registry::META_FILE;
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
    /// What the check finds wrong with it, one line per error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// Why it is not persisted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Other tools that do the same job.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SimilarTool>,
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
        let findings = self.errors_before_commit(path, content);
        let _turn = self.git.take_turn()?;
        self.vfs.write(path, content)?;
        if self.config.check == CheckMode::Strict
            && let Some(first) = findings.first()
        {
            return Ok(Written {
                path: path.as_str().to_owned(),
                persisted: false,
                commit: None,
                problem: Some(format!(
                    "It is kept as a draft and not committed, because check_tool finds errors in it: {first}"
                )),
                findings,
                similar: Vec::new(),
            });
        }
        // The file is written: what keeps the registry from following must not hide that.
        let registered = self.registry.register(path);
        let meta = registered.as_ref().ok().and_then(|registered| registered.meta.as_deref());
        let mut changes = vec![FileChange { path: path.as_str(), content: Some(content.as_bytes()) }];
        changes.extend(meta.map(|text| FileChange { path: META_FILE, content: Some(text.as_bytes()) }));
        let mut written = self.commit_changes(path.as_str(), &format!("{verb}: {}", path.as_str()), &changes)?;
        match registered {
            Ok(registered) => written.similar = registered.similar.into_iter().map(SimilarTool::from).collect(),
            Err(error) => written.problem = written.problem.or(Some(error.message)),
        }
        written.findings = findings;
        Ok(written)
    }

    /// Commits what is already on disk.
    pub(super) fn commit_changes(
        &self,
        path: &str,
        message: &str,
        changes: &[FileChange<'_>],
    ) -> Result<Written, Error> {
        let (commit, problem) = match self.git.commit(message, changes) {
            Ok(committed) => (committed.id, None),
            // The file is safe on disk; saying so is more use to the agent than an error that hides it.
            Err(error) => (None, Some(Error::from(error).message)),
        };
        let commit = match (&commit, &problem) {
            (None, None) => self.git.head()?,
            _ => commit,
        };
        Ok(Written {
            path: path.to_owned(),
            persisted: problem.is_none(),
            commit: commit.map(|id| id.as_str().to_owned()),
            findings: Vec::new(),
            problem,
            similar: Vec::new(),
        })
    }
}
