//! Completion of repository changes: index updates, and recovery after a killed process.

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

/// How long to wait for the index lock. An interactive `git` command holds it for milliseconds.
const INDEX_LOCK_TIMEOUT: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(5);

/// Whether the index already has the committed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    Current,
    /// Another process holds the index lock; the next commit or start updates the index. The commit itself is safe.
    Behind,
}

/// Recovers from a killed writer: removes its lock files and restores the files that it was changing from the history. Runs
/// once after acquiring the lock; lock files that appear later belong to running processes.
pub(crate) fn recover(repository: &Repository, lock: &RepositoryLock, context: &Context<'_>) -> Result<(), GitError> {
    clear_leftovers(repository, lock)?;
    if !lock.has_unfinished_files() {
        return Ok(());
    }
    let view = strategy::view(repository, context.options)?;
    restore_files(repository, context, view, lock.behind().iter().map(String::as_str))
}

/// Restores the files at `paths` from `view`. Content that the repository does not have is backed up on a branch first, because
/// the file may have been edited meanwhile.
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

/// Updates the index to `commit` before the branch moves there. `git commit` reads the branch, then the index; an index older
/// than the branch would revert the branch's last commit.
///
/// The caller passes the result to [`RepositoryLock::set_index`] after the branch has moved; on failure the index is updated
/// afterwards.
pub(crate) fn prepare_index(
    repository: &Repository,
    lock: &RepositoryLock,
    context: &Context<'_>,
    commit: Option<Oid>,
) -> IndexLevel {
    let Some(commit) = commit else { return IndexLevel::Behind };
    let prepared = unlocked(repository, || update_entries(repository, lock, context, commit));
    prepared.map_or(IndexLevel::Behind, |()| IndexLevel::Level)
}

/// Updates the index at all paths of the journal and releases the lock. An index failure is not an error, because the commit
/// has been made.
pub(crate) fn finish_write(repository: &Repository, lock: RepositoryLock, context: &Context<'_>) -> IndexState {
    if lock.behind().is_empty() {
        return lock.finish().map_or(IndexState::Behind, |()| IndexState::Current);
    }
    let follow = || {
        match (lock.index(), head::target(repository, "HEAD")?) {
            (IndexLevel::Behind, Some(commit)) => update_entries(repository, &lock, context, commit)?,
            (IndexLevel::Behind | IndexLevel::Level, _) => {}
        }
        hide_others(repository, context)
    };
    if unlocked(repository, follow).is_ok() {
        return lock.finish().map_or(IndexState::Behind, |()| IndexState::Current);
    }
    // If this write fails, the journal still lists the paths.
    let _ = lock.release_with_stale_index();
    IndexState::Behind
}

fn update_entries(
    repository: &Repository,
    lock: &RepositoryLock,
    context: &Context<'_>,
    commit: Oid,
) -> Result<(), git2::Error> {
    let paths = lock.behind().iter().map(String::as_str);
    index_update::update_entries(&Trees::new(repository, context.options.limits), commit, paths, context.work)
}

/// Runs `change`, and retries it while another process holds the index lock.
fn unlocked(repository: &Repository, mut change: impl FnMut() -> Result<(), git2::Error>) -> Result<(), git2::Error> {
    let index_lock = repository.path().join("index.lock");
    let deadline = Instant::now() + INDEX_LOCK_TIMEOUT;
    loop {
        // On failure `change` reports the lock.
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

/// Removes the lock files of a killed writer.
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
