//! Where commits go: to the branch itself, or to one branch per tool for a pull request each.

use super::commit::FileChange;
use super::git_error::GitError;
use super::git_store::StoreOptions;
use super::head::{self, Head};
use super::pending;
use super::repository_setup::branch_reference;
use super::trees::Trees;
use git2::{Oid, Repository};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteStrategy {
    /// Commits go to the branch and are pushed to it.
    Direct,
    /// Each tool has a branch of its own, from the remote's, and a pull request.
    PullRequest,
}

/// Full name of the local copy of a remote branch.
pub(super) fn tracking_reference(branch: &str) -> String {
    format!("refs/remotes/origin/{branch}")
}

/// What the work tree is to hold.
pub(super) fn view(repository: &Repository, options: &StoreOptions) -> Result<Option<Oid>, GitError> {
    match options.strategy {
        WriteStrategy::Direct => {
            let head = head::target(repository, "HEAD");
            let head = head.map_err(|error| GitError::git("read the current commit", &error))?;
            Trees::new(repository, options.limits).of(head)
        }
        WriteStrategy::PullRequest => pending::view(repository, options),
    }
}

/// The changes that a commit is to hold. A pull request is about its tool alone: derived files follow when it is merged.
pub(super) fn own_changes<'c>(options: &StoreOptions, changes: &[FileChange<'c>]) -> Vec<FileChange<'c>> {
    let is_own = |change: &FileChange<'_>| match options.strategy {
        WriteStrategy::Direct => true,
        WriteStrategy::PullRequest => !options.derived.iter().any(|derived| derived == change.path),
    };
    changes.iter().copied().filter(is_own).collect()
}

/// The branch that `changes` belong to.
pub(super) fn target(
    repository: &Repository,
    options: &StoreOptions,
    changes: &[FileChange<'_>],
) -> Result<Head, GitError> {
    match (options.strategy, changes.first()) {
        (WriteStrategy::Direct, _) | (WriteStrategy::PullRequest, None) => Head::read(repository),
        (WriteStrategy::PullRequest, Some(first)) => {
            let failed = |error: git2::Error| GitError::git("read a branch", &error);
            let branch = branch_reference(&pending::branch_of(first.path));
            let commit = head::target(repository, &branch).map_err(failed)?;
            Ok(Head { branch, commit, start: base(repository, options)? })
        }
    }
}

/// Where new branches start: at the remote's branch, or at the local one while there is none.
pub(super) fn base(repository: &Repository, options: &StoreOptions) -> Result<Option<Oid>, GitError> {
    let failed = |error: git2::Error| GitError::git("read a branch", &error);
    match head::target(repository, &tracking_reference(&options.branch)).map_err(failed)? {
        Some(commit) => Ok(Some(commit)),
        None => head::target(repository, &branch_reference(&options.branch)).map_err(failed),
    }
}

/// The paths whose index entries change when `target`, once it is at `commit`, gets checked out.
pub(super) fn paths_to_switch(
    repository: &Repository,
    options: &StoreOptions,
    target: &Head,
    commit: Oid,
) -> Result<Vec<String>, GitError> {
    let current = Head::read(repository)?;
    if current.branch == target.branch {
        return Ok(Vec::new());
    }
    let trees = Trees::new(repository, options.limits);
    let changes = trees.changes(trees.of(current.commit)?, trees.of(Some(commit))?)?.all;
    Ok(changes.into_iter().map(|change| change.path).collect())
}

/// Makes the branch of `target` the current one.
pub(super) fn check_out(repository: &Repository, target: &Head) -> Result<(), GitError> {
    if Head::read(repository)?.branch == target.branch {
        return Ok(());
    }
    repository.set_head(&target.branch).map_err(|error| GitError::git("switch the branch", &error))
}
