//! One commit of exactly the given files, made in memory.
//!
//! Blobs, trees and the commit are written first, and logged so that they survive a power cut; then the branch moves in
//! one compare-and-swap; the index follows. A kill at any point leaves the old branch or the new one, and at worst an
//! index for the next writer to bring along.

use super::checkout;
use super::commit_id::CommitId;
use super::commit_object::NewCommit;
use super::git_error::GitError;
use super::git_store::StoreOptions;
use super::head::Head;
use super::index_update;
use super::pending_status;
use super::redo_log::{self, LoggedObject, Record, RedoLog, Size};
use super::repository_lock::RepositoryLock;
use super::stale_lock::{self, Evidence};
use super::tree_update::TreeUpdate;
use super::trees::Trees;
use super::work_tree::WorkTree;
use super::write_strategy::{self, WriteStrategy};
use git2::{ErrorCode, Oid, Repository};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the index is waited for: a person's `git` command in the same repository takes milliseconds.
const INDEX_WAIT: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(5);

/// One file of a commit.
#[derive(Debug, Clone, Copy)]
pub struct FileChange<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// The file's new bytes; `None` removes it.
    pub content: Option<&'a [u8]>,
}

/// What a commit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// `None` when the branch already held exactly this.
    pub id: Option<CommitId>,
    pub index: IndexState,
}

/// Whether `git status` agrees about the committed files already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    Current,
    /// Somebody else holds the index; the next commit or start brings it along. The commit itself is safe.
    Behind,
}

/// What a commit needs to know of its store.
pub(super) struct Context<'s> {
    pub(super) options: &'s StoreOptions,
    pub(super) work: &'s dyn WorkTree,
    pub(super) wait: Duration,
    /// Where objects are written without waiting for the disk, and logged instead.
    pub(super) log: Option<&'s RedoLog>,
}

