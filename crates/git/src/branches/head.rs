//! The current branch.

use crate::git_error::GitError;
use git2::{ErrorCode, Oid, Repository};

/// A branch by its full name, and its last commit if it has one.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) branch: String,
    pub(crate) commit: Option<Oid>,
    /// The start of a branch without commits.
    pub(crate) start: Option<Oid>,
}

impl Head {
    /// Reads the current branch.
    pub(crate) fn read(repository: &Repository) -> Result<Self, GitError> {
        let failed = |error: git2::Error| GitError::git("read the current branch", &error);
        let head = repository.find_reference("HEAD").map_err(failed)?;
        let Ok(Some(branch)) = head.symbolic_target() else { return Err(GitError::DetachedHead) };
        let commit = target(repository, branch).map_err(failed)?;
        Ok(Self { branch: branch.to_owned(), commit, start: None })
    }
}

/// The commit of a reference; `None` if its branch has no commits.
pub(crate) fn target(repository: &Repository, reference: &str) -> Result<Option<Oid>, git2::Error> {
    match repository.refname_to_id(reference) {
        Ok(commit) => Ok(Some(commit)),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
