//! The target of commits: the branch itself, or one branch per tool with a pull request.

use super::head::{self, Head};
use super::pending;
use super::references::{base, branch_reference};
use crate::file_change::FileChange;
use crate::git_error::GitError;
use crate::objects::trees::Trees;
use crate::store_options::{StoreOptions, WriteStrategy};
use git2::{Oid, Repository};

/// The tree that the work tree must match.
pub(crate) fn view(repository: &Repository, options: &StoreOptions) -> Result<Option<Oid>, GitError> {
    match options.strategy {
        WriteStrategy::Direct => {
            let head = head::target(repository, "HEAD");
            let head = head.map_err(|error| GitError::git("read the current commit", &error))?;
            Trees::new(repository, options.limits).of(head)
        }
        WriteStrategy::PullRequest => pending::view(repository, options),
    }
}

/// The changes to commit. A pull request excludes derived files, which are regenerated after the merge.
pub(crate) fn own_changes<'c>(options: &StoreOptions, changes: &[FileChange<'c>]) -> Vec<FileChange<'c>> {
    let is_own = |change: &FileChange<'_>| match options.strategy {
        WriteStrategy::Direct => true,
        WriteStrategy::PullRequest => !options.derived.iter().any(|derived| derived == change.path),
    };
    changes.iter().copied().filter(is_own).collect()
}

/// The target branch of `changes`.
pub(crate) fn target(
    repository: &Repository,
    options: &StoreOptions,
    changes: &[FileChange<'_>],
) -> Result<Head, GitError> {
    match (options.strategy, changes.first()) {
        (WriteStrategy::Direct, _) | (WriteStrategy::PullRequest, None) => Head::read(repository),
        (WriteStrategy::PullRequest, Some(first)) => {
            let failed = |error: git2::Error| GitError::git("read a branch", &error);
            let branch = branch_reference(&pending::branch_for(repository, options, first.path)?);
            let commit = head::target(repository, &branch).map_err(failed)?;
            Ok(Head { branch, commit, start: base(repository, options)? })
        }
    }
}

/// The paths whose index entries change when `target` at `commit` is checked out.
pub(crate) fn paths_to_switch(
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
pub(crate) fn check_out(repository: &Repository, target: &Head) -> Result<(), GitError> {
    if Head::read(repository)?.branch == target.branch {
        return Ok(());
    }
    repository.set_head(&target.branch).map_err(|error| GitError::git("switch the branch", &error))
}
