//! Files that were not overwritten by foreign changes because they must not be committed.
//!
//! They are recorded, because their later state does not show that the user has not seen the foreign version: a removed file
//! would look like a deliberate deletion, and a fixed file like an edit of the newest version.

use crate::branches::backup_branch::{self, BackupBranch};
use crate::branches::head::Head;
use crate::branches::strategy;
use crate::commit_id::CommitId;
use crate::durability::context::Context;
use crate::durability::repository_lock::RepositoryLock;
use crate::file_change::FileChange;
use crate::git_error::GitError;
use crate::limits::MAX_PATHS_BYTES;
use crate::objects::trees::Trees;
use crate::regular_file;
use crate::work_tree::checkout;
use git2::{ObjectType, Oid, Repository};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};

const NAME: &str = "tgp-held-back";
const NEW_NAME: &str = "tgp-held-back-new";
const MAX_BYTES: u64 = 2 * MAX_PATHS_BYTES as u64;

/// The record of a held-back file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldState {
    /// The file is based on this version, not on the foreign one.
    Base(Option<Oid>),
    /// A backup branch has this content; the foreign version may replace it.
    Kept(Option<Oid>),
}

type Records = BTreeMap<String, HeldState>;

/// The result of releasing held-back files.
#[derive(Debug, Default)]
pub(crate) struct Released {
    /// Files that are still held back.
    pub(crate) still: Vec<String>,
    /// Files that now match the history.
    pub(crate) replaced: Vec<String>,
    /// The backup of edited files that were replaced.
    pub(crate) kept: Option<BackupBranch>,
}

/// Records the base version of held-back files before the history moves on.
pub(crate) fn remember(repository: &Repository, held: Vec<(String, Option<Oid>)>) -> Result<(), GitError> {
    if held.is_empty() {
        return Ok(());
    }
    let mut records = read(repository)?;
    for (path, base) in held {
        // The first recorded version is the one that the user has seen.
        if !matches!(records.get(&path), Some(HeldState::Base(_))) {
            records.insert(path, HeldState::Base(base));
        }
    }
    write(repository, &records)
}

/// Refuses a commit that would overwrite a foreign version that the user has not seen. Its changes are backed up on a branch,
/// and [`release`] checks out the foreign version.
pub(crate) fn refuse_unseen_versions(
    repository: &Repository,
    context: &Context<'_>,
    changes: &[FileChange<'_>],
) -> Result<(), GitError> {
    let mut records = read(repository)?;
    if !changes.iter().any(|change| records.contains_key(change.path)) {
        return Ok(());
    }
    let trees = Trees::new(repository, context.options.limits);
    let view = strategy::view(repository, context.options)?;
    let mut own = BTreeMap::new();
    let mut unseen = None;
    for change in changes.iter().filter(|change| !context.options.derived.iter().any(|path| path == change.path)) {
        let content = change.content.map(id_of).transpose()?;
        if let Some(HeldState::Base(base)) = records.remove(change.path) {
            let theirs = trees.entry(view, change.path)?.map(|entry| entry.id);
            if theirs != base && theirs != content {
                unseen = unseen.or(Some(change.path));
            }
        }
        own.insert(change.path.to_owned(), content);
    }
    let Some(path) = unseen else { return write(repository, &records) };
    let kept = changes.iter().filter(|change| own.contains_key(change.path));
    let kept = kept.map(|change| (change.path.to_owned(), change.content.map(<[u8]>::to_vec))).collect();
    let parent = Head::read(repository)?.commit;
    let Some(kept) = backup_branch::back_up_files(repository, context.options, parent, kept)? else { return Ok(()) };
    records.extend(own.into_iter().map(|(path, content)| (path, HeldState::Kept(content))));
    write(repository, &records)?;
    let commit = CommitId::from(kept.commit).as_str().to_owned();
    Err(GitError::Conflict { path: path.to_owned(), commit, branch: kept.branch })
}

/// Whether any file is recorded.
pub(crate) fn has_any(repository: &Repository) -> bool {
    repository.path().join(NAME).exists()
}

/// Checks out the files that need not be held back any longer. Removed files are restored; edited files are backed up on a
/// branch first.
pub(crate) fn release(
    repository: &Repository,
    lock: &mut RepositoryLock,
    context: &Context<'_>,
) -> Result<Released, GitError> {
    let records = read(repository)?;
    let trees = Trees::new(repository, context.options.limits);
    let view = strategy::view(repository, context.options)?;
    let mut released = Released::default();
    let (mut left, mut free) = (Records::new(), Vec::new());
    for (path, known) in records {
        let theirs = trees.entry(view, &path)?.map(|entry| entry.id);
        let Ok(present) = context.work.read(&path) else {
            left.insert(path, known);
            continue;
        };
        let own = present.as_deref().map(id_of).transpose()?;
        if own == theirs {
            continue;
        }
        match (known, present) {
            (HeldState::Base(base), _) if base == theirs => {}
            (HeldState::Kept(kept), _) if kept != own => {}
            (HeldState::Base(_), Some(content)) if context.work.is_held_back(&path, &content) => {
                left.insert(path.clone(), known);
                released.still.push(path);
            }
            (HeldState::Base(_), Some(content)) => {
                free.push((path.clone(), Some(content)));
                released.replaced.push(path);
            }
            (HeldState::Base(_), None) | (HeldState::Kept(_), _) => released.replaced.push(path),
        }
    }
    let parent = Head::read(repository)?.commit;
    released.kept = backup_branch::back_up_files(repository, context.options, parent, free)?;
    lock.begin(released.replaced.iter().map(String::as_str))?;
    checkout::place(&trees, view, released.replaced.iter().map(String::as_str), context.work)?;
    write(repository, &left)?;
    Ok(released)
}

fn id_of(content: &[u8]) -> Result<Oid, GitError> {
    Oid::hash_object(ObjectType::Blob, content).map_err(|error| GitError::git("compare a file", &error))
}

fn read(repository: &Repository) -> Result<Records, GitError> {
    let bytes = match regular_file::read(&repository.path().join(NAME), MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Records::new()),
        Err(error) => return Err(GitError::io("read the list of held-back files")(error)),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut fields = text.split('\0');
    let mut records = Records::new();
    while let (Some(known), Some(path)) = (fields.next(), fields.next()) {
        // Invalid records are ignored, so that they cannot block all commits.
        if let Some(known) = parsed(known) {
            records.insert(path.to_owned(), known);
        }
    }
    Ok(records)
}

fn parsed(known: &str) -> Option<HeldState> {
    let (kind, id) = known.split_once(' ')?;
    let id = if id.is_empty() { None } else { Some(Oid::from_str(id).ok()?) };
    match kind {
        "base" => Some(HeldState::Base(id)),
        "kept" => Some(HeldState::Kept(id)),
        _ => None,
    }
}

/// Replaces the file atomically.
fn write(repository: &Repository, records: &Records) -> Result<(), GitError> {
    let (place, new) = (repository.path().join(NAME), repository.path().join(NEW_NAME));
    let replace = || {
        if records.is_empty() {
            return match fs::remove_file(&place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        let mut text = String::new();
        for (path, known) in records {
            let (kind, id) = match known {
                HeldState::Base(id) => ("base", id),
                HeldState::Kept(id) => ("kept", id),
            };
            let id = id.map(|id| id.to_string()).unwrap_or_default();
            text.push_str(&format!("{kind} {id}\0{path}\0"));
        }
        let mut file = regular_file::open(&new, File::options().write(true).create(true).truncate(true))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &place)
    };
    replace().map_err(GitError::io("write the list of held-back files"))
}
