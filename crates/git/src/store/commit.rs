//! Commits exactly the given files, without using the work tree.
//!
//! Blobs, trees and the commit are written and logged first, so that they survive a power cut. Then the branch moves by
//! compare-and-swap, and the index is updated. After a kill the branch is at the old or the new commit; the next writer
//! updates the index if necessary.

use super::held_back;
use crate::branches::head::Head;
use crate::branches::references::is_contention;
use crate::branches::strategy;
use crate::commit_id::CommitId;
use crate::durability::context::Context;
use crate::durability::finish_write::{IndexState, branch_lock, finish_write, prepare_index};
use crate::durability::lost_objects;
use crate::durability::redo_log::{self, LoggedObject, Record, RedoLog, Size};
use crate::durability::repository_lock::RepositoryLock;
use crate::durability::stale_lock::{self, Evidence};
use crate::file_change::FileChange;
use crate::git_error::GitError;
use crate::objects::commit_object::NewCommit;
use crate::objects::tree_update::TreeUpdate;
use crate::objects::trees::Trees;
use crate::store_options::StoreOptions;
use git2::{ObjectType, Oid, Repository};
use std::io;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(5);

/// The result of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// `None` if the branch already had these files.
    pub id: Option<CommitId>,
    pub index: IndexState,
}

/// The committed state of a file, compared to some content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommittedContent {
    Nothing,
    Other,
    Same,
}

/// Compares content with the file at `path` on its branch.
pub(crate) fn held(
    repository: &Repository,
    context: &Context<'_>,
    path: &str,
    content: &[u8],
) -> Result<CommittedContent, GitError> {
    let target = strategy::target(repository, context.options, &[FileChange { path, content: Some(content) }])?;
    let trees = Trees::new(repository, context.options.limits);
    lost_objects::retry_after_restore(repository, context.log, || {
        held_in(&trees, trees.of(target.commit.or(target.start))?, path, content)
    })
}

/// Compares content with the file at `path` in a tree.
pub(crate) fn held_in(
    trees: &Trees<'_>,
    tree: Option<Oid>,
    path: &str,
    content: &[u8],
) -> Result<CommittedContent, GitError> {
    let entry = trees.entry(tree, path)?;
    let own = Oid::hash_object(ObjectType::Blob, content).map_err(|error| GitError::git("hash a file", &error))?;
    Ok(match entry {
        None => CommittedContent::Nothing,
        Some(entry) if entry.id == own => CommittedContent::Same,
        Some(_) => CommittedContent::Other,
    })
}

/// Commits `changes` to their branch; retries if the branch moves concurrently.
pub(crate) fn commit(
    repository: &Repository,
    mut lock: RepositoryLock,
    context: &Context<'_>,
    message: &str,
    changes: &[FileChange<'_>],
) -> Result<Committed, GitError> {
    let id = advance(repository, &mut lock, context, message, changes);
    let index = finish_write(repository, lock, context);
    Ok(Committed { id: id?.map(CommitId::from), index })
}

/// Moves the branch to a commit with `changes`; `None` if it already has them.
pub(crate) fn advance(
    repository: &Repository,
    lock: &mut RepositoryLock,
    context: &Context<'_>,
    message: &str,
    changes: &[FileChange<'_>],
) -> Result<Option<Oid>, GitError> {
    lost_objects::retry_after_restore(repository, context.log, || {
        try_advance(repository, lock, context, message, changes)
    })
}

fn try_advance(
    repository: &Repository,
    lock: &mut RepositoryLock,
    context: &Context<'_>,
    message: &str,
    changes: &[FileChange<'_>],
) -> Result<Option<Oid>, GitError> {
    let failed = |error: git2::Error| GitError::git("commit", &error);
    let changes = strategy::own_changes(context.options, changes);
    held_back::refuse_unseen_versions(repository, context, &changes)?;
    let mut update = TreeUpdate::default();
    let mut blobs = Vec::new();
    for change in &changes {
        refuse_large(context.options, change)?;
        let blob = change.content.map(|content| repository.blob(content)).transpose().map_err(failed)?;
        update.set(change.path, blob.map(Into::into))?;
        blobs.extend(blob);
    }
    let author = context.options.author()?;
    let message = format!("{}\n", message.trim_end());
    let trees = Trees::new(repository, context.options.limits);
    let deadline = Instant::now() + context.wait;
    loop {
        let target = strategy::target(repository, context.options, &changes)?;
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
        let switched = strategy::paths_to_switch(repository, context.options, &target, id)?;
        lock.begin_branch(changes.iter().map(|change| change.path).chain(switched.iter().map(String::as_str)))?;
        let index = prepare_index(repository, lock, context, Some(id));
        match move_branch(repository, &target, id, &message) {
            Ok(()) => {
                if let Some(log) = context.log {
                    log.record_move(&target.branch, target.commit.map(|id| id.to_string()), id.to_string());
                }
                strategy::check_out(repository, &target)?;
                lock.set_index(index);
                return Ok(Some(id));
            }
            Err(error) if !is_contention(&error) => return Err(failed(error)),
            Err(_) if Instant::now() >= deadline => return Err(GitError::Busy { seconds: context.wait.as_secs() }),
            // Moved or locked by another writer: retry on its new commit.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Refuses files that are too large to be checked out again, except derived files, which are regenerated.
pub(crate) fn refuse_large(options: &StoreOptions, change: &FileChange<'_>) -> Result<(), GitError> {
    let is_derived = || options.derived.iter().any(|derived| derived == change.path);
    match change.content {
        Some(content) if content.len() as u64 > options.limits.file_bytes && !is_derived() => {
            let reason =
                "it is larger than fs.fileBytes and could not be restored; raise the limit, or make the file smaller";
            Err(GitError::BadPath { path: change.path.to_owned(), reason })
        }
        Some(_) | None => Ok(()),
    }
}

/// The new tree; `None` if it equals `base`.
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

/// Logs the objects `written`; the last one is the new commit of `target`.
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
            // Frees the objects, which will not be logged.
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
    let restore = |records| lost_objects::restore_missing(repository, records).map_err(io::Error::other);
    log.append(repository.path(), record, size, restore).map_err(GitError::io("log a commit"))
}

/// Moves the branch to `id` by compare-and-swap; a contention error if it has moved.
pub(crate) fn move_branch(repository: &Repository, head: &Head, id: Oid, message: &str) -> Result<(), git2::Error> {
    // On failure the update reports the lock.
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
