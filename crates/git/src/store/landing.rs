//! Updates the repository to foreign commits: branches, files and index, in this order.

use super::held_back;
use crate::branches::backup_branch::{self, BackupBranch};
use crate::branches::head::Head;
use crate::branches::references::is_contention;
use crate::durability::context::Context;
use crate::durability::finish_write;
use crate::durability::repository_lock::RepositoryLock;
use crate::durability::stale_lock::{self, Evidence};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::objects::skipped_files::SkippedFiles;
use crate::objects::trees::Trees;
use crate::work_tree::checkout;
use git2::{ErrorCode, Oid, Repository};
use std::collections::BTreeSet;

/// A change of one reference. `None` means that the reference does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefMove {
    pub(crate) name: String,
    pub(crate) old: Option<Oid>,
    pub(crate) new: Option<Oid>,
}

/// The target state of a landing.
pub(crate) struct Landing {
    pub(crate) moves: Vec<RefMove>,
    /// The current branch afterwards, and its commit.
    pub(crate) current: (String, Option<Oid>),
    /// The tree of the work tree before and after.
    pub(crate) before: Option<Oid>,
    pub(crate) after: Option<Oid>,
}

/// The result of a landing.
#[derive(Debug, Default)]
pub(crate) struct Landed {
    /// The files that changed.
    pub(crate) paths: Vec<String>,
    /// The backup of uncommitted files that were replaced.
    pub(crate) backup: Option<BackupBranch>,
    /// The previous current branch, if it changed and is not a pull request branch.
    pub(crate) left_branch: Option<String>,
    /// Files that are not checked out.
    pub(crate) skipped: SkippedFiles,
}

/// Performs a landing. After a kill the state is the old one, or the new one for the next writer to complete. `Busy` if another
/// writer moved one of the branches first; later moves are not made.
pub(crate) fn land(
    repository: &Repository,
    mut lock: RepositoryLock,
    context: &Context<'_>,
    landing: &Landing,
    deadline: &ExchangeDeadline,
) -> Result<Landed, GitError> {
    let failed = |error: git2::Error| GitError::git("move to the remote's commits", &error);
    let head = Head::read(repository)?;
    let trees = Trees::new(repository, context.options.limits);
    let bounded = trees.with_deadline(deadline);
    let changed = bounded.changes(landing.before, landing.after)?;
    let mut skipped = changed.skipped;
    let changes = changed.all;
    let switched = bounded.changes(trees.of(head.commit)?, trees.of(landing.current.1)?)?.all;
    skipped.extend(checkout::survey(&trees, &changes, context.work)?);
    let mut uncommitted = checkout::uncommitted(&changes, context.work)?;
    uncommitted.retain(|(path, _)| !context.options.derived.contains(path));
    // Held-back files are not backed up, because backup branches are pushed.
    let (held_back, uncommitted): (Vec<_>, Vec<_>) =
        uncommitted.into_iter().partition(|(path, content)| context.work.is_held_back(path, content));
    let held_back: BTreeSet<String> = held_back.into_iter().map(|(path, _)| path).collect();
    let held = changes.iter().filter(|change| held_back.contains(&change.path));
    held_back::remember(repository, held.map(|change| (change.path.clone(), change.old.map(|old| old.id))).collect())?;
    let uncommitted = uncommitted.into_iter().map(|(path, content)| (path, Some(content))).collect();
    let backup = backup_branch::back_up_files(repository, context.options, head.commit, uncommitted)?;
    let paths: BTreeSet<&str> = changes.iter().chain(&switched).map(|change| change.path.as_str()).collect();
    lock.begin(paths.iter().copied())?;
    let index = finish_write::prepare_index(repository, &lock, context, landing.current.1);
    let moved = landing.moves.iter().try_for_each(|reference| apply(repository, reference));
    if let Err(error) = moved {
        finish_write::finish_write(repository, lock, context);
        return Err(if is_contention(&error) { GitError::Busy { seconds: 0 } } else { failed(error) });
    }
    if head.branch != landing.current.0 {
        repository.set_head(&landing.current.0).map_err(failed)?;
    }
    lock.set_index(index);
    // Without a deadline: an interrupted checkout would have to be completed by another process.
    let placed = paths.iter().copied().filter(|path| !held_back.contains(*path));
    checkout::place(&trees, landing.after, placed, context.work)?;
    finish_write::finish_write(repository, lock, context);
    let is_ours = |branch: &str| landing.moves.iter().any(|moved| moved.name == branch);
    let left_branch = (head.branch != landing.current.0 && head.commit.is_some() && !is_ours(&head.branch))
        .then(|| head.branch.trim_start_matches("refs/heads/").to_owned());
    let paths = changes.into_iter().map(|change| change.path).filter(|path| !held_back.contains(path)).collect();
    Ok(Landed { paths, backup, left_branch, skipped })
}

/// Moves one reference by compare-and-swap.
pub(crate) fn apply(repository: &Repository, reference: &RefMove) -> Result<(), git2::Error> {
    let RefMove { name, old, new } = reference;
    // On failure the update reports the lock.
    let _ = stale_lock::clear(&repository.commondir().join(format!("{name}.lock")), Evidence::AgeOnly);
    match (old, new) {
        (Some(old), Some(new)) if old == new => Ok(()),
        (Some(old), Some(new)) => {
            repository.reference_matching(name, *new, true, *old, "sync with the remote").map(drop)
        }
        (None, Some(new)) => repository.reference(name, *new, false, "sync with the remote").map(drop),
        (_, None) => match repository.find_reference(name) {
            Ok(mut reference) => reference.delete(),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(()),
            Err(error) => Err(error),
        },
    }
}
