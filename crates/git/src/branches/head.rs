//! What is checked out.

use crate::git_error::GitError;
use git2::{ErrorCode, Oid, Repository};

/// Where a commit goes: the branch's full name, and its commit unless it has none yet.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) branch: String,
    pub(crate) commit: Option<Oid>,
    /// Where a branch without commits starts.
    pub(crate) start: Option<Oid>,
}

impl Head {
    /// What is checked out.
    pub(crate) fn read(repository: &Repository) -> Result<Self, GitError> {
        let failed = |error: git2::Error| GitError::git("read the current branch", &error);
        let head = repository.find_reference("HEAD").map_err(failed)?;
        let Ok(Some(branch)) = head.symbolic_target() else { return Err(GitError::DetachedHead) };
        let commit = target(repository, branch).map_err(failed)?;
        Ok(Self { branch: branch.to_owned(), commit, start: None })
    }
}

/// The commit that a reference leads to; `None` when its branch has none yet.
pub(crate) fn target(repository: &Repository, reference: &str) -> Result<Option<Oid>, git2::Error> {
    match repository.refname_to_id(reference) {
        Ok(commit) => Ok(Some(commit)),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