/// Commits `changes` on top of the branch that they belong to, whoever moves it meanwhile.
pub(super) fn commit(
    repository: &Repository,
    mut lock: RepositoryLock,
    context: &Context<'_>,
    message: &str,
    changes: &[FileChange<'_>],
) -> Result<Committed, GitError> {
    let id = advance(repository, &mut lock, context, message, changes);
    let index = settle(repository, lock, context);
    Ok(Committed { id: id?.map(CommitId::from), index })
}

/// Finishes or undoes what a killed predecessor left half done: its lock files go, and the files that it was about to
/// change become what the history says. Only here, once: a lock file that appears later is a living one's.
pub(super) fn heal(repository: &Repository, lock: &RepositoryLock, context: &Context<'_>) -> Result<(), GitError> {
    clear_leftovers(repository, lock)?;
    if lock.evidence() == Evidence::AgeOnly {
        return Ok(());
    }
    let view = write_strategy::view(repository, context.options)?;
    let trees = Trees::new(repository, context.options.limits);
    checkout::place(&trees, view, lock.behind().iter().map(String::as_str), context.work)
}

/// Brings the index along for all that the journal names. Cannot fail: whatever is wrong with the index must not make a
/// commit look as if it had not been made.
pub(super) fn settle(repository: &Repository, lock: RepositoryLock, context: &Context<'_>) -> IndexState {
    if lock.behind().is_empty() {
        return lock.finish().map_or(IndexState::Behind, |()| IndexState::Current);
    }
    let index_lock = repository.path().join("index.lock");
    let deadline = Instant::now() + INDEX_WAIT;
    loop {
        // Whether that worked shows in the update itself.
        let _ = stale_lock::clear(&index_lock, Evidence::AgeOnly);
        let paths = lock.behind().iter().map(String::as_str);
        let trees = Trees::new(repository, context.options.limits);
        let brought = index_update::bring_along(&trees, paths, context.work);
        match brought.and_then(|()| hide_others(repository, context)) {
            Ok(()) => return lock.finish().map_or(IndexState::Behind, |()| IndexState::Current),
            Err(error) if error.code() == ErrorCode::Locked && Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(_) => {
                // Unwritten, the note still says what is behind.
                let _ = lock.leave_behind();
                return IndexState::Behind;
            }
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
fn clear_leftovers(repository: &Repository, lock: &RepositoryLock) -> Result<(), GitError> {
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

/// Moves the branch to a commit with `changes`; `None` when it holds them already.
fn advance(
    repository: &Repository,
    lock: &mut RepositoryLock,
    context: &Context<'_>,
    message: &str,
    changes: &[FileChange<'_>],
) -> Result<Option<Oid>, GitError> {
    let failed = |error: git2::Error| GitError::git("commit", &error);
    let changes = write_strategy::own_changes(context.options, changes);
    let mut update = TreeUpdate::default();
    let mut blobs = Vec::new();
    for change in &changes {
        let blob = change.content.map(|content| repository.blob(content)).transpose().map_err(failed)?;
        update.set(change.path, blob.map(Into::into))?;
        blobs.extend(blob);
    }
    let author = context.options.author()?;
    let message = format!("{}\n", message.trim_end());
    let trees = Trees::new(repository, context.options.limits);
    let deadline = Instant::now() + context.wait;
    loop {
        let target = write_strategy::target(repository, context.options, &changes)?;
        let parent = target.commit.or(target.start);
        let mut written = blobs.clone();
        let Some(tree) = changed_tree(&trees, &update, trees.of(parent)?, &mut written)? else { return Ok(None) };
        let parents = parent.as_slice();
        let (author, message_bytes) = (&author, message.as_bytes());
        let commit = NewCommit { tree, parents, author, committer: author, message: message_bytes };
        let id = commit.write(repository)?;
        written.push(id);
        if let Some(log) = context.log {
            let paths = changes.iter().map(|change| change.path.to_owned()).collect();
            log_commit(repository, log, &target, &written, paths)?;
        }
        let switched = write_strategy::paths_to_switch(repository, context.options, &target, id)?;
        lock.begin(changes.iter().map(|change| change.path).chain(switched.iter().map(String::as_str)))?;
        match move_branch(repository, &target, id, &message) {
            Ok(()) => {
                write_strategy::check_out(repository, &target)?;
                return Ok(Some(id));
            }
            Err(error) if !is_contention(&error) => return Err(failed(error)),
            Err(_) if Instant::now() >= deadline => return Err(GitError::Busy { seconds: context.wait.as_secs() }),
            // Moved by somebody else, or about to be: on to its new commit.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// The new tree, or `None` when it equals `base`.
fn changed_tree(
    trees: &Trees<'_>,
    update: &TreeUpdate,
    base: Option<Oid>,
    written: &mut Vec<Oid>,
) -> Result<Option<Oid>, GitError> {
    let tree = match (update.apply(trees, base, written)?, base) {
        (Some(tree), _) => tree,
        (None, Some(_)) => {
            let empty = trees.empty()?;
            written.push(empty);
            empty
        }
        (None, None) => return Ok(None),
    };
    Ok((base != Some(tree)).then_some(tree))
}

/// Makes sure that the objects `written`, the last of which is the commit that the branch of `target` moves to, survive.
fn log_commit(
    repository: &Repository,
    log: &RedoLog,
    target: &Head,
    written: &[Oid],
    paths: Vec<String>,
) -> Result<(), GitError> {
    let failed = |error: git2::Error| GitError::git("read back a commit", &error);
    let odb = repository.odb().map_err(failed)?;
    let (mut objects, mut size) = (Vec::new(), Size::Fits);
    let mut room = redo_log::CAPACITY;
    for id in written {
        let object = odb.read(*id).map_err(failed)?;
        let Some(left) = room.checked_sub(object.len() as u64) else {
            // Not all of them in memory at once, only to find that out.
            (objects, size) = (Vec::new(), Size::TooLarge);
            break;
        };
        room = left;
        let kind = object.kind().str().to_owned();
        objects.push(LoggedObject { id: id.to_string(), kind, data: object.data().to_vec() });
    }
    let record = Record {
        session: log.session().to_owned(),
        reference: target.branch.clone(),
        old: target.commit.map(|id| id.to_string()),
        new: written.last().map(Oid::to_string).unwrap_or_default(),
        objects,
        paths,
    };
    log.append(repository.path(), record, size).map_err(GitError::io("log a commit"))
}

/// Points the branch from what it was to `id`; an error of contention when it is no longer what it was.
pub(super) fn move_branch(repository: &Repository, head: &Head, id: Oid, message: &str) -> Result<(), git2::Error> {
    // Whether that worked shows in the update itself.
    let _ = stale_lock::clear(&branch_lock(repository, &head.branch), Evidence::AgeOnly);
    let subject = message.lines().next().unwrap_or_default();
    match head.commit {
        Some(current) => {
            repository.reference_matching(&head.branch, id, true, current, &format!("commit: {subject}"))?
        }
        None => repository.reference(&head.branch, id, false, &format!("commit (initial): {subject}"))?,
    };
    Ok(())
}

fn branch_lock(repository: &Repository, branch: &str) -> PathBuf {
    repository.commondir().join(format!("{branch}.lock"))
}

/// Whether somebody else holds or moved the branch, so that trying again makes sense.
pub(super) fn is_contention(error: &git2::Error) -> bool {
    matches!(error.code(), ErrorCode::Locked | ErrorCode::Modified | ErrorCode::Exists)
}
