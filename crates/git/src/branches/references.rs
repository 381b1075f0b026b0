//! Names of branches, and their commits.

use super::head;
use crate::git_error::GitError;
use crate::store_options::StoreOptions;
use git2::{ErrorCode, Oid, Repository};

/// Full name of a local branch.
pub(crate) fn branch_reference(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

/// Full name of the local copy of a remote branch.
pub(crate) fn tracking_reference(branch: &str) -> String {
    format!("refs/remotes/origin/{branch}")
}

/// The commit of a reference.
pub(crate) fn at(repository: &Repository, reference: &str) -> Result<Option<Oid>, GitError> {
    head::target(repository, reference).map_err(|error| GitError::git("read a branch", &error))
}

/// The commit of a local branch.
pub(crate) fn branch_at(repository: &Repository, branch: &str) -> Result<Option<Oid>, GitError> {
    at(repository, &branch_reference(branch))
}

/// The base of new branches: the remote's branch, or the local one if there is none.
pub(crate) fn base(repository: &Repository, options: &StoreOptions) -> Result<Option<Oid>, GitError> {
    match at(repository, &tracking_reference(&options.branch))? {
        Some(commit) => Ok(Some(commit)),
        None => branch_at(repository, &options.branch),
    }
}

/// Whether another writer locked or moved the branch, so that a retry may succeed.
pub(crate) fn is_contention(error: &git2::Error) -> bool {
    matches!(error.code(), ErrorCode::Locked | ErrorCode::Modified | ErrorCode::Exists)
}
