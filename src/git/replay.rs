//! Local commits put on top of commits that others made, in memory.

use super::git_error::GitError;
use super::tree_changes::{entry_at, tree_changes, tree_of, with_changes};
use git2::{Commit, Oid, Repository};
use std::collections::HashMap;

/// What became of the replayed commits.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// The last commit of the result.
    pub(super) head: Option<Oid>,
    /// Each replayed commit and what stands for it now.
    pub(super) rewritten: HashMap<Oid, Oid>,
    /// Files of which two versions exist; the result has the others' version.
    pub(super) conflicts: Vec<ConflictingChange>,
}

/// A change that did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConflictingChange {
    pub(super) path: String,
    /// The local commit with our version.
    pub(super) commit: Oid,
}

/// Replays the commits after `base` up to `tip` onto `onto`. A commit that brings nothing new is left out; so are changes
/// of `derived` files, which follow from the others. Nothing moves: the result is only written.
pub(super) fn replay(
    repository: &Repository,
    base: Option<Oid>,
    tip: Oid,
    onto: Oid,
    derived: &[String],
) -> Result<Replayed, GitError> {
    let failed = |error: git2::Error| GitError::git("put local commits on top of the remote's", &error);
    let mut result = Replayed::default();
    let mut head = onto;
    for commit in local_commits(repository, base, tip).map_err(failed)? {
        let tree = commit.tree().map_err(failed)?;
        let before = tree_of(repository, commit.parent_id(0).ok())?;
        let current = tree_of(repository, Some(head))?;
        let mut fitting = Vec::new();
        for change in tree_changes(repository, before.as_ref(), Some(&tree))? {
            let theirs = entry_at(current.as_ref(), &change.path);
            if theirs == change.new || derived.contains(&change.path) {
                continue;
            }
            if theirs == change.old {
                fitting.push((change.path, change.new));
            } else {
                result.conflicts.push(ConflictingChange { path: change.path, commit: commit.id() });
            }
        }
        if !fitting.is_empty() {
            let tree = with_changes(repository, current.as_ref(), fitting)?;
            // Other parents stay: what was merged here remains in the history.
            let mut parents = vec![repository.find_commit(head).map_err(failed)?];
            parents.extend(commit.parents().skip(1));
            let parents: Vec<_> = parents.iter().collect();
            let message = String::from_utf8_lossy(commit.message_bytes());
            head = repository
                .commit(None, &commit.author(), &commit.committer(), &message, &tree, &parents)
                .map_err(failed)?;
        }
        result.rewritten.insert(commit.id(), head);
    }
    result.head = Some(head);
    Ok(result)
}

/// The commits after `base` up to `tip` along first parents, oldest first.
fn local_commits(repository: &Repository, base: Option<Oid>, tip: Oid) -> Result<Vec<Commit<'_>>, git2::Error> {
    let mut commits = Vec::new();
    let mut next = Some(tip);
    while let Some(id) = next
        && next != base
    {
        let commit = repository.find_commit(id)?;
        next = commit.parent_id(0).ok();
        commits.push(commit);
    }
    commits.reverse();
    Ok(commits)
}
