//! Files that stayed as they were when others changed them, because they must not be committed.
//!
//! They are remembered, for nothing of them tells afterwards that the person has not seen the others' version: one that is
//! removed would look like a file that its owner wants gone, and one that is mended like a change of the newest version.

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

/// What is known of a path at which the file is not what the history has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldState {
    /// The file goes back to this version, not to the one that others have made of it.
    Base(Option<Oid>),
    /// A branch keeps this content: others' version may take its place.
    Kept(Option<Oid>),
}

type Records = BTreeMap<String, HeldState>;

/// What became of the files that were held back.
#[derive(Debug, Default)]
pub(crate) struct Released {
    /// Those that still are.
    pub(crate) still: Vec<String>,
    /// Those that are what the history has now.
    pub(crate) replaced: Vec<String>,
    /// What of them nothing held back any longer.
    pub(crate) kept: Option<BackupBranch>,
}

/// Remembers that the file at each path goes back to a version that the history is about to leave.
pub(crate) fn remember(repository: &Repository, held: Vec<(String, Option<Oid>)>) -> Result<(), GitError> {
    if held.is_empty() {
        return Ok(());
    }
    let mut records = read(repository)?;
    for (path, base) in held {
        // The version that its owner had seen is the first one.
        if !matches!(records.get(&path), Some(HeldState::Base(_))) {
            records.insert(path, HeldState::Base(base));
        }
    }
    write(repository, &records)
}

/// Refuses a commit that would put a file over a version of others that its owner has not seen. Its changes are kept on a
/// branch, and [`release`] brings the others' version.
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

/// Whether any file is remembered.
pub(crate) fn has_any(repository: &Repository) -> bool {
    repository.path().join(NAME).exists()
}

/// Makes the files that nothing holds back any longer what the history has. One that was removed comes back; one without
/// its secret is kept on a branch first, as every file without a commit is where others changed something.
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
        Err(error) => return Err(GitError::io("read which files are held back")(error)),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut fields = text.split('\0');
    let mut records = Records::new();
    while let (Some(known), Some(path)) = (fields.next(), fields.next()) {
        // A line that somebody else wrote is no reason to refuse every commit.
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

/// At one go: half of it would be another list.
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
    replace().map_err(GitError::io("note which files are held back"))
}
