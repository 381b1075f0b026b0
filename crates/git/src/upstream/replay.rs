//! Replays local commits on top of foreign ones, without the work tree.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::objects::commit_object::NewCommit;
use crate::objects::trees::Trees;
use crate::store_options::StoreOptions;
use git2::{Commit, Oid, Repository};
use std::collections::HashMap;

/// The result of a replay.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    /// The last commit of the result.
    pub(crate) head: Option<Oid>,
    /// The new id of each replayed commit.
    pub(crate) rewritten: HashMap<Oid, Oid>,
    /// Conflicting files; the result has the foreign version.
    pub(crate) conflicts: Vec<ConflictingChange>,
}

/// A conflicting change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConflictingChange {
    pub(crate) path: String,
    /// The local commit with our version.
    pub(crate) commit: Oid,
}

/// Replays the commits after `base` up to `tip` onto `onto`. Empty commits and changes of derived files are skipped. The commits
/// are written, but no branch moves.
pub(crate) fn replay(
    repository: &Repository,
    base: Option<Oid>,
    tip: Oid,
    onto: Oid,
    options: &StoreOptions,
    deadline: &ExchangeDeadline,
) -> Result<Replayed, GitError> {
    let failed = |error: git2::Error| GitError::git("replay local commits on the remote's", &error);
    let trees = Trees::new(repository, options.limits).with_deadline(deadline);
    let mut result = Replayed::default();
    let mut head = onto;
    for commit in local_commits(repository, base, tip).map_err(failed)? {
        let before = trees.of(commit.parent_id(0).ok())?;
        let current = trees.of(Some(head))?;
        let mut fitting = Vec::new();
        let mut unfitting = Vec::new();
        let mut done_already = Vec::new();
        let mut removes = false;
        for change in trees.changes(before, Some(commit.tree_id()))?.all {
            let theirs = trees.entry(current, &change.path)?;
            removes |= change.new.is_none();
            if options.derived.contains(&change.path) {
                continue;
            }
            if theirs == change.new {
                done_already.push(change.path);
                continue;
            }
            if theirs == change.old {
                fitting.push((change.path, change.new));
            } else {
                unfitting.push(change.path);
            }
        }
        // A commit with removals may be a move, and half of a move would lose the file.
        if removes && !unfitting.is_empty() {
            unfitting.extend(fitting.drain(..).map(|(path, _)| path));
            // So a query by any path of the commit reports the conflict.
            unfitting.append(&mut done_already);
        }
        result.conflicts.extend(unfitting.into_iter().map(|path| ConflictingChange { path, commit: commit.id() }));
        if !fitting.is_empty() {
            let tree = trees.with_changes(current, fitting)?;
            // Further parents are kept: merged commits stay in the history.
            let parents: Vec<Oid> = std::iter::once(head).chain(commit.parent_ids().skip(1)).collect();
            let (author, committer, message) = (commit.author(), commit.committer(), commit.message_raw_bytes());
            let new = NewCommit { tree, parents: &parents, author: &author, committer: &committer, message };
            head = new.write(repository)?;
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
