//! Bringing changes of the repository to their end: one's own, and those of a process that was killed.

use super::context::Context;
use super::repository_lock::{IndexLevel, RepositoryLock};
use super::stale_lock::{self, Evidence};
use crate::branches::head::{self, Head};
use crate::branches::{backup_branch, strategy};
use crate::git_error::GitError;
use crate::objects::trees::Trees;
use crate::store_options::WriteStrategy;
use crate::work_tree::{checkout, index_update, pending_status};
use git2::{ErrorCode, Oid, Repository};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the index is waited for: a person's `git` command in the same repository takes milliseconds.
const INDEX_WAIT: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(5);

/// Whether `git status` agrees about the committed files already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    Current,
    /// Somebody else holds the index; the next commit or start brings it along. The commit itself is safe.
    Behind,
}

/// Finishes or undoes what a killed predecessor left half done: its lock files go, and the files that it was about to
/// change become what the history says. Only here, once: a lock file that appears later is a living one's.
pub(crate) fn heal(repository: &Repository, lock: &RepositoryLock, context: &Context<'_>) -> Result<(), GitError> {
    clear_leftovers(repository, lock)?;
    if !lock.left_files_half_done() {
        return Ok(());
    }
    let view = strategy::view(repository, context.options)?;
    restore_files(repository, context, view, lock.behind().iter().map(String::as_str))
}

/// Makes the files at `paths` what `view` has there. What is nowhere else is on a branch of its own before: somebody may have
/// been at a file since it was noted.
pub(crate) fn restore_files<'p>(
    repository: &Repository,
    context: &Context<'_>,
    view: Option<Oid>,
    paths: impl Iterator<Item = &'p str> + Clone,
) -> Result<(), GitError> {
    let trees = Trees::new(repository, context.options.limits);
    let mut unknown = checkout::unknown(&trees, view, paths.clone(), context.work)?;
    unknown.retain(|(path, _)| !context.options.derived.contains(path));
    let head = head::target(repository, "HEAD").map_err(|error| GitError::git("read the current commit", &error))?;
    let unknown = unknown.into_iter().map(|(path, content)| (path, Some(content))).collect();
    backup_branch::back_up_files(repository, context.options, head, unknown)?;
    checkout::place(&trees, view, paths, context.work)
}

/// Brings the index to what `commit` has, to be called before the branch moves there. `git commit` reads the branch, then the
/// index: one that is older than the branch it would commit, and so take back what the branch has just got.
///
/// Whether that worked is to be noted when the branch has moved; if not, the index follows the branch.
pub(crate) fn prepare_index(
    repository: &Repository,
    lock: &RepositoryLock,
    context: &Context<'_>,
    commit: Option<Oid>,
) -> IndexLevel {
    let Some(commit) = commit else { return IndexLevel::Behind };
    let prepared = unlocked(repository, || bring_along(repository, lock, context, commit));
    prepared.map_or(IndexLevel::Behind, |()| IndexLevel::Level)
}

/// Brings the index along for all that the journal names. Cannot fail: whatever is wrong with the index must not make a
/// commit look as if it had not been made.
pub(crate) fn settle(repository: &Repository, lock: RepositoryLock, context: &Context<'_>) -> IndexState {
    if lock.behind().is_empty() {
        return lock.finish().map_or(IndexState::Behind, |()| IndexState::Current);
    }
    let follow = || {
        match (lock.index(), head::target(repository, "HEAD")?) {
            (IndexLevel::Behind, Some(commit)) => bring_along(repository, &lock, context, commit)?,
            (IndexLevel::Behind | IndexLevel::Level, _) => {}
        }
        hide_others(repository, context)
    };
    if unlocked(repository, follow).is_ok() {
        return lock.finish().map_or(IndexState::Behind, |()| IndexState::Current);
    }
    // Unwritten, the note still says what is behind.
    let _ = lock.leave_behind();
    IndexState::Behind
}

fn bring_along(
    repository: &Repository,
    lock: &RepositoryLock,
    context: &Context<'_>,
    commit: Oid,
) -> Result<(), git2::Error> {
    let paths = lock.behind().iter().map(String::as_str);
    index_update::bring_along(&Trees::new(repository, context.options.limits), commit, paths, context.work)
}

/// Changes the index when others have let go of it.
fn unlocked(repository: &Repository, mut change: impl FnMut() -> Result<(), git2::Error>) -> Result<(), git2::Error> {
    let index_lock = repository.path().join("index.lock");
    let deadline = Instant::now() + INDEX_WAIT;
    loop {
        // Whether that worked shows in the change itself.
        let _ = stale_lock::clear(&index_lock, Evidence::AgeOnly);
        match change() {
            Err(error) if error.code() == ErrorCode::Locked && Instant::now() < deadline => std::thread::sleep(PAUSE),
            result => return result,
        }
    }
}

fn hide_others(repository: &Repository, context: &Context<'_>) -> Result<(), git2::Error> {
    match context.options.strategy {
        WriteStrategy::Direct => Ok(()),
        WriteStrategy::PullRequest => pending_status::hide_others(repository, context.options, context.work),
    }
}

/// Removes the lock files of a predecessor that was killed.
pub(super) fn clear_leftovers(repository: &Repository, lock: &RepositoryLock) -> Result<(), GitError> {
    let git_dir = repository.commondir();
    let mut locks = vec![repository.path().join("index.lock"), repository.path().join("HEAD.lock")];
    match lock.evidence() {
        Evidence::HolderDied => {
            locks.extend([git_dir.join("packed-refs.lock"), git_dir.join("config.lock")]);
            stale_lock::find(&git_dir.join("refs"), &mut locks);
        }
        Evidence::AgeOnly => {
            if let Ok(head) = Head::read(repository) {
                locks.push(branch_lock(repository, &head.branch));
            }
        }
    }
    let cleared = locks.iter().try_for_each(|path| stale_lock::clear(path, lock.evidence()));
    cleared.map_err(GitError::io("remove a stale lock of the repository"))
}

pub(crate) fn branch_lock(repository: &Repository, branch: &str) -> PathBuf {
    repository.commondir().join(format!("{branch}.lock"))
}
